// A bool, as std_msgs/Bool.
#pragma once
#include <std_msgs/Bool.h>
#include <std_msgs/trait_macros.h>

STD_MSGS_DEFINE_BUILTIN_TRAITS(bool, Bool, , )
