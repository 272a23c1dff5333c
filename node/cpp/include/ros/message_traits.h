// What is known of a message type while compiling: name, md5sum, definition, whether it has a header, whether all its values
// have the same length. Generated headers specialize these; a type of your own may as well.
#pragma once
#include <ros/message_forward.h>
#include <ros/time.h>
#include <ros/types.h>
#include <string>
#include <type_traits>

namespace std_msgs {
ROS_DECLARE_MESSAGE(Header)
}

#define ROS_IMPLEMENT_SIMPLE_TOPIC_TRAITS(msg, md5sum, datatype, definition)                                           \
    namespace ros {                                                                                                    \
    namespace message_traits {                                                                                         \
    template <> struct MD5Sum<msg> {                                                                                   \
        static const char *value() { return md5sum; }                                                                  \
        static const char *value(const msg &) { return value(); }                                                      \
    };                                                                                                                 \
    template <> struct DataType<msg> {                                                                                 \
        static const char *value() { return datatype; }                                                                \
        static const char *value(const msg &) { return value(); }                                                      \
    };                                                                                                                 \
    template <> struct Definition<msg> {                                                                               \
        static const char *value() { return definition; }                                                              \
        static const char *value(const msg &) { return value(); }                                                      \
    };                                                                                                                 \
    }                                                                                                                  \
    }

namespace ros {
namespace message_traits {

struct TrueType {
    static const bool value = true;
    typedef TrueType type;
};

struct FalseType {
    static const bool value = false;
    typedef FalseType type;
};

// Its bytes in memory are its bytes on the wire.
template <typename M> struct IsSimple : FalseType {};
// Each value takes the same number of bytes on the wire.
template <typename M> struct IsFixedSize : FalseType {};
// Its first field is `std_msgs/Header header`.
template <typename M> struct HasHeader : FalseType {};
template <typename M> struct IsMessage : FalseType {};

// 32 hexadecimal digits. As for the next two: what is not specialized is asked itself.
template <typename M> struct MD5Sum {
    static const char *value() { return M::__s_getMD5Sum().c_str(); }
    static const char *value(const M &m) { return m.__getMD5Sum().c_str(); }
};

// `PACKAGE/NAME`.
template <typename M> struct DataType {
    static const char *value() { return M::__s_getDataType().c_str(); }
    static const char *value(const M &m) { return m.__getDataType().c_str(); }
};

// The text of the definition and of all that it uses.
template <typename M> struct Definition {
    static const char *value() { return M::__s_getMessageDefinition().c_str(); }
    static const char *value(const M &m) { return m.__getMessageDefinition().c_str(); }
};

namespace detail {

template <typename M> using Plain = typename std::remove_const<typename std::remove_reference<M>::type>::type;
template <typename M> using WithHeader = typename std::enable_if<HasHeader<M>::value>::type;

// Pointers to what a message without a header does not have.
template <typename M, typename Part> struct None {
    static Part *pointer(Plain<M> &) { return nullptr; }
    static const Part *pointer(const M &) { return nullptr; }
};

} // namespace detail

// Pointers into the message's header; null if it has none.
template <typename M, typename Enable = void> struct Header : detail::None<M, std_msgs::Header> {};
template <typename M, typename Enable = void> struct FrameId : detail::None<M, std::string> {};
template <typename M, typename Enable = void> struct TimeStamp : detail::None<M, ros::Time> {};

template <typename M> struct Header<M, detail::WithHeader<M>> {
    static std_msgs::Header *pointer(detail::Plain<M> &m) { return &m.header; }
    static const std_msgs::Header *pointer(const M &m) { return &m.header; }
};

template <typename M> struct FrameId<M, detail::WithHeader<M>> {
    static std::string *pointer(detail::Plain<M> &m) { return &m.header.frame_id; }
    static const std::string *pointer(const M &m) { return &m.header.frame_id; }
    static std::string value(const M &m) { return m.header.frame_id; }
};

template <typename M> struct TimeStamp<M, detail::WithHeader<M>> {
    static ros::Time *pointer(detail::Plain<M> &m) { return &m.header.stamp; }
    static const ros::Time *pointer(const M &m) { return &m.header.stamp; }
    static ros::Time value(const M &m) { return m.header.stamp; }
};

template <typename M> const char *md5sum() { return MD5Sum<detail::Plain<M>>::value(); }
template <typename M> const char *md5sum(const M &m) { return MD5Sum<detail::Plain<M>>::value(m); }
template <typename M> const char *datatype() { return DataType<detail::Plain<M>>::value(); }
template <typename M> const char *datatype(const M &m) { return DataType<detail::Plain<M>>::value(m); }
template <typename M> const char *definition() { return Definition<detail::Plain<M>>::value(); }
template <typename M> const char *definition(const M &m) { return Definition<detail::Plain<M>>::value(m); }

template <typename M> std_msgs::Header *header(M &m) { return Header<detail::Plain<M>>::pointer(m); }
template <typename M> const std_msgs::Header *header(const M &m) { return Header<detail::Plain<M>>::pointer(m); }
template <typename M> std::string *frameId(M &m) { return FrameId<detail::Plain<M>>::pointer(m); }
template <typename M> const std::string *frameId(const M &m) { return FrameId<detail::Plain<M>>::pointer(m); }
template <typename M> ros::Time *timeStamp(M &m) { return TimeStamp<detail::Plain<M>>::pointer(m); }
template <typename M> const ros::Time *timeStamp(const M &m) { return TimeStamp<detail::Plain<M>>::pointer(m); }

template <typename M> bool isSimple() { return IsSimple<detail::Plain<M>>::value; }
template <typename M> bool isFixedSize() { return IsFixedSize<detail::Plain<M>>::value; }
template <typename M> bool hasHeader() { return HasHeader<detail::Plain<M>>::value; }

} // namespace message_traits
} // namespace ros
