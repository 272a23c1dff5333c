// Who this program is among nodes, from ros::init on: before the node runs, names are resolved with it.
#pragma once
#include <cstdint>
#include <ros/datatypes.h>
#include <string>

namespace ros {
namespace detail {

struct Identity {
    std::string name;             // global
    std::string name_space = "/"; // global
    M_string renamed;             // by what arguments FROM:=TO say, both global
    M_string renamed_as_said;
    std::string master_uri;
    std::string master_host; // empty: master_uri is not http://HOST:PORT
    uint32_t master_port = 0;
    std::string host; // what other nodes reach this machine by; empty: nobody said
};

// Never destroyed: threads may ask while the program ends. Changed by ros::init only.
inline Identity &identity()
{
    static Identity *const it = new Identity;
    return *it;
}

} // namespace detail
} // namespace ros
