// An unsigned integer of 64 bits, as std_msgs/UInt64.
#pragma once
#include <std_msgs/UInt64.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(uint64_t, UInt64, , )
