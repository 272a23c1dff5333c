// MessageEvent, and what else of the headers no generated message shows. Compiled against roscpp's headers and against ours, it is to print the same.
#include <iostream>
#include <map>
#include <ros/datatypes.h>
#include <ros/exception.h>
#include <ros/macros.h>
#include <ros/message_event.h>
#include <ros/message_forward.h>
#include <ros/platform.h>
#include <ros/serialization.h>
#include <ros/service_traits.h>
#include <ros/static_assert.h>
#include <ros/types.h>
#include <type_traits>

namespace later {
ROS_DECLARE_MESSAGE(Message)
static MessageConstPtr none() { return MessageConstPtr(); }
}

// What the packages have besides generated headers.
#include <sensor_msgs/fill_image.h>
#include <sensor_msgs/image_encodings.h>
#include <sensor_msgs/point_cloud2_iterator.h>
#include <sensor_msgs/point_cloud_conversion.h>
#include <std_msgs/Header.h>
#include <std_msgs/String.h>
#include <std_msgs/builtin_bool.h>
#include <std_msgs/builtin_string.h>
#include <std_msgs/builtin_uint8.h>

namespace later {
template <class Allocator> struct Message_ {};
}

ROS_STATIC_ASSERT(sizeof(uint64_t) == 8);

using ros::MessageEvent;
using std_msgs::String;
typedef MessageEvent<String> Event;
typedef MessageEvent<String const> ConstEvent;

// A type of a node's own, as point clouds are.
struct Point {
    float x, y;
};

struct Mixed {
    std::vector<Point> points;
    boost::array<Point, 2> pair;
    std::vector<std::string> words;
    bool flag;
};

namespace ros {
namespace message_traits {
template <> struct IsSimple<Point> : public TrueType {};
template <> struct IsFixedSize<Point> : public TrueType {};
}
namespace serialization {
template <> struct Serializer<Point> {
    template <typename Stream, typename T> inline static void allInOne(Stream &stream, T t)
    {
        stream.next(t.x);
        stream.next(t.y);
    }
    ROS_DECLARE_ALLINONE_SERIALIZER
};

template <> struct Serializer<Mixed> {
    template <typename Stream, typename T> inline static void allInOne(Stream &stream, T t)
    {
        stream.next(t.points);
        stream.next(t.pair);
        stream.next(t.words);
        stream.next(t.flag);
    }
    ROS_DECLARE_ALLINONE_SERIALIZER
};

// Told before each message is read.
template <> struct PreDeserialize<Mixed> {
    static void notify(const PreDeserializeParams<Mixed> &params)
    {
        params.message->flag = params.connection_header->count("flag") > 0;
    }
};
}
}

ROS_IMPLEMENT_SIMPLE_TOPIC_TRAITS(Mixed, "0123", "own/Mixed", "no definition")

// One that answers for itself, as in the first versions of ROS.
struct Old {
    static std::string &text()
    {
        static std::string words = "old";
        return words;
    }
    static const std::string &__s_getMD5Sum() { return text(); }
    static const std::string &__s_getDataType() { return text(); }
    static const std::string &__s_getMessageDefinition() { return text(); }
    static const std::string &__s_getServerMD5Sum() { return text(); }
    static const std::string &__s_getServiceDataType() { return text(); }
    uint8_t *serialize(uint8_t *to, uint32_t) const { return *to = 42, to + 1; }
    uint8_t *deserialize(uint8_t *from) { return value = *from, from + 1; }
    uint32_t serializationLength() const { return 1; }
    uint8_t value = 0;
};

static void show_own()
{
    namespace ser = ros::serialization;
    namespace mt = ros::message_traits;
    Mixed mixed{{{1, 2}, {3, 4}}, {{{5, 6}, {7, 8}}}, {"a", "", "bc"}, true};
    std::vector<uint8_t> buffer(ser::serializationLength(mixed));
    ser::OStream out(buffer.data(), static_cast<uint32_t>(buffer.size()));
    ser::serialize(out, mixed);
    for (const uint8_t byte : buffer) std::cout << unsigned{byte} << " ";
    ser::IStream in(buffer.data(), static_cast<uint32_t>(buffer.size()));
    Mixed back{};
    ser::deserialize(in, back);
    std::cout << back.points[1].y << back.pair[1].x << back.words[2] << back.flag << in.getLength() << " " << (in.getData() - buffer.data())
              << "\n";
    std::cout << mt::md5sum<Mixed>() << mt::datatype(mixed) << mt::definition<const Mixed>() << mt::isSimple<Point>() << mt::isFixedSize<bool>()
              << mt::isSimple<bool>() << mt::isSimple<ros::Time>() << mt::hasHeader<Mixed>() << (mt::header(mixed) == nullptr) << "\n";
    std::cout << mt::md5sum<Old>() << mt::datatype<Old>() << mt::definition<Old>() << ros::service_traits::md5sum<Old>()
              << ros::service_traits::datatype<Old>() << ser::serializationLength(Old()) << "\n";
    ser::OStream old_out(buffer.data(), 1);
    ser::serialize(old_out, Old());
    std::cout << unsigned{buffer[0]} << "\n";
    ser::PreDeserializeParams<Mixed> params;
    params.message = boost::make_shared<Mixed>();
    params.connection_header = boost::make_shared<std::map<std::string, std::string>>();
    ser::PreDeserialize<Mixed>::notify(params);
    ser::PreDeserialize<String>::notify(ser::PreDeserializeParams<String>());
    std::cout << params.message->flag << "\n";
    std::cout << int{ser::IStream::stream_type} << int{ser::OStream::stream_type} << int{ser::LStream::stream_type} << int{ser::stream_types::Length} << "\n";
    ser::LStream length;
    std::cout << length.advance(5) << length.advance(7) << length.getLength() << "\n";
    std::vector<double> numbers{1, 2};
    std::cout << ser::serializationLength(numbers) << ser::serializationLength(std::string("abc")) << ser::serializationLength(true)
              << ser::VectorSerializer<double, std::allocator<void>>::serializedLength(numbers)
              << ser::ArraySerializer<Point, 2>::serializedLength(mixed.pair) << "\n";
}

static void show_packages()
{
    namespace mt = ros::message_traits;
    std::cout << mt::md5sum<std::string>() << mt::datatype<bool>() << mt::definition<uint8_t>() << "\n";
    sensor_msgs::PointCloud2 cloud;
    sensor_msgs::PointCloud2Modifier modifier(cloud);
    modifier.setPointCloud2FieldsByString(1, "xyz");
    modifier.resize(3);
    float value = 0;
    for (sensor_msgs::PointCloud2Iterator<float> x(cloud, "x"); x != x.end(); ++x) *x = value += 1;
    sensor_msgs::PointCloud points;
    std::cout << sensor_msgs::convertPointCloud2ToPointCloud(cloud, points) << points << sensor_msgs::image_encodings::BGR8 << "\n";
    sensor_msgs::Image image;
    const uint8_t pixels[6] = {1, 2, 3, 4, 5, 6};
    std::cout << sensor_msgs::fillImage(image, "rgb8", 1, 2, 6, pixels) << image;
}

static void show_event(const char *name, const Event &event, const boost::shared_ptr<String> &message)
{
    std::cout << name << " " << (event.getConstMessage() == message) << (event.getMessage() == message)
              << (event.getMessage() == event.getMessage()) << event.getMessage()->data << event.nonConstWillCopy()
              << event.getMessageWillCopy() << event.getReceiptTime() << event.getPublisherName()
              << (event.getConnectionHeaderPtr() != nullptr) << !event.getMessageFactory().empty() << "\n";
}

static void show_events()
{
    const boost::shared_ptr<String> message = boost::make_shared<String>();
    message->data = "said";
    const boost::shared_ptr<ros::M_string> header = boost::make_shared<ros::M_string>();
    (*header)["callerid"] = "/talker";
    const ConstEvent first(message, header, ros::Time(5, 6));
    std::cout << first.getPublisherName() << (first.getMessage() == message) << first.getMessageWillCopy() << first.nonConstWillCopy()
              << first.getConnectionHeader()["callerid"] << "\n";
    const Event copied(first);
    show_event("copied", copied, message);
    show_event("shared", Event(first, false), message);
    show_event("again", Event(copied, false), message);
    show_event("without", Event(message, ros::Time(1, 0)), message);
    show_event("all", Event(message, header, ros::Time(1, 0), false, ros::DefaultMessageCreator<String>()), message);
    const boost::shared_ptr<ros::M_string> nameless = boost::make_shared<ros::M_string>();
    show_event("nameless", Event(message, nameless, ros::Time(1, 0)), message);
    Event assigned;
    std::cout << (assigned.getConstMessage() == nullptr) << assigned.nonConstWillCopy() << assigned.getPublisherName() << "\n";
    assigned = first;
    show_event("assigned", assigned, message);
    assigned.getMessage()->data = "changed";
    assigned = copied;
    show_event("once more", assigned, message);
    const MessageEvent<void const> any(boost::shared_ptr<void const>(message), header, ros::Time(9, 0), false,
                                       MessageEvent<void const>::CreateFunction());
    show_event("from any", Event(any, ros::DefaultMessageCreator<String>()), message);
    std::cout << any.getPublisherName() << (any.getMessage() == message) << any.getMessageWillCopy() << "\n";
    ConstEvent a(message, ros::Time(1, 0)), b(message, ros::Time(2, 0)), c(a, false);
    std::cout << (a == a) << (a != a) << (a == b) << (a != b) << (a < b) << (b < a) << (a == c) << (c < a) << (a < c) << "\n";
    static_assert(std::is_convertible<boost::shared_ptr<String const>, ConstEvent>::value, "implicit, for message filters");
    static_assert(std::is_same<Event::ConstMessagePtr, ConstEvent::ConstMessagePtr>::value, "both point to const");
    ros::Time::setNow(ros::Time(77, 0));
    try {
        std::cout << Event(message).getReceiptTime() << "\n";
    } catch (const ros::Exception &) {
        std::cout << "no clock\n";
    }
    ros::Time::init();
    std::cout << (Event(message).getReceiptTime() > ros::Time(77, 0)) << "\n";
}

int main()
{
    show_own();
    show_packages();
    show_events();
    std::string value = "before";
    std::cout << ros::get_environment_variable(value, "SURELY_NOT_SET") << "[" << value << "]"
              << ros::get_environment_variable(value, "PATH") << value.empty() << (later::none() == nullptr) << "\n";
    try {
        throw ros::Exception("what it says");
    } catch (const std::runtime_error &error) {
        std::cout << error.what() << "\n";
    }
    static_assert(std::is_base_of<ros::Exception, ros::serialization::StreamOverrunException>::value, "");
}
