// A message's bytes, walked from the front: read (IStream), written (OStream), or only counted (LStream). Nothing is read or
// written past the end.
#pragma once
#include <limits>
#include <ros/exception.h>
#include <ros/macros.h>
#include <ros/roscpp_serialization_macros.h>
#include <ros/types.h>

namespace ros {
namespace serialization {

// The message is longer than its buffer, or than 2^32 - 1 bytes.
class ROSCPP_SERIALIZATION_DECL StreamOverrunException : public Exception {
public:
    StreamOverrunException(const std::string &what) : Exception(what) {}
};

[[noreturn]] inline void throwStreamOverrun()
{
    throw StreamOverrunException("the message goes on after the end of its bytes");
}

template <typename T, typename Stream> void serialize(Stream &stream, const T &t);
template <typename T, typename Stream> void deserialize(Stream &stream, T &t);
template <typename T> uint32_t serializationLength(const T &t);

namespace stream_types {
enum StreamType { Input, Output, Length };
}
typedef stream_types::StreamType StreamType;

namespace detail {

// Lengths on the wire have 32 bits.
inline uint32_t in_32_bits(uint64_t length)
{
    if (length > std::numeric_limits<uint32_t>::max()) throwStreamOverrun();
    return static_cast<uint32_t>(length);
}

} // namespace detail

// The bytes that are left.
struct Stream {
    uint8_t *getData() { return data_; }
    uint32_t getLength() { return static_cast<uint32_t>(end_ - data_); }

    // Goes on by `count` bytes; they are where it points to.
    ROS_FORCE_INLINE uint8_t *advance(uint32_t count)
    {
        if (count > getLength()) throwStreamOverrun();
        uint8_t *const here = data_;
        data_ += count;
        return here;
    }

protected:
    Stream(uint8_t *data, uint32_t count) : data_(data), end_(data + count) {}

private:
    uint8_t *data_;
    uint8_t *end_;
};

struct ROSCPP_SERIALIZATION_DECL IStream : public Stream {
    static const StreamType stream_type = stream_types::Input;

    IStream(uint8_t *data, uint32_t count) : Stream(data, count) {}

    template <typename T> ROS_FORCE_INLINE void next(T &t) { deserialize(*this, t); }
    template <typename T> ROS_FORCE_INLINE IStream &operator>>(T &t)
    {
        deserialize(*this, t);
        return *this;
    }
};

struct ROSCPP_SERIALIZATION_DECL OStream : public Stream {
    static const StreamType stream_type = stream_types::Output;

    OStream(uint8_t *data, uint32_t count) : Stream(data, count) {}

    template <typename T> ROS_FORCE_INLINE void next(const T &t) { serialize(*this, t); }
    template <typename T> ROS_FORCE_INLINE OStream &operator<<(const T &t)
    {
        serialize(*this, t);
        return *this;
    }
};

struct ROSCPP_SERIALIZATION_DECL LStream {
    static const StreamType stream_type = stream_types::Length;

    LStream() : count_(0) {}

    template <typename T> ROS_FORCE_INLINE void next(const T &t) { advance(serializationLength(t)); }

    // Returns how many there were before.
    ROS_FORCE_INLINE uint32_t advance(uint32_t count)
    {
        const uint32_t before = count_;
        count_ = detail::in_32_bits(uint64_t{before} + count);
        return before;
    }

    uint32_t getLength() { return count_; }

private:
    uint32_t count_;
};

} // namespace serialization
} // namespace ros
