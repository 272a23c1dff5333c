// How a service is called.
#pragma once
#include <ros/datatypes.h>
#include <ros/service_traits.h>
#include <string>

namespace ros {

struct ServiceClientOptions {
    ServiceClientOptions() = default;
    ServiceClientOptions(const std::string &service, const std::string &md5sum, bool persistent, const M_string &header)
        : service(service), md5sum(md5sum), persistent(persistent), header(header)
    {
    }
    template <class MReq, class MRes> void init(const std::string &name, bool is_persistent, const M_string &header_values)
    {
        service = name;
        md5sum = service_traits::md5sum<MReq>();
        datatype = service_traits::datatype<MReq>();
        persistent = is_persistent;
        header = header_values;
    }
    template <class Service> void init(const std::string &name, bool is_persistent, const M_string &header_values)
    {
        init<typename Service::Request, typename Service::Response>(name, is_persistent, header_values);
    }

    std::string service, md5sum, datatype = "*";
    bool persistent = false;
    // Not sent: nobody reads it.
    M_string header;
};

} // namespace ros
