// A double, as std_msgs/Float64.
#pragma once
#include <std_msgs/Float64.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(double, Float64, , )
