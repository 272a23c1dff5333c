// What other nodes reach this machine by (NODE-47).
#pragma once
#include <cstdint>
#include <cstdlib>
#include <ros/common.h>
#include <ros/detail/identity.h>
#include <ros/detail/node.h>
#include <string>
#include <unistd.h>

namespace ros {
namespace network {

// Host and port of http://HOST:PORT/ or rosrpc://HOST:PORT; an IPv6 address is in brackets, which stay. False: it is not that.
inline bool splitURI(const std::string &uri, std::string &host, uint32_t &port)
{
    const size_t begin = uri.rfind("http://", 0) == 0 ? 7 : uri.rfind("rosrpc://", 0) == 0 ? 9 : 0;
    if (begin == 0) return false;
    const std::string place = uri.substr(begin, uri.find('/', begin) - begin);
    const size_t colon = place.find(':', place.rfind('[', 0) == 0 ? place.find(']') : 0);
    if (colon == std::string::npos) return false;
    const std::string digits = place.substr(colon + 1);
    if (digits.empty() || digits.size() > 5 || digits.find_first_not_of("0123456789") != std::string::npos) return false;
    const unsigned long number = std::strtoul(digits.c_str(), nullptr, 10);
    if (number > 65535) return false;
    host = place.substr(0, colon);
    port = static_cast<uint32_t>(number);
    return true;
}

namespace detail {

inline std::string machine_name()
{
    char name[256] = "";
    // Zero bytes at the end whatever happens.
    ::gethostname(name, sizeof name - 1);
    return name;
}

} // namespace detail

// What was said (`__hostname`, `__ip`, ROS_HOSTNAME, ROS_IP), else what the node has found, else the machine's name.
inline const std::string &getHost()
{
    const std::string &said = ros::detail::identity().host;
    if (!said.empty()) return said;
    if (const tk_node *const node = ros::detail::node()) {
        static const std::string *const found = new std::string(ros::detail::take(tk_node_about(node, TK_HOST)));
        return *found;
    }
    static const std::string *const name = new std::string(detail::machine_name());
    return *name;
}

} // namespace network
} // namespace ros
