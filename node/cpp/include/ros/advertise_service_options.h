// How a service is offered.
#pragma once
#include <ros/forwards.h>
#include <ros/service_callback_helper.h>
#include <ros/service_traits.h>
#include <string>

namespace ros {

struct AdvertiseServiceOptions {
    template <class MReq, class MRes>
    void init(const std::string &service_name, const boost::function<bool(MReq &, MRes &)> &callback)
    {
        typedef ServiceEvent<MReq, MRes> Event;
        initBySpecType<MReq, MRes>(service_name, [callback](Event &event) {
            // The callback may change its request, as in roscpp.
            return callback(const_cast<MReq &>(event.getRequest()), event.getResponse());
        });
    }
    template <class Service>
    void init(const std::string &service_name,
              const boost::function<bool(typename Service::Request &, typename Service::Response &)> &callback)
    {
        init<typename Service::Request, typename Service::Response>(service_name, callback);
    }
    template <class MReq, class MRes>
    void initBySpecType(const std::string &service_name, const boost::function<bool(ServiceEvent<MReq, MRes> &)> &callback)
    {
        service = service_name;
        md5sum = service_traits::md5sum<MReq>();
        datatype = service_traits::datatype<MReq>();
        req_datatype = message_traits::datatype<MReq>();
        res_datatype = message_traits::datatype<MRes>();
        call = boost::make_shared<detail::ServiceCallOf<MReq, MRes>>(callback);
    }

    template <class Service>
    static AdvertiseServiceOptions
    create(const std::string &service, const boost::function<bool(typename Service::Request &, typename Service::Response &)> &callback,
           const VoidConstPtr &tracked_object, CallbackQueueInterface *queue)
    {
        AdvertiseServiceOptions options;
        options.init<typename Service::Request, typename Service::Response>(service, callback);
        options.tracked_object = tracked_object;
        options.callback_queue = queue;
        return options;
    }

    std::string service, md5sum, datatype, req_datatype, res_datatype;
    detail::ServiceCallPtr call;
    CallbackQueueInterface *callback_queue = nullptr;
    VoidConstPtr tracked_object;
};

} // namespace ros
