// An integer of 8 bits, as std_msgs/Int8.
#pragma once
#include <std_msgs/Int8.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(int8_t, Int8, , )
