// A float, as std_msgs/Float32.
#pragma once
#include <std_msgs/Float32.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(float, Float32, , )
