// Headers that few programs need.
#include "check.h"
#include <boost/date_time/posix_time/posix_time.hpp>
#include <ros/console.h>
#include <ros/cpp_common_decl.h>
#include <ros/debug.h>
#include <ros/header.h>
#include <ros/init.h>
#include <ros/rostime_decl.h>
#include <ros/time.h>
#include <roscpp/Empty.h>
#include <std_msgs/builtin_bool.h>
#include <std_msgs/builtin_double.h>
#include <std_msgs/builtin_float.h>
#include <std_msgs/builtin_int16.h>
#include <std_msgs/builtin_int32.h>
#include <std_msgs/builtin_int64.h>
#include <std_msgs/builtin_int8.h>
#include <std_msgs/builtin_string.h>
#include <std_msgs/builtin_uint16.h>
#include <std_msgs/builtin_uint32.h>
#include <std_msgs/builtin_uint64.h>
#include <std_msgs/builtin_uint8.h>

using check::show;

namespace {

template <typename T> void builtin(const char *label)
{
    show(label, std::string(ros::message_traits::datatype<T>()) + " " + ros::message_traits::md5sum<T>());
    show("  definition", std::string(ros::message_traits::definition<T>()).find("data") != std::string::npos);
}

void builtins()
{
    builtin<bool>("bool");
    builtin<double>("double");
    builtin<float>("float");
    builtin<int8_t>("int8");
    builtin<int16_t>("int16");
    builtin<int32_t>("int32");
    builtin<int64_t>("int64");
    builtin<uint8_t>("uint8");
    builtin<uint16_t>("uint16");
    builtin<uint32_t>("uint32");
    builtin<uint64_t>("uint64");
    builtin<std::string>("string");
}

bool parses(std::string bytes)
{
    ros::Header header;
    std::string error;
    const bool done = header.parse(reinterpret_cast<uint8_t *>(&bytes[0]), static_cast<uint32_t>(bytes.size()), error);
    show("  fields", *header.getValues());
    return done && error.empty();
}

void headers()
{
    boost::shared_array<uint8_t> buffer;
    uint32_t size = 0;
    ros::Header::write({{"topic", "/a"}, {"empty", ""}, {"two", "x=y"}}, buffer, size);
    const std::string bytes(reinterpret_cast<char *>(buffer.get()), size);
    show("written", bytes.size());
    show("read", parses(bytes));
    ros::Header header;
    std::string error, value;
    show("read in a shared array", header.parse(buffer, size, error));
    show("there", header.getValue("two", value));
    show("value", value);
    show("not there", header.getValue("three", value));
    show("cut in a length", parses(bytes.substr(0, 2)));
    show("too long", parses(std::string("\xff\xff\xff\x7f" "a=b", 7)));
    show("no equals sign", parses(std::string("\x03\0\0\0abc", 7)));
}

} // namespace

int main(int argc, char **argv)
{
    ros::console::initialize();
    builtins();
    headers();
    for (const char *const name : {"__name", "a", "b", "none"}) show(name, ros::getROSArg(argc, argv, name));
    ros::V_string left;
    ros::removeROSArgs(argc, argv, left);
    show("left", std::vector<std::string>(left.begin() + 1, left.end()));
    show("seconds", ros::Time::fromBoost(boost::posix_time::seconds(3)));
    show("milliseconds", ros::Time::fromBoost(boost::posix_time::milliseconds(1500)));
    show("hours", ros::Time::fromBoost(boost::posix_time::hours(1)));
    show("a day", ros::Time::fromBoost(boost::posix_time::ptime(boost::gregorian::date(2020, 1, 1))));
    show("demangled", ros::debug::demangleName("_ZN3ros4initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"));
    show("somewhere", !ros::debug::getBacktrace().empty());
    show("empty", std::string(ros::service_traits::md5sum<roscpp::Empty>()) + ros::service_traits::datatype<roscpp::Empty>());
}
