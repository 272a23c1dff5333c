// Conditions that are checked while running: a broken one is told on standard error, then the program ends by SIGTRAP. With NDEBUG
// and without ROS_ASSERT_ENABLED nothing is checked or evaluated.
#pragma once
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ros/static_assert.h>

#if !defined(NDEBUG) && !defined(ROS_ASSERT_ENABLED)
#define ROS_ASSERT_ENABLED
#endif

namespace ros {
namespace detail {

__attribute__((noreturn)) inline void broken(const char *what, const char *file, int line)
{
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
    // As a debugger's stop, which roscpp's is; who goes on from there is over nevertheless.
    std::raise(SIGTRAP);
    std::abort();
}

// As printf, then the end.
__attribute__((noreturn, format(printf, 4, 5))) inline void broken_saying(const char *what, const char *file, int line,
                                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fputc('\n', stderr);
    broken(what, file, line);
}

} // namespace detail
} // namespace ros

#ifdef ROS_ASSERT_ENABLED
#define ROS_BREAK() ::ros::detail::broken("ROS_BREAK", __FILE__, __LINE__)
#define ROS_ASSERT(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) ::ros::detail::broken("not so: " #condition, __FILE__, __LINE__);                              \
    } while (0)
#define ROS_ASSERT_MSG(condition, ...)                                                                                 \
    do {                                                                                                               \
        if (!(condition)) ::ros::detail::broken_saying("not so: " #condition, __FILE__, __LINE__, __VA_ARGS__);          \
    } while (0)
#define ROS_ASSERT_CMD(condition, command)                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            command;                                                                                                   \
        }                                                                                                              \
    } while (0)
#else
#define ROS_BREAK() static_cast<void>(0)
#define ROS_ASSERT(condition) static_cast<void>(0)
#define ROS_ASSERT_MSG(condition, ...) static_cast<void>(0)
#define ROS_ASSERT_CMD(condition, command) static_cast<void>(0)
#endif
