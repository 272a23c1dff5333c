// Conditions that are checked while compiling.
#pragma once

#define ROS_STATIC_ASSERT(...) static_assert(__VA_ARGS__, #__VA_ARGS__)
#define ROS_COMPILE_ASSERT(...) static_assert(__VA_ARGS__, #__VA_ARGS__)
