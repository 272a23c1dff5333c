// An unsigned integer of 32 bits, as std_msgs/UInt32.
#pragma once
#include <std_msgs/UInt32.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(uint32_t, UInt32, , )
