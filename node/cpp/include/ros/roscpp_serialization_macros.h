// What stands before the classes that programs and their libraries share.
#pragma once
#include <ros/macros.h>

#define ROSCPP_SERIALIZATION_DECL ROS_HELPER_EXPORT
