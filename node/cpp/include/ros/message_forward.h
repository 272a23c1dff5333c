// Declares a message without its header: the type and its two pointers.
#pragma once
#include <boost/shared_ptr.hpp>
#include <cstddef>
#include <memory>

// `msg` is the definition's name, `new_name` what the type is called, `alloc` the template of its allocator.
#define ROS_DECLARE_MESSAGE_WITH_ALLOCATOR(msg, new_name, alloc)                                                       \
    template <class Allocator> struct msg##_;                                                                          \
    typedef msg##_<alloc<void>> new_name;                                                                              \
    typedef boost::shared_ptr<new_name> new_name##Ptr;                                                                 \
    typedef boost::shared_ptr<new_name const> new_name##ConstPtr;

#define ROS_DECLARE_MESSAGE(msg) ROS_DECLARE_MESSAGE_WITH_ALLOCATOR(msg, msg, std::allocator)
