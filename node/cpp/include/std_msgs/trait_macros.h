// A type of the language as a message: it goes by the name, md5sum and definition of the message with one field of it.
#pragma once
#include <ros/builtin_message_traits.h>
#include <ros/message_traits.h>
#include <ros/serialization.h>

// The md5sum is the message's own; the halves that are given are not looked at.
#define STD_MSGS_DEFINE_BUILTIN_TRAITS(builtin, msg, static_md5sum1, static_md5sum2)                                   \
    namespace ros {                                                                                                    \
    namespace message_traits {                                                                                         \
    template <> struct MD5Sum<builtin> {                                                                               \
        static const char *value() { return MD5Sum<::std_msgs::msg>::value(); }                                        \
        static const char *value(const builtin &) { return value(); }                                                  \
    };                                                                                                                 \
    template <> struct DataType<builtin> {                                                                             \
        static const char *value() { return DataType<::std_msgs::msg>::value(); }                                      \
        static const char *value(const builtin &) { return value(); }                                                  \
    };                                                                                                                 \
    template <> struct Definition<builtin> {                                                                           \
        static const char *value() { return Definition<::std_msgs::msg>::value(); }                                    \
        static const char *value(const builtin &) { return value(); }                                                  \
    };                                                                                                                 \
    }                                                                                                                  \
    }
