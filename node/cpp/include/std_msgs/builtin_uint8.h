// An unsigned integer of 8 bits, as std_msgs/UInt8.
#pragma once
#include <std_msgs/UInt8.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(uint8_t, UInt8, , )
