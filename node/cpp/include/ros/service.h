// Services, called without a handle.
#pragma once
#include <ros/node_handle.h>
#include <ros/service_client.h>
#include <string>

namespace ros {
namespace service {

template <class MReq, class MRes> bool call(const std::string &service_name, MReq &request, MRes &response)
{
    NodeHandle node;
    ServiceClient client = node.serviceClient<MReq, MRes>(names::resolve(service_name));
    return client.call(request, response);
}
template <class Service> bool call(const std::string &service_name, Service &service)
{
    NodeHandle node;
    ServiceClient client = node.serviceClient<Service>(names::resolve(service_name));
    return client.call(service);
}

namespace detail {
inline ServiceClient any(const std::string &service_name)
{
    ros::detail::ThisNode::get().start_early();
    const std::string name = names::resolve(service_name);
    return ServiceClient(tk_client_new(ros::detail::node(), name.c_str(), nullptr, false), name, "*", false);
}
} // namespace detail

// timeout less than 0: as long as the node runs.
inline bool waitForService(const std::string &service_name, Duration timeout = Duration(-1))
{
    return detail::any(service_name).waitForExistence(timeout);
}
// In milliseconds.
inline bool waitForService(const std::string &service_name, int32_t timeout)
{
    return waitForService(service_name, Duration(timeout / 1000.0));
}
inline bool exists(const std::string &service_name, bool print_failure_reason)
{
    ServiceClient client = detail::any(service_name);
    const bool there = client.exists();
    if (!there && print_failure_reason) client.tell_that_it_waits();
    return there;
}

template <class MReq, class MRes>
ServiceClient createClient(const std::string &service_name, bool persistent = false, const M_string &header = M_string())
{
    NodeHandle node;
    return node.serviceClient<MReq, MRes>(names::resolve(service_name), persistent, header);
}
template <class Service>
ServiceClient createClient(const std::string &service_name, bool persistent = false, const M_string &header = M_string())
{
    NodeHandle node;
    return node.serviceClient<Service>(names::resolve(service_name), persistent, header);
}

} // namespace service
} // namespace ros
