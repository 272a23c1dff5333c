// Messages to bytes and back: the wire form (NODE-36). Numbers are little endian and not aligned; strings and vectors have
// their number of bytes or elements, 32 bits, in front; the fields of a message follow each other.
//
// A type takes part by a Serializer; generated headers have one for each message. Whatever is read is checked against the end
// of the bytes: what goes on after it throws StreamOverrunException, and takes no memory.
#pragma once
#include <boost/array.hpp>
#include <boost/make_shared.hpp>
#include <boost/shared_array.hpp>
#include <boost/shared_ptr.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <ros/builtin_message_traits.h>
#include <ros/duration.h>
#include <ros/exception.h>
#include <ros/detail/elements.h>
#include <ros/detail/stream.h>
#include <ros/macros.h>
#include <ros/message_traits.h>
#include <ros/serialized_message.h>
#include <ros/time.h>
#include <ros/types.h>
#include <string>
#include <vector>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the wire is little endian and numbers are copied to it as they are: this machine cannot"
#endif

#define ROS_NEW_SERIALIZATION_API 1

// Inside a Serializer that has `template <typename Stream, typename T> static void allInOne(Stream &stream, T t)`, which calls
// `stream.next` for each part of `t`: makes the three functions from it.
#define ROS_DECLARE_ALLINONE_SERIALIZER                                                                                \
    template <typename Stream, typename T> static void write(Stream &stream, const T &t)                               \
    {                                                                                                                  \
        allInOne<Stream, const T &>(stream, t);                                                                        \
    }                                                                                                                  \
    template <typename Stream, typename T> static void read(Stream &stream, T &t)                                      \
    {                                                                                                                  \
        allInOne<Stream, T &>(stream, t);                                                                              \
    }                                                                                                                  \
    template <typename T> static uint32_t serializedLength(const T &t)                                                 \
    {                                                                                                                  \
        ros::serialization::LStream stream;                                                                            \
        allInOne<ros::serialization::LStream, const T &>(stream, t);                                                   \
        return stream.getLength();                                                                                     \
    }

// A Serializer of a type whose bytes in memory are its bytes on the wire. Inside namespace ros::serialization.
#define ROS_CREATE_SIMPLE_SERIALIZER(Type)                                                                             \
    template <> struct Serializer<Type> : detail::CopySerializer<Type> {};

namespace ros {
namespace serialization {

// Of a type without one of its own: the type's own functions.
template <typename T> struct Serializer {
    template <typename Stream> static void write(Stream &stream, const T &t) { t.serialize(stream.getData(), 0); }
    template <typename Stream> static void read(Stream &stream, T &t) { t.deserialize(stream.getData()); }
    static uint32_t serializedLength(const T &t) { return t.serializationLength(); }
};

template <typename T, typename Stream> inline void serialize(Stream &stream, const T &t)
{
    Serializer<T>::write(stream, t);
}

template <typename T, typename Stream> inline void deserialize(Stream &stream, T &t)
{
    Serializer<T>::read(stream, t);
}

// How many bytes `t` takes.
template <typename T> inline uint32_t serializationLength(const T &t) { return Serializer<T>::serializedLength(t); }

namespace detail {

template <typename T> struct CopySerializer {
    template <typename Stream> static void write(Stream &stream, const T t)
    {
        std::memcpy(stream.advance(sizeof(T)), &t, sizeof(T));
    }
    template <typename Stream> static void read(Stream &stream, T &t)
    {
        std::memcpy(&t, stream.advance(sizeof(T)), sizeof(T));
    }
    static uint32_t serializedLength(const T &) { return sizeof(T); }
};

// ros::Time and ros::Duration.
struct TimeSerializer {
    template <typename Stream, typename T> static void allInOne(Stream &stream, T t)
    {
        stream.next(t.sec);
        stream.next(t.nsec);
    }

    ROS_DECLARE_ALLINONE_SERIALIZER
};

} // namespace detail

ROS_CREATE_SIMPLE_SERIALIZER(uint8_t)
ROS_CREATE_SIMPLE_SERIALIZER(int8_t)
ROS_CREATE_SIMPLE_SERIALIZER(uint16_t)
ROS_CREATE_SIMPLE_SERIALIZER(int16_t)
ROS_CREATE_SIMPLE_SERIALIZER(uint32_t)
ROS_CREATE_SIMPLE_SERIALIZER(int32_t)
ROS_CREATE_SIMPLE_SERIALIZER(uint64_t)
ROS_CREATE_SIMPLE_SERIALIZER(int64_t)
ROS_CREATE_SIMPLE_SERIALIZER(float)
ROS_CREATE_SIMPLE_SERIALIZER(double)

template <> struct Serializer<ros::Time> : detail::TimeSerializer {};
template <> struct Serializer<ros::Duration> : detail::TimeSerializer {};

template <> struct Serializer<bool> {
    template <typename Stream> static void write(Stream &stream, bool t) { *stream.advance(1) = t ? 1 : 0; }
    template <typename Stream> static void read(Stream &stream, bool &t) { t = *stream.advance(1) != 0; }
    static uint32_t serializedLength(bool) { return 1; }
};

template <class ContainerAllocator>
struct Serializer<std::basic_string<char, std::char_traits<char>, ContainerAllocator>> {
    typedef std::basic_string<char, std::char_traits<char>, ContainerAllocator> StringType;

    template <typename Stream> static void write(Stream &stream, const StringType &t)
    {
        const uint32_t bytes = detail::in_32_bits(t.size());
        stream.next(bytes);
        if (bytes > 0) std::memcpy(stream.advance(bytes), t.data(), bytes);
    }

    template <typename Stream> static void read(Stream &stream, StringType &t)
    {
        uint32_t bytes;
        stream.next(bytes);
        t.assign(reinterpret_cast<const char *>(stream.advance(bytes)), bytes);
    }

    static uint32_t serializedLength(const StringType &t) { return detail::in_32_bits(uint64_t{4} + t.size()); }
};

namespace detail {

// A buffer for `front` bytes, the length of `message`, and `message`, of which the last two are written.
template <typename M> SerializedMessage serialize_after(uint32_t front, bool with_length, const M &message)
{
    const uint32_t bytes = serializationLength(message);
    const uint32_t before = front + (with_length ? 4 : 0);
    const uint32_t all = in_32_bits(uint64_t{before} + bytes);
    SerializedMessage made(boost::shared_array<uint8_t>(new uint8_t[all]), all);
    OStream stream(made.buf.get() + front, all - front);
    if (with_length) stream.next(bytes);
    stream.next(message);
    return made;
}

} // namespace detail

// The message, its length in front of it, as it goes to a subscriber.
template <typename M> inline SerializedMessage serializeMessage(const M &message)
{
    SerializedMessage made = detail::serialize_after(0, true, message);
    made.message_start = made.buf.get() + 4;
    return made;
}

// A service's answer: 1, length, message; or 0 and the reason, a std::string, which has its length.
template <typename M> inline SerializedMessage serializeServiceResponse(bool ok, const M &message)
{
    SerializedMessage made = detail::serialize_after(1, ok, message);
    made.buf[0] = ok ? 1 : 0;
    return made;
}

// Reads what begins at `from.message_start`. Throws StreamOverrunException.
template <typename M> inline void deserializeMessage(const SerializedMessage &from, M &message)
{
    const size_t before = static_cast<size_t>(from.message_start - from.buf.get());
    IStream stream(from.message_start, detail::in_32_bits(from.num_bytes - before));
    stream.next(message);
}

// What there is before a message is read into it.
template <typename M> struct PreDeserializeParams {
    boost::shared_ptr<M> message;
    boost::shared_ptr<std::map<std::string, std::string>> connection_header;
};

// Specialize it for a message that needs to know its connection.
template <typename M> struct PreDeserialize {
    static void notify(const PreDeserializeParams<M> &) {}
};

} // namespace serialization
} // namespace ros
