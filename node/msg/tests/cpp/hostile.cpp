// Input that lies about its lengths, and other things that roscpp's headers do not stand: ours alone. Prints a line for each thing that is not so.
#include <cstdlib>
#include <iostream>
#include <new>
#include <odd/Deep.h>
#include <odd/Empties.h>
#include <odd/Extremes.h>
#include <odd/Zero.h>
#include <sensor_msgs/JointState.h>
#include <sensor_msgs/PointCloud.h>
#include <sensor_msgs/PointCloud2.h>
#include <std_msgs/Float64MultiArray.h>
#include <std_msgs/String.h>

// Of a node's own, says nothing of itself, and takes no bytes.
struct Nothing {};

namespace ros {
namespace serialization {
template <> struct Serializer<Nothing> {
    template <typename Stream, typename T> static void allInOne(Stream &, T) {}
    ROS_DECLARE_ALLINONE_SERIALIZER
};
}
}

static size_t living = 0, highest = 0, failures = 0;
constexpr size_t front = alignof(std::max_align_t);

void *operator new(size_t count)
{
    char *const made = static_cast<char *>(std::malloc(front + count));
    if (!made) throw std::bad_alloc();
    new (made) size_t(count);
    living += count;
    if (living > highest) highest = living;
    return made + front;
}

void operator delete(void *gone) noexcept
{
    if (!gone) return;
    char *const made = static_cast<char *>(gone) - front;
    living -= *reinterpret_cast<size_t *>(made);
    std::free(made);
}

void operator delete(void *gone, size_t) noexcept { operator delete(gone); }

static void expect(bool so, const char *what)
{
    if (so) return;
    std::cout << "not so: " << what << "\n";
    ++failures;
}

typedef std::vector<uint8_t> Bytes;

template <class M> Bytes bytes(const M &message)
{
    const ros::SerializedMessage made = ros::serialization::serializeMessage(message);
    return Bytes(made.message_start, made.buf.get() + made.num_bytes);
}

template <class M> bool reads(Bytes from, M &to)
{
    ros::serialization::IStream stream(from.data(), static_cast<uint32_t>(from.size()));
    try {
        stream.next(to);
        return true;
    } catch (const ros::serialization::StreamOverrunException &) {
        return false;
    }
}

// Reading takes no more memory than in proportion to what there is to read.
template <class M> bool reads_modestly(const Bytes &from)
{
    highest = living;
    const size_t before = living;
    M message;
    const bool read = reads(from, message);
    expect(highest - before <= 1024 + 16 * from.size(), "memory is bounded by the input");
    return read;
}

struct Random {
    uint64_t state;

    uint32_t next()
    {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<uint32_t>(state >> 33);
    }
};

// Every 32 bits of the message in turn are a length that is too great, and then any bytes are anything.
template <class M> void lie(const M &message, const char *what)
{
    const Bytes good = bytes(message);
    expect(reads_modestly<M>(good), what);
    for (const uint32_t length : {0xffffffffu, 0x7fffffffu, 0x40000001u, 0x20000001u, static_cast<uint32_t>(good.size())}) {
        for (size_t at = 0; at + 4 <= good.size(); ++at) {
            Bytes bad = good;
            std::memcpy(bad.data() + at, &length, 4);
            reads_modestly<M>(bad);
        }
    }
    Random random{42};
    for (int round = 0; round < 2000; ++round) {
        Bytes bad = good;
        for (uint32_t changes = 1 + random.next() % 8; changes > 0; --changes) {
            bad[random.next() % bad.size()] = static_cast<uint8_t>(random.next());
        }
        bad.resize(random.next() % (bad.size() + 1));
        reads_modestly<M>(bad);
    }
}

template <class M> void refuse_length(const char *what)
{
    expect(!reads_modestly<M>(Bytes{0xff, 0xff, 0xff, 0xff, 1, 2, 3}), what);
}

static void lengths()
{
    namespace ser = ros::serialization;
    refuse_length<std::string>("a string is no longer than the input");
    refuse_length<Bytes>("as many bytes as there are");
    refuse_length<std::vector<double>>("as many doubles as there are");
    refuse_length<std::vector<ros::Time>>("as many times as there are");
    refuse_length<std::vector<geometry_msgs::Point32>>("as many messages of one size as there are");
    refuse_length<std::vector<std::string>>("as many strings as there are");
    refuse_length<std::vector<odd::Deep>>("as many messages as there are");
    refuse_length<odd::Empties>("messages of no bytes are limited too");
    refuse_length<std::vector<Nothing>>("whatever they say of themselves");
    expect(reads_modestly<std::vector<Nothing>>(Bytes{100, 0, 0, 0}), "but there are some");
    // 2^29 + 1 doubles are 8 bytes in 32 bits.
    expect(!reads_modestly<std::vector<double>>(Bytes{1, 0, 0, 0x20, 1, 2, 3, 4, 5, 6, 7, 8}), "lengths do not wrap");

    odd::Empties empties;
    empties.all.resize(60000);
    odd::Empties back;
    expect(reads(bytes(empties), back) && back.all.size() == 60000 && back == empties, "messages of no bytes are counted");
    empties.all.resize(70000);
    expect(!reads(bytes(empties), back), "and that is limited");

    odd::Deep deep;
    deep.parts.resize(3);
    deep.parts[1].names.assign(4, "name");
    odd::Deep more = deep;
    more.parts.resize(9);
    expect(reads(bytes(deep), more) && more == deep, "what was longer gets shorter");
    expect(reads(bytes(odd::Deep()), more) && more.parts.empty(), "and empty");

    Bytes none;
    ser::OStream stream(none.data(), 0);
    try {
        stream.next(uint8_t{1});
        expect(false, "there is no room");
    } catch (const ser::StreamOverrunException &) {
        expect(stream.getLength() == 0, "and nothing was written");
    }
    ser::LStream length;
    length.advance(0xfffffff0u);
    try {
        length.advance(0x10);
        expect(false, "2^32 bytes are no message");
    } catch (const ser::StreamOverrunException &) {
        expect(length.getLength() == 0xfffffff0u, "and are not counted");
    }
}

static void lies()
{
    sensor_msgs::PointCloud2 cloud;
    cloud.header.frame_id = "lidar";
    cloud.fields.resize(3);
    cloud.fields[0].name = "x";
    cloud.data.resize(100);
    lie(cloud, "a cloud is read");
    sensor_msgs::JointState joints;
    joints.name.assign(5, "joint");
    joints.position.resize(5);
    lie(joints, "joints are read");
    sensor_msgs::PointCloud points;
    points.points.resize(10);
    points.channels.resize(2);
    points.channels[1].values.resize(10);
    lie(points, "points are read");
    odd::Deep deep;
    deep.parts.resize(4);
    deep.parts[2].names.assign(3, "name");
    lie(deep, "what is deep is read");
}

static void odds()
{
    odd::Zero zero;
    const Bytes wire = bytes(zero);
    odd::Zero back;
    expect(wire.size() == 4 && reads(wire, back) && back == zero, "arrays of no elements");
    expect(int64_t{odd::Extremes::LEAST} == INT64_MIN, "the least");
    expect(uint64_t{odd::Extremes::MOST} == UINT64_MAX, "the greatest");
    expect(odd::Extremes::SMALL == -1 && sizeof(odd::Extremes::LEAST) == 8 && sizeof(odd::Extremes::MOST) == 8, "between");
    expect(odd::Extremes::ENDLESS > 1e308 && odd::Extremes::BELOW < -1e308 && odd::Extremes::NONE != odd::Extremes::NONE, "no numbers");
    expect(odd::Extremes::TEN == 10, "not eight");
    expect(odd::Extremes::QUESTION == "what?" "?=?" "?/ \\ \"so\" \xc3\xa9" "1", "any text");
    const std::string definition = ros::message_traits::definition<odd::Extremes>();
    expect(definition.find("# ?" "?/\n") != std::string::npos && definition.find(std::string(5000, 'x')) != std::string::npos,
           "any definition");
}

// The least that an allocator is, and it counts what it gave.
template <class T> struct Counting {
    typedef T value_type;

    explicit Counting(size_t *to) : count(to) {}
    template <class U> Counting(const Counting<U> &other) : count(other.count) {}
    T *allocate(size_t many)
    {
        *count += many;
        return static_cast<T *>(operator new(many * sizeof(T)));
    }
    void deallocate(T *gone, size_t) { operator delete(gone); }
    template <class U> bool operator==(const Counting<U> &other) const { return count == other.count; }
    template <class U> bool operator!=(const Counting<U> &other) const { return count != other.count; }

    size_t *count;
};

static void allocators()
{
    size_t count = 0;
    Counting<char> allocator(&count);
    std_msgs::String_<Counting<char>> own(allocator);
    own.data.assign(100, 'x');
    expect(count >= 100, "a string is from the message's allocator");
    std_msgs::String usual;
    expect(reads(bytes(own), usual) && usual.data == std::string(100, 'x') && reads(bytes(usual), own), "and reads the same");
    std_msgs::Float64MultiArray_<Counting<char>> numbers(allocator);
    count = 0;
    numbers.data.resize(50);
    expect(count == 50, "a vector is from the message's allocator");
    expect(bytes(numbers).size() == 4 + 4 + 4 + 400, "and is written");
}

int main()
{
    lengths();
    lies();
    odds();
    allocators();
    return failures == 0 ? 0 : 1;
}
