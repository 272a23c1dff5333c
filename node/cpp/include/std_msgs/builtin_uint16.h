// An unsigned integer of 16 bits, as std_msgs/UInt16.
#pragma once
#include <std_msgs/UInt16.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(uint16_t, UInt16, , )
