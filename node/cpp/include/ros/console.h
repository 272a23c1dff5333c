// What the program says: ROS_INFO("%d", 1), ROS_WARN_STREAM("a" << 1) and the like (ros/detail/console_levels.h). Arguments are evaluated only if it
// is heard: if the level of its logger, `ros.PACKAGE` or `ros.PACKAGE.NAME`, is not above. A program sets levels by
// ros::console::set_logger_level, others by the node's service ~set_logger_level.
#pragma once
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <ros/console_backend.h>
#include <ros/detail/console_log.h>
#include <ros/macros.h>
#include <ros/time.h>
#include <sstream>
#include <string>

#define ROSCONSOLE_PRINTF_ATTRIBUTE(format, arguments) __attribute__((__format__(__printf__, format, arguments)))

#ifdef ROS_PACKAGE_NAME
#define ROSCONSOLE_PACKAGE_NAME ROS_PACKAGE_NAME
#else
#define ROSCONSOLE_PACKAGE_NAME "unknown_package"
#endif
#define ROSCONSOLE_ROOT_LOGGER_NAME "ros"
#define ROSCONSOLE_NAME_PREFIX ROSCONSOLE_ROOT_LOGGER_NAME "." ROSCONSOLE_PACKAGE_NAME
#define ROSCONSOLE_DEFAULT_NAME ROSCONSOLE_NAME_PREFIX

#define ROSCONSOLE_SEVERITY_DEBUG 0
#define ROSCONSOLE_SEVERITY_INFO 1
#define ROSCONSOLE_SEVERITY_WARN 2
#define ROSCONSOLE_SEVERITY_ERROR 3
#define ROSCONSOLE_SEVERITY_FATAL 4
#define ROSCONSOLE_SEVERITY_NONE 5
// What is below is not compiled.
#ifndef ROSCONSOLE_MIN_SEVERITY
#define ROSCONSOLE_MIN_SEVERITY ROSCONSOLE_SEVERITY_DEBUG
#endif

// There is nothing to begin.
#define ROSCONSOLE_AUTOINIT static_cast<void>(0)

#define ROS_LIKELY(x) __builtin_expect((x), 1)
#define ROS_UNLIKELY(x) __builtin_expect((x), 0)

namespace ros {
namespace console {

// For programs that say something before ros::init: nothing has to be done here.
inline void initialize() {}

// What a filter is shown, and may change.
struct FilterParams {
    const char *file;
    int line;
    const char *function;
    const char *message;

    void *logger; // as by getLogger
    Level level;
    std::string out_message; // takes the message's place if it is not empty
};

// Decides what is said, before a message is made and after. The logger must speak at a level that a filter changes to.
class FilterBase {
public:
    virtual ~FilterBase() {}
    virtual bool isEnabled() { return true; }
    virtual bool isEnabled(FilterParams &) { return true; }
};

// From which level on a logger speaks, and those below it that nobody has set. False: that is no level.
inline bool set_logger_level(const std::string &name, levels::Level level)
{
    if (level < levels::Debug || level > levels::Fatal) return false;
    detail::Log::get().set_level(name, level);
    return true;
}

// Levels are asked for each time: there is nobody to notify.
inline void notifyLoggerLevelsChanged() {}

// The loggers that this process has used or set.
inline bool get_loggers(std::map<std::string, levels::Level> &loggers)
{
    loggers = detail::Log::get().all_levels();
    return true;
}

inline void register_appender(LogAppender *appender) { detail::Log::get().add(appender); }
inline void deregister_appender(LogAppender *appender) { detail::Log::get().remove(appender); }

// The handle of a logger.
inline void *getLogger(const std::string &name) { return const_cast<std::string *>(detail::Log::get().logger(name)); }

namespace detail {

inline std::string formatted(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int len = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    if (len <= 0) return "";
    // The zero byte behind it too.
    std::string text(static_cast<size_t>(len) + 1, '\0');
    std::vsnprintf(&text[0], text.size(), format, arguments);
    text.pop_back();
    return text;
}

} // namespace detail

ROSCONSOLE_PRINTF_ATTRIBUTE(1, 2) inline std::string formatToString(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    std::string text = detail::formatted(format, arguments);
    va_end(arguments);
    return text;
}

namespace detail {

// Where in a source something is said.
struct Place {
    const char *file;
    int line;
    const char *function;
};

inline Logger &logger(const void *handle) { return *static_cast<Logger *>(handle); }

inline void say(FilterBase *filter, void *handle, Level level, const Place &place, const std::string &text)
{
    if (filter == nullptr) return Log::get().say(logger(handle), level, text, place.file, place.function, place.line);
    FilterParams params = {place.file, place.line, place.function, text.c_str(), handle, level, ""};
    if (!filter->isEnabled(params)) return;
    const std::string &said = params.out_message.empty() ? text : params.out_message;
    Log::get().say(logger(params.logger), params.level, said, place.file, place.function, place.line);
}

// When something was said last, in seconds of ros::Time.
class Throttle {
public:
    explicit Throttle(double last) : last_(last) {}

    // Whether it may be said again, which counts from now on. Always if time has gone back.
    bool is_due(double period)
    {
        const double now = Time::now().toSec();
        double last = last_;
        if (last + period > now && now >= last) return false;
        // Of threads that come at once one speaks.
        return last_.compare_exchange_strong(last, now);
    }

private:
    std::atomic<double> last_;
};

} // namespace detail

ROSCONSOLE_PRINTF_ATTRIBUTE(7, 8)
inline void print(FilterBase *filter, void *logger, Level level, const char *file, int line, const char *function, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const std::string text = detail::formatted(format, arguments);
    va_end(arguments);
    detail::say(filter, logger, level, {file, line, function}, text);
}

inline void print(FilterBase *filter, void *logger, Level level, const std::stringstream &text, const char *file, int line,
                  const char *function)
{
    detail::say(filter, logger, level, {file, line, function}, text.str());
}

// A place in a source where something is said, by one logger.
struct LogLocation {
    void *logger_;
    Level level_;
    bool logger_enabled_;
};

inline LogLocation locate(void *logger, Level level)
{
    return {logger, level, detail::Log::get().is_heard(detail::logger(logger), level)};
}

} // namespace console
} // namespace ros

// Afterwards __rosconsole_define_location__enabled says whether it is heard. `name` is evaluated the first time only, `cond` if it is heard.
#define ROSCONSOLE_DEFINE_LOCATION(cond, level, name)                                                                                               \
    static void *const __rosconsole_define_location__logger = ::ros::console::getLogger(name);                                                      \
    const ::ros::console::LogLocation __rosconsole_define_location__loc =                                                                           \
        ::ros::console::locate(__rosconsole_define_location__logger, level);                                                                        \
    const bool __rosconsole_define_location__enabled = __rosconsole_define_location__loc.logger_enabled_ && (cond)

#define ROSCONSOLE_PRINT_AT_LOCATION_WITH_FILTER(filter, ...)                                                                                       \
    ::ros::console::print(filter, __rosconsole_define_location__loc.logger_, __rosconsole_define_location__loc.level_, __FILE__, __LINE__,          \
                          __PRETTY_FUNCTION__, __VA_ARGS__)
#define ROSCONSOLE_PRINT_AT_LOCATION(...) ROSCONSOLE_PRINT_AT_LOCATION_WITH_FILTER(nullptr, __VA_ARGS__)

#define ROSCONSOLE_PRINT_STREAM_AT_LOCATION_WITH_FILTER(filter, args)                                                                               \
    do {                                                                                                                                            \
        std::stringstream __rosconsole_text__;                                                                                                      \
        __rosconsole_text__ << args;                                                                                                                \
        ::ros::console::print(filter, __rosconsole_define_location__loc.logger_, __rosconsole_define_location__loc.level_, __rosconsole_text__,     \
                              __FILE__, __LINE__, __PRETTY_FUNCTION__);                                                                             \
    } while (false)
#define ROSCONSOLE_PRINT_STREAM_AT_LOCATION(args) ROSCONSOLE_PRINT_STREAM_AT_LOCATION_WITH_FILTER(nullptr, args)

// Says it if `cond` is true, which is looked at only if the logger speaks at this level.
#define ROSCONSOLE_SAY_IF(cond, filter, level, name, ...)                                                                                           \
    do {                                                                                                                                            \
        ROSCONSOLE_DEFINE_LOCATION(cond, level, name);                                                                                              \
        if (ROS_UNLIKELY(__rosconsole_define_location__enabled)) ROSCONSOLE_PRINT_AT_LOCATION_WITH_FILTER(filter, __VA_ARGS__);                     \
    } while (false)
#define ROSCONSOLE_SAY_STREAM_IF(cond, filter, level, name, args)                                                                                   \
    do {                                                                                                                                            \
        ROSCONSOLE_DEFINE_LOCATION(cond, level, name);                                                                                              \
        if (ROS_UNLIKELY(__rosconsole_define_location__enabled)) ROSCONSOLE_PRINT_STREAM_AT_LOCATION_WITH_FILTER(filter, args);                     \
    } while (false)

// Each place in a source has a state of its own, that is there before anything is heard: a delay counts from the first time.
#define ROSCONSOLE_WITH_STATE(type, begin, say)                                                                                                     \
    do {                                                                                                                                            \
        static type __rosconsole_state__(begin);                                                                                                    \
        say;                                                                                                                                        \
    } while (false)

// For any level, by the logger of that whole name.
#define ROS_LOG_COND(cond, level, name, ...) ROSCONSOLE_SAY_IF(cond, nullptr, level, name, __VA_ARGS__)
#define ROS_LOG_STREAM_COND(cond, level, name, args) ROSCONSOLE_SAY_STREAM_IF(cond, nullptr, level, name, args)
#define ROS_LOG(level, name, ...) ROS_LOG_COND(true, level, name, __VA_ARGS__)
#define ROS_LOG_STREAM(level, name, args) ROS_LOG_STREAM_COND(true, level, name, args)

#define ROS_LOG_ONCE(level, name, ...)                                                                                                              \
    ROSCONSOLE_WITH_STATE(std::atomic<bool>, false, ROS_LOG_COND(!__rosconsole_state__.exchange(true), level, name, __VA_ARGS__))
#define ROS_LOG_STREAM_ONCE(level, name, args)                                                                                                      \
    ROSCONSOLE_WITH_STATE(std::atomic<bool>, false, ROS_LOG_STREAM_COND(!__rosconsole_state__.exchange(true), level, name, args))

#define ROS_LOG_THROTTLE(period, level, name, ...)                                                                                                  \
    ROSCONSOLE_WITH_STATE(::ros::console::detail::Throttle, 0.0,                                                                                    \
                          ROS_LOG_COND(__rosconsole_state__.is_due(period), level, name, __VA_ARGS__))
#define ROS_LOG_STREAM_THROTTLE(period, level, name, args)                                                                                          \
    ROSCONSOLE_WITH_STATE(::ros::console::detail::Throttle, 0.0,                                                                                    \
                          ROS_LOG_STREAM_COND(__rosconsole_state__.is_due(period), level, name, args))

#define ROS_LOG_DELAYED_THROTTLE(period, level, name, ...)                                                                                          \
    ROSCONSOLE_WITH_STATE(::ros::console::detail::Throttle, ::ros::Time::now().toSec(),                                                             \
                          ROS_LOG_COND(__rosconsole_state__.is_due(period), level, name, __VA_ARGS__))
#define ROS_LOG_STREAM_DELAYED_THROTTLE(period, level, name, args)                                                                                  \
    ROSCONSOLE_WITH_STATE(::ros::console::detail::Throttle, ::ros::Time::now().toSec(),                                                             \
                          ROS_LOG_STREAM_COND(__rosconsole_state__.is_due(period), level, name, args))

#define ROS_LOG_FILTER(filter, level, name, ...) ROSCONSOLE_SAY_IF((filter)->isEnabled(), filter, level, name, __VA_ARGS__)
#define ROS_LOG_STREAM_FILTER(filter, level, name, args) ROSCONSOLE_SAY_STREAM_IF((filter)->isEnabled(), filter, level, name, args)

#include <ros/detail/console_levels.h>
