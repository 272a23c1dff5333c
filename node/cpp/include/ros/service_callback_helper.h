// Calls a program's service with a request, and answers for it.
#pragma once
#include <boost/function.hpp>
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <map>
#include <ros/console.h>
#include <ros/datatypes.h>
#include <ros/message_traits.h>
#include <ros/serialization.h>
#include <ros/service_traits.h>
#include <string>
#include <tokkyu/node.h>
#include <vector>

namespace ros {

// A request, its response, and who asks.
template <typename MReq, typename MRes> class ServiceEvent {
public:
    typedef MReq RequestType;
    typedef MRes ResponseType;
    typedef boost::shared_ptr<RequestType> RequestPtr;
    typedef boost::shared_ptr<ResponseType> ResponsePtr;
    typedef boost::function<bool(ServiceEvent<RequestType, ResponseType> &)> CallbackType;

    ServiceEvent(const boost::shared_ptr<MReq const> &request, const boost::shared_ptr<MRes> &response,
                 const boost::shared_ptr<M_string> &header)
        : request_(request), response_(response), header_(header)
    {
    }
    const RequestType &getRequest() const { return *request_; }
    ResponseType &getResponse() const { return *response_; }
    M_string &getConnectionHeader() const { return *header_; }
    const std::string &getCallerName() const { return (*header_)["callerid"]; }

private:
    boost::shared_ptr<RequestType const> request_;
    boost::shared_ptr<ResponseType> response_;
    boost::shared_ptr<M_string> header_;
};

namespace detail {

// Of whatever type.
class ServiceCall {
public:
    virtual ~ServiceCall() {}
    virtual void call(const char *callerid, const uint8_t *request, size_t len, tk_answer *answer) = 0;
};
typedef boost::shared_ptr<ServiceCall> ServiceCallPtr;

template <typename MReq, typename MRes> class ServiceCallOf : public ServiceCall {
public:
    typedef ServiceEvent<MReq, MRes> Event;
    typedef boost::function<bool(Event &)> Callback;
    explicit ServiceCallOf(const Callback &callback) : callback_(callback) {}

    void call(const char *callerid, const uint8_t *request, size_t len, tk_answer *answer) override
    {
        try {
            const auto asked = boost::make_shared<MReq>();
            const auto answered = boost::make_shared<MRes>();
            serialization::IStream stream(const_cast<uint8_t *>(request), static_cast<uint32_t>(len));
            serialization::deserialize(stream, *asked);
            if (stream.getLength() > 0) return refuse(answer, std::to_string(stream.getLength()) + " bytes follow after the request");
            const auto header = boost::make_shared<M_string>();
            (*header)["callerid"] = callerid;
            Event event(asked, answered, header);
            if (!callback_(event)) return refuse(answer, "");
            std::vector<uint8_t> bytes(serialization::serializationLength(*answered));
            serialization::OStream out(bytes.data(), static_cast<uint32_t>(bytes.size()));
            serialization::serialize(out, *answered);
            tk_answer_set(answer, true, bytes.data(), bytes.size());
        } catch (const std::exception &error) {
            ROS_ERROR("Exception thrown while processing service call: %s", error.what());
            refuse(answer, error.what());
        }
    }

private:
    static void refuse(tk_answer *answer, const std::string &reason)
    {
        tk_answer_set(answer, false, reinterpret_cast<const uint8_t *>(reason.data()), reason.size());
    }
    Callback callback_;
};

} // namespace detail
} // namespace ros
