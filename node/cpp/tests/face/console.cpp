// What is said, by all macros: `console` on the terminal, before there is a node and with one; `console rosout` to others; `console listed`.
#include "check.h"
#include <ros/console.h>
#include <ros/init.h>
#include <ros/time.h>
#include <sstream>
#include <string>

using check::show;

namespace {

int evaluated = 0;
int once_more() { return ++evaluated; }
bool truth(bool value)
{
    ++evaluated;
    return value;
}

struct Filter : ros::console::FilterBase {
    bool isEnabled() override { return passes_before; }
    bool isEnabled(ros::console::FilterParams &params) override
    {
        seen = params.message;
        params.level = ros::console::levels::Warn;
        params.out_message = changed;
        return passes_after;
    }
    bool passes_before = true, passes_after = true;
    std::string seen, changed;
};

struct Appender : ros::console::LogAppender {
    void log(ros::console::Level level, const char *text, const char *, const char *, int) override
    {
        lines.push_back(std::to_string(level) + " " + text);
    }
    std::vector<std::string> lines;
};

// Both streams are one here: what goes to which is looked at by the runner.
#define ALL_OF(LEVEL)                                                                                                  \
    do {                                                                                                               \
        ROS_##LEVEL("plain %d %s", once_more(), "text");                                                               \
        ROS_##LEVEL("without arguments");                                                                              \
        ROS_##LEVEL##_NAMED("part", "named %d", once_more());                                                          \
        ROS_##LEVEL##_STREAM("stream " << once_more() << ' ' << 0.5);                                                  \
        ROS_##LEVEL##_STREAM_NAMED("part", "named stream " << once_more());                                            \
        ROS_##LEVEL##_COND(truth(true), "cond %d", once_more());                                                       \
        ROS_##LEVEL##_COND(truth(false), "not said %d", once_more());                                                  \
        ROS_##LEVEL##_COND_NAMED(truth(true), "part", "named cond");                                                   \
        ROS_##LEVEL##_STREAM_COND(truth(true), "stream cond " << once_more());                                         \
        ROS_##LEVEL##_STREAM_COND(truth(false), "not said " << once_more());                                           \
        ROS_##LEVEL##_STREAM_COND_NAMED(truth(true), "part", "named stream cond");                                     \
        Filter filter;                                                                                                 \
        ROS_##LEVEL##_FILTER(&filter, "filter %d", once_more());                                                       \
        filter.changed = "changed";                                                                                    \
        ROS_##LEVEL##_FILTER_NAMED(&filter, "part", "filter %d", once_more());                                         \
        ROS_##LEVEL##_STREAM_FILTER(&filter, "stream filter " << once_more());                                         \
        filter.passes_after = false;                                                                                   \
        ROS_##LEVEL##_STREAM_FILTER_NAMED(&filter, "part", "stopped after " << once_more());                           \
        std::cout << "seen " << filter.seen << std::endl;                                                              \
        filter.passes_before = false;                                                                                  \
        ROS_##LEVEL##_FILTER(&filter, "stopped before %d", once_more());                                               \
        for (int at = 0; at < 3; ++at) {                                                                               \
            ROS_##LEVEL##_ONCE("once %d", once_more());                                                                \
            ROS_##LEVEL##_ONCE_NAMED("part", "named once %d", once_more());                                            \
            ROS_##LEVEL##_STREAM_ONCE("stream once " << once_more());                                                  \
            ROS_##LEVEL##_STREAM_ONCE_NAMED("part", "named stream once " << once_more());                              \
            ROS_##LEVEL##_THROTTLE(1000, "throttle %d", once_more());                                                  \
            ROS_##LEVEL##_THROTTLE_NAMED(1000, "part", "named throttle %d", once_more());                              \
            ROS_##LEVEL##_STREAM_THROTTLE(1000, "stream throttle " << once_more());                                    \
            ROS_##LEVEL##_STREAM_THROTTLE_NAMED(1000, "part", "named stream throttle " << once_more());                \
            ROS_##LEVEL##_DELAYED_THROTTLE(1000, "too soon %d", once_more());                                          \
            ROS_##LEVEL##_DELAYED_THROTTLE_NAMED(1000, "part", "too soon %d", once_more());                            \
            ROS_##LEVEL##_STREAM_DELAYED_THROTTLE(1000, "too soon " << once_more());                                   \
            ROS_##LEVEL##_STREAM_DELAYED_THROTTLE_NAMED(1000, "part", "too soon " << once_more());                     \
        }                                                                                                              \
        std::cout << #LEVEL " evaluated " << evaluated << std::endl;                                                   \
    } while (false)

void all_levels()
{
    ALL_OF(DEBUG);
    ALL_OF(INFO);
    ALL_OF(WARN);
    ALL_OF(ERROR);
    ALL_OF(FATAL);
}

// By simulated time, in steps of a second.
void throttled()
{
    for (uint32_t second : {100, 101, 102, 103, 104, 105, 50, 51, 200}) {
        ros::Time::setNow(ros::Time(second, 0));
        ROS_INFO_THROTTLE(2, "each two at %u", second);
        ROS_INFO_STREAM_DELAYED_THROTTLE(3, "each three at " << second);
    }
    ros::Time::init();
}

void set(const std::string &logger, ros::console::levels::Level level)
{
    show("set " + logger, ros::console::set_logger_level(logger, level));
    ros::console::notifyLoggerLevelsChanged();
}

void speak()
{
    ROS_DEBUG("default debug");
    ROS_INFO("default info");
    ROS_ERROR("default error");
    ROS_DEBUG_NAMED("a", "a debug");
    ROS_INFO_NAMED("a", "a info");
    ROS_DEBUG_NAMED("a.b", "a.b debug");
    ROS_INFO_NAMED(std::string("c"), "c info");
    ROS_LOG(ros::console::levels::Info, "ros.other", "another logger's %d", 1);
    ROS_LOG_STREAM(ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME ".a", "whole " << "name");
    ROS_LOG_COND(true, ros::console::levels::Warn, ROSCONSOLE_ROOT_LOGGER_NAME, "root");
}

void by_level()
{
    using namespace ros::console;
    speak();
    set(ROSCONSOLE_DEFAULT_NAME, levels::Error);
    speak();
    set(ROSCONSOLE_DEFAULT_NAME ".a", levels::Debug);
    speak();
    set(ROSCONSOLE_DEFAULT_NAME ".a.b", levels::Info);
    set(ROSCONSOLE_DEFAULT_NAME, levels::Debug);
    speak();
    set(ROSCONSOLE_DEFAULT_NAME, levels::Info);
    set(ROSCONSOLE_DEFAULT_NAME ".a", levels::Info);
}

// Debian's roscpp crashes in get_loggers: ours alone.
void listed()
{
    using namespace ros::console;
    speak();
    set(ROSCONSOLE_DEFAULT_NAME ".a", levels::Debug);
    set(ROSCONSOLE_DEFAULT_NAME ".never_used", levels::Fatal);
    show("no level", set_logger_level("ros", levels::Count));
    std::map<std::string, levels::Level> loggers;
    show("loggers", get_loggers(loggers));
    for (const auto &logger : loggers) {
        show("  " + logger.first, static_cast<int>(logger.second));
    }
}

void appended()
{
    Appender appender;
    ros::console::register_appender(&appender);
    ROS_WARN("appended %s", "too");
    ROS_DEBUG("not heard");
    ros::console::deregister_appender(&appender);
    ROS_WARN("not appended");
    show("appended", appender.lines);
}

void long_and_short()
{
    ROS_INFO("%s", std::string(3000, 'y').c_str());
    ROS_INFO("%s", "");
    ROS_INFO("two\nlines");
    ROS_INFO_STREAM("a stream's " << std::hex << 255 << " <&>");
}

// Before there is a node and with one.
void on_terminal(int argc, char **argv)
{
    ros::Time::init();
    all_levels();
    throttled();
    by_level();
    long_and_short();
    appended();
    set(ROSCONSOLE_DEFAULT_NAME ".later", ros::console::levels::Fatal);
    ros::init(argc, argv, "speaker", ros::init_options::NoSigintHandler);
    ros::start();
    show("with a node", true);
    all_levels();
    by_level();
    long_and_short();
    ROS_ERROR_NAMED("later", "not heard: it was set before there was a node");
    ROS_FATAL_NAMED("later", "heard");
    ros::shutdown();
}

struct Speaker {
    template <typename T> void speak(const T &text) const { ROS_WARN_STREAM(text); }
    static std::string name()
    {
        ROS_ERROR("of a class");
        return "name";
    }
};

// What others get at /rosout, once somebody says `go`.
void to_others(int argc, char **argv)
{
    ros::init(argc, argv, "speaker", ros::init_options::NoSigintHandler);
    ros::start();
    for (std::string line; std::getline(std::cin, line) && line != "go";) ROS_INFO("probe");
    ROS_WARN("a warning, %d", 1);
    ROS_ERROR_STREAM_NAMED("part", "an error " << 2);
    ROS_DEBUG("not heard");
    set(ROSCONSOLE_DEFAULT_NAME, ros::console::levels::Debug);
    ROS_DEBUG("heard");
    Speaker().speak("of a template");
    [] { ROS_INFO("of a lambda"); }();
    Speaker::name();
    ROS_FATAL("the last");
    std::string line;
    std::getline(std::cin, line);
    ros::shutdown();
}

} // namespace

int main(int argc, char **argv)
{
    const std::string role = argc > 1 ? argv[1] : "";
    if (role == "listed") listed();
    else if (role == "rosout") to_others(argc, argv);
    else on_terminal(argc, argv);
    return 0;
}
