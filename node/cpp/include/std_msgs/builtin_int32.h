// An integer of 32 bits, as std_msgs/Int32.
#pragma once
#include <std_msgs/Int32.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(int32_t, Int32, , )
