// Attributes of public declarations. There is no library to import from: all is in headers, and what a whole program has once,
// such as its clock, is the same also for those of its libraries that hide what is theirs.
#pragma once

#define ROS_DEPRECATED __attribute__((deprecated))
#define ROS_FORCE_INLINE __attribute__((always_inline))

#define ROS_HELPER_IMPORT __attribute__((visibility("default")))
#define ROS_HELPER_EXPORT __attribute__((visibility("default")))
#define ROS_HELPER_LOCAL __attribute__((visibility("hidden")))
