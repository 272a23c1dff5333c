// Which types that need no definition are copied to the wire as they lie in memory.
#pragma once
#include <ros/duration.h>
#include <ros/message_traits.h>
#include <ros/time.h>
#include <ros/types.h>

namespace ros {
namespace message_traits {

#define ROSLIB_CREATE_SIMPLE_TRAITS(Type)                                                                              \
    template <> struct IsSimple<Type> : TrueType {};                                                                   \
    template <> struct IsFixedSize<Type> : TrueType {};

ROSLIB_CREATE_SIMPLE_TRAITS(uint8_t)
ROSLIB_CREATE_SIMPLE_TRAITS(int8_t)
ROSLIB_CREATE_SIMPLE_TRAITS(uint16_t)
ROSLIB_CREATE_SIMPLE_TRAITS(int16_t)
ROSLIB_CREATE_SIMPLE_TRAITS(uint32_t)
ROSLIB_CREATE_SIMPLE_TRAITS(int32_t)
ROSLIB_CREATE_SIMPLE_TRAITS(uint64_t)
ROSLIB_CREATE_SIMPLE_TRAITS(int64_t)
ROSLIB_CREATE_SIMPLE_TRAITS(float)
ROSLIB_CREATE_SIMPLE_TRAITS(double)
ROSLIB_CREATE_SIMPLE_TRAITS(Time)
ROSLIB_CREATE_SIMPLE_TRAITS(Duration)

// One byte on the wire, whatever it is in memory.
template <> struct IsFixedSize<bool> : TrueType {};

} // namespace message_traits
} // namespace ros
