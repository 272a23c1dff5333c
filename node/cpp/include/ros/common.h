// The version of roscpp whose interface this is, for programs that ask.
#pragma once
#include <boost/shared_array.hpp>
#include <cassert>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ros/assert.h>
#include <ros/forwards.h>
#include <ros/macros.h>
#include <ros/serialized_message.h>
#include <string>

#define ROS_VERSION_MAJOR 1
#define ROS_VERSION_MINOR 15
#define ROS_VERSION_PATCH 15
// Versions as numbers that compare as versions do: ten bits each for minor and patch.
#define ROS_VERSION_COMBINED(major, minor, patch) (((major) << 20) | ((minor) << 10) | (patch))
#define ROS_VERSION ROS_VERSION_COMBINED(ROS_VERSION_MAJOR, ROS_VERSION_MINOR, ROS_VERSION_PATCH)
#define ROS_VERSION_GE(major1, minor1, patch1, major2, minor2, patch2)                                                 \
    (ROS_VERSION_COMBINED(major1, minor1, patch1) >= ROS_VERSION_COMBINED(major2, minor2, patch2))
#define ROS_VERSION_MINIMUM(major, minor, patch) (ROS_VERSION >= ROS_VERSION_COMBINED(major, minor, patch))

// There is no library to export from.
#define ROSCPP_DECL

namespace ros {

// Signals that may be blocked are left to other threads from now on.
inline void disableAllSignalsInThisThread()
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

} // namespace ros
