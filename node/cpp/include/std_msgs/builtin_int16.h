// An integer of 16 bits, as std_msgs/Int16.
#pragma once
#include <std_msgs/Int16.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(int16_t, Int16, , )
