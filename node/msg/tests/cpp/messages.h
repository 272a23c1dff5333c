// What a message type says and does, as text: the same program, compiled against other headers, is to print the same. The test adds `fill` for each message
// type, which names its fields in the order of the definition, and a main that calls `show` for each.
#pragma once
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <new>
#include <ros/message_event.h>
#include <ros/serialization.h>
#include <ros/service_traits.h>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

// SplitMix64.
struct Random {
    uint64_t state;

    uint64_t next()
    {
        uint64_t mixed = (state += 0x9e3779b97f4a7c15ULL);
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
        return mixed ^ (mixed >> 31);
    }
};

template <class T> typename std::enable_if<std::is_integral<T>::value>::type fill(Random &random, T &to)
{
    to = static_cast<T>(random.next());
}

template <class T> typename std::enable_if<std::is_floating_point<T>::value>::type fill(Random &random, T &to)
{
    to = static_cast<T>(static_cast<int32_t>(random.next())) / 8;
}

inline void fill(Random &random, std::string &to)
{
    to.resize(random.next() % 9);
    for (char &letter : to) letter = static_cast<char>(random.next());
}

inline void fill(Random &random, ros::Time &to)
{
    to = ros::Time(static_cast<uint32_t>(random.next()), static_cast<uint32_t>(random.next() % 1000000000));
}

inline void fill(Random &random, ros::Duration &to)
{
    to = ros::Duration(static_cast<int32_t>(random.next()), static_cast<int32_t>(random.next() % 1000000000));
}

template <class T, class A> void fill(Random &random, std::vector<T, A> &to)
{
    to.resize(random.next() % 4);
    for (T &element : to) fill(random, element);
}

template <class T, size_t N> void fill(Random &random, boost::array<T, N> &to)
{
    for (T &element : to) fill(random, element);
}

inline std::string hex(const uint8_t *from, size_t count)
{
    std::ostringstream text;
    for (size_t i = 0; i < count; ++i) text << std::hex << std::setw(2) << std::setfill('0') << unsigned{from[i]};
    return text.str();
}

template <class M> std::vector<uint8_t> bytes(const M &message)
{
    const ros::SerializedMessage made = ros::serialization::serializeMessage(message);
    return std::vector<uint8_t>(made.message_start, made.buf.get() + made.num_bytes);
}

template <class M> bool reads(const std::vector<uint8_t> &from, M &to)
{
    // Of its exact size, so that reading on after the end is seen by tools that look for that.
    std::vector<uint8_t> exact(from);
    try {
        ros::serialization::IStream stream(exact.data(), static_cast<uint32_t>(exact.size()));
        stream >> to;
        return stream.getLength() == 0;
    } catch (const ros::serialization::StreamOverrunException &) {
        return false;
    }
}

template <class M> bool writes(const M &message, size_t room)
{
    std::vector<uint8_t> exact(room);
    try {
        ros::serialization::OStream stream(exact.data(), static_cast<uint32_t>(exact.size()));
        stream << message;
        return true;
    } catch (const ros::serialization::StreamOverrunException &) {
        return false;
    }
}

// With gencpp a message without fields has no ==, and one that has such a message in it has none that compiles. The test says which.
template <class M> struct HasEqual : std::true_type {};

template <class M> bool same(const M &a, const M &b, std::true_type) { return a == b && !(a != b); }
template <class M> bool same(const M &, const M &, std::false_type) { return true; }
template <class M> bool same(const M &a, const M &b) { return same(a, b, HasEqual<M>()); }

// How many of the beginnings of `from` are no message, and how many of the rooms that are too small for it are refused.
template <class M> void show_cut(const M &message, const std::vector<uint8_t> &from)
{
    size_t unread = 0, unwritten = 0;
    for (size_t count = 0; count < from.size(); ++count) {
        M cut;
        if (!reads(std::vector<uint8_t>(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count)), cut)) ++unread;
        if (!writes(message, count)) ++unwritten;
    }
    std::cout << "cut: " << unread << " " << unwritten << " of " << from.size() << "\n";
}

template <class M> void show_filled(uint64_t seed)
{
    M message;
    Random random{seed};
    fill(random, message);
    const ros::SerializedMessage made = ros::serialization::serializeMessage(message);
    const std::vector<uint8_t> wire = bytes(message);
    std::cout << made.num_bytes << " " << made.message_start - made.buf.get() << " "
              << ros::serialization::serializationLength(message) << "\n"
              << hex(made.buf.get(), made.num_bytes) << "\n"
              << message;
    // Into one that has something in it.
    M back;
    Random other{seed + 77};
    fill(other, back);
    const bool different = !same(back, message);
    const bool read = reads(wire, back);
    std::cout << read << same(back, message) << (bytes(back) == wire) << different << writes(message, wire.size()) << "\n";
    show_cut(message, wire);
}

template <class M> void show_traits(const M &message)
{
    namespace mt = ros::message_traits;
    std::cout << mt::datatype<M>() << " " << mt::datatype(message) << " " << mt::md5sum<M>() << " " << mt::md5sum(message)
              << std::hex << " " << uint64_t{mt::MD5Sum<M>::static_value1} << " " << uint64_t{mt::MD5Sum<M>::static_value2}
              << std::dec << "\n"
              << mt::isSimple<M>() << mt::isFixedSize<M>() << mt::hasHeader<M>() << mt::IsMessage<M>::value
              << mt::IsMessage<M const>::value << mt::IsFixedSize<M const>::value << mt::HasHeader<M const>::value
              << (mt::header(message) != nullptr) << (mt::frameId(message) != nullptr) << (mt::timeStamp(message) != nullptr)
              << "\n[" << mt::definition<M>() << "]" << (std::strcmp(mt::definition(message), mt::definition<M>()) == 0) << "\n";
    static_assert(std::is_same<typename M::Ptr, boost::shared_ptr<M>>::value, "Ptr");
    static_assert(std::is_same<typename M::ConstPtr, boost::shared_ptr<M const>>::value, "ConstPtr");
    static_assert(std::is_same<typename M::Type, M>::value, "Type");
}

// Made on bytes that are not zero: what is not set is seen.
template <class M> class Made {
public:
    template <class... Of> explicit Made(const Of &...of)
    {
        std::memset(place_, 0xa5, sizeof(M));
        made_ = new (place_) M(of...);
    }
    Made(const Made &) = delete;
    Made &operator=(const Made &) = delete;
    ~Made() { made_->~M(); }
    const M &operator*() const { return *made_; }

private:
    alignas(M) unsigned char place_[sizeof(M)];
    M *made_;
};

template <class M> void show(const char *name)
{
    std::cout << "==== " << name << "\n";
    const Made<M> empty;
    const Made<M> allocated{std::allocator<void>()};
    show_traits(*empty);
    std::cout << hex(bytes(*empty).data(), bytes(*empty).size()) << (bytes(*empty) == bytes(*allocated))
              << same(*empty, *allocated) << "\n"
              << *empty;
    for (uint64_t seed = 1; seed <= 3; ++seed) show_filled<M>(seed * 1000);
}

template <class S> void show_service(const char *name)
{
    namespace st = ros::service_traits;
    S service;
    std::cout << "==== " << name << "\n"
              << st::datatype<S>() << " " << st::md5sum<S>() << " " << st::datatype(service) << " " << st::md5sum(service) << "\n"
              << st::datatype(service.request) << " " << st::md5sum(service.request) << " " << st::datatype(service.response) << " "
              << st::md5sum(service.response) << "\n";
    static_assert(std::is_same<typename S::Request, typename S::RequestType>::value, "RequestType");
    static_assert(std::is_same<typename S::Response, typename S::ResponseType>::value, "ResponseType");
    Random random{5};
    fill(random, service.response);
    const ros::SerializedMessage good = ros::serialization::serializeServiceResponse(true, service.response);
    const ros::SerializedMessage bad = ros::serialization::serializeServiceResponse(false, std::string("no \"reason\""));
    std::cout << hex(good.buf.get(), good.num_bytes) << " " << hex(bad.buf.get(), bad.num_bytes) << "\n";
}

template <class T> typename std::enable_if<std::is_enum<T>::value>::type show_constant(const char *name, T value)
{
    std::cout << name << " = " << +static_cast<typename std::underlying_type<T>::type>(value) << " " << sizeof(T) << "\n";
}

template <class T> typename std::enable_if<std::is_arithmetic<T>::value>::type show_constant(const char *name, T value)
{
    std::cout << name << " = " << std::setprecision(20) << +value << std::setprecision(6) << " " << sizeof(T) << "\n";
}

inline void show_constant(const char *name, const std::string &value) { std::cout << name << " = [" << value << "]\n"; }
