// The base of the exceptions that these headers throw, other than std::runtime_error for times out of range.
#pragma once
#include <ros/macros.h>
#include <stdexcept>
#include <string>

namespace ros {

class ROS_HELPER_EXPORT Exception : public std::runtime_error {
public:
    Exception(const std::string &what) : std::runtime_error(what) {}
};

} // namespace ros
