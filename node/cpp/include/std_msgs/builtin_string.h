// A text, as std_msgs/String.
#pragma once
#include <std_msgs/String.h>
#include <std_msgs/trait_macros.h>
#include <string>

STD_MSGS_DEFINE_BUILTIN_TRAITS(std::string, String, , )
