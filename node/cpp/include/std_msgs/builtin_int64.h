// An integer of 64 bits, as std_msgs/Int64.
#pragma once
#include <std_msgs/Int64.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(int64_t, Int64, , )
