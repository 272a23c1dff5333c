// A message as bytes, or as the object itself for a subscriber of the same process, or both.
#pragma once
#include <boost/shared_array.hpp>
#include <boost/shared_ptr.hpp>
#include <cstddef>
#include <ros/roscpp_serialization_macros.h>
#include <ros/types.h>
#include <typeinfo>

namespace ros {

class ROSCPP_SERIALIZATION_DECL SerializedMessage {
public:
    SerializedMessage() : num_bytes(0), message_start(nullptr), type_info(nullptr) {}
    SerializedMessage(boost::shared_array<uint8_t> bytes, size_t count)
        : buf(bytes), num_bytes(count), message_start(bytes ? bytes.get() : nullptr), type_info(nullptr)
    {
    }

    boost::shared_array<uint8_t> buf;
    // Of all of `buf`: length, and what else stands before the message, included.
    size_t num_bytes;
    // Where in `buf` the message itself begins.
    uint8_t *message_start;

    boost::shared_ptr<void const> message;
    // The type of `message`.
    const std::type_info *type_info;
};

} // namespace ros
