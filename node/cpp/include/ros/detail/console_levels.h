// ROS_<LEVEL>..., for each level: what the program says, by ros/console.h's ROS_LOG... . Those below ROSCONSOLE_MIN_SEVERITY are nothing.
//
//   _STREAM                   the text as one writes it to a stream, instead of a format and its arguments
//   _COND(condition)          if it is true
//   _ONCE                     the first time
//   _THROTTLE(period)         at most once in so many seconds
//   _DELAYED_THROTTLE(period) the same, and not before so many seconds have gone by
//   _FILTER(filter)           if a FilterBase lets it pass
//   _NAMED(name)              by the logger of that name below the package's
#pragma once

#define ROSCONSOLE_BELOW(name) (std::string(ROSCONSOLE_NAME_PREFIX) + "." + name)

#if ROSCONSOLE_MIN_SEVERITY > ROSCONSOLE_SEVERITY_DEBUG
#define ROSCONSOLE_IF_DEBUG(...)
#else
#define ROSCONSOLE_IF_DEBUG(...) __VA_ARGS__
#endif
#define ROS_DEBUG(...) ROSCONSOLE_IF_DEBUG(ROS_LOG(::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_DEBUG_NAMED(name, ...) ROSCONSOLE_IF_DEBUG(ROS_LOG(::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_DEBUG_STREAM(args) ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM(::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_DEBUG_STREAM_NAMED(name, args) ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM(::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), args))
#define ROS_DEBUG_COND(cond, ...) ROSCONSOLE_IF_DEBUG(ROS_LOG_COND(cond, ::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_DEBUG_COND_NAMED(cond, name, ...)                                                                                                        \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_COND(cond, ::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_DEBUG_STREAM_COND(cond, args) ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM_COND(cond, ::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_DEBUG_STREAM_COND_NAMED(cond, name, args)                                                                                                \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM_COND(cond, ::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), args))
#define ROS_DEBUG_ONCE(...) ROSCONSOLE_IF_DEBUG(ROS_LOG_ONCE(::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_DEBUG_ONCE_NAMED(name, ...) ROSCONSOLE_IF_DEBUG(ROS_LOG_ONCE(::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_DEBUG_STREAM_ONCE(args) ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM_ONCE(::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_DEBUG_STREAM_ONCE_NAMED(name, args) ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM_ONCE(::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), args))
#define ROS_DEBUG_THROTTLE(period, ...)                                                                                                              \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_THROTTLE(period, ::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_DEBUG_THROTTLE_NAMED(period, name, ...)                                                                                                  \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_THROTTLE(period, ::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_DEBUG_STREAM_THROTTLE(period, args)                                                                                                      \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM_THROTTLE(period, ::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_DEBUG_STREAM_THROTTLE_NAMED(period, name, args)                                                                                          \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM_THROTTLE(period, ::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), args))
#define ROS_DEBUG_DELAYED_THROTTLE(period, ...)                                                                                                      \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_DELAYED_THROTTLE(period, ::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_DEBUG_DELAYED_THROTTLE_NAMED(period, name, ...)                                                                                          \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_DELAYED_THROTTLE(period, ::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_DEBUG_STREAM_DELAYED_THROTTLE(period, args)                                                                                              \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM_DELAYED_THROTTLE(period, ::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_DEBUG_STREAM_DELAYED_THROTTLE_NAMED(period, name, args)                                                                                  \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM_DELAYED_THROTTLE(period, ::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), args))
#define ROS_DEBUG_FILTER(filter, ...) ROSCONSOLE_IF_DEBUG(ROS_LOG_FILTER(filter, ::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_DEBUG_FILTER_NAMED(filter, name, ...)                                                                                                    \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_FILTER(filter, ::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_DEBUG_STREAM_FILTER(filter, args)                                                                                                        \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM_FILTER(filter, ::ros::console::levels::Debug, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_DEBUG_STREAM_FILTER_NAMED(filter, name, args)                                                                                            \
    ROSCONSOLE_IF_DEBUG(ROS_LOG_STREAM_FILTER(filter, ::ros::console::levels::Debug, ROSCONSOLE_BELOW(name), args))

#if ROSCONSOLE_MIN_SEVERITY > ROSCONSOLE_SEVERITY_INFO
#define ROSCONSOLE_IF_INFO(...)
#else
#define ROSCONSOLE_IF_INFO(...) __VA_ARGS__
#endif
#define ROS_INFO(...) ROSCONSOLE_IF_INFO(ROS_LOG(::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_INFO_NAMED(name, ...) ROSCONSOLE_IF_INFO(ROS_LOG(::ros::console::levels::Info, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_INFO_STREAM(args) ROSCONSOLE_IF_INFO(ROS_LOG_STREAM(::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_INFO_STREAM_NAMED(name, args) ROSCONSOLE_IF_INFO(ROS_LOG_STREAM(::ros::console::levels::Info, ROSCONSOLE_BELOW(name), args))
#define ROS_INFO_COND(cond, ...) ROSCONSOLE_IF_INFO(ROS_LOG_COND(cond, ::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_INFO_COND_NAMED(cond, name, ...) ROSCONSOLE_IF_INFO(ROS_LOG_COND(cond, ::ros::console::levels::Info, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_INFO_STREAM_COND(cond, args) ROSCONSOLE_IF_INFO(ROS_LOG_STREAM_COND(cond, ::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_INFO_STREAM_COND_NAMED(cond, name, args)                                                                                                 \
    ROSCONSOLE_IF_INFO(ROS_LOG_STREAM_COND(cond, ::ros::console::levels::Info, ROSCONSOLE_BELOW(name), args))
#define ROS_INFO_ONCE(...) ROSCONSOLE_IF_INFO(ROS_LOG_ONCE(::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_INFO_ONCE_NAMED(name, ...) ROSCONSOLE_IF_INFO(ROS_LOG_ONCE(::ros::console::levels::Info, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_INFO_STREAM_ONCE(args) ROSCONSOLE_IF_INFO(ROS_LOG_STREAM_ONCE(::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_INFO_STREAM_ONCE_NAMED(name, args) ROSCONSOLE_IF_INFO(ROS_LOG_STREAM_ONCE(::ros::console::levels::Info, ROSCONSOLE_BELOW(name), args))
#define ROS_INFO_THROTTLE(period, ...)                                                                                                               \
    ROSCONSOLE_IF_INFO(ROS_LOG_THROTTLE(period, ::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_INFO_THROTTLE_NAMED(period, name, ...)                                                                                                   \
    ROSCONSOLE_IF_INFO(ROS_LOG_THROTTLE(period, ::ros::console::levels::Info, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_INFO_STREAM_THROTTLE(period, args)                                                                                                       \
    ROSCONSOLE_IF_INFO(ROS_LOG_STREAM_THROTTLE(period, ::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_INFO_STREAM_THROTTLE_NAMED(period, name, args)                                                                                           \
    ROSCONSOLE_IF_INFO(ROS_LOG_STREAM_THROTTLE(period, ::ros::console::levels::Info, ROSCONSOLE_BELOW(name), args))
#define ROS_INFO_DELAYED_THROTTLE(period, ...)                                                                                                       \
    ROSCONSOLE_IF_INFO(ROS_LOG_DELAYED_THROTTLE(period, ::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_INFO_DELAYED_THROTTLE_NAMED(period, name, ...)                                                                                           \
    ROSCONSOLE_IF_INFO(ROS_LOG_DELAYED_THROTTLE(period, ::ros::console::levels::Info, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_INFO_STREAM_DELAYED_THROTTLE(period, args)                                                                                               \
    ROSCONSOLE_IF_INFO(ROS_LOG_STREAM_DELAYED_THROTTLE(period, ::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_INFO_STREAM_DELAYED_THROTTLE_NAMED(period, name, args)                                                                                   \
    ROSCONSOLE_IF_INFO(ROS_LOG_STREAM_DELAYED_THROTTLE(period, ::ros::console::levels::Info, ROSCONSOLE_BELOW(name), args))
#define ROS_INFO_FILTER(filter, ...) ROSCONSOLE_IF_INFO(ROS_LOG_FILTER(filter, ::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_INFO_FILTER_NAMED(filter, name, ...)                                                                                                     \
    ROSCONSOLE_IF_INFO(ROS_LOG_FILTER(filter, ::ros::console::levels::Info, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_INFO_STREAM_FILTER(filter, args)                                                                                                         \
    ROSCONSOLE_IF_INFO(ROS_LOG_STREAM_FILTER(filter, ::ros::console::levels::Info, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_INFO_STREAM_FILTER_NAMED(filter, name, args)                                                                                             \
    ROSCONSOLE_IF_INFO(ROS_LOG_STREAM_FILTER(filter, ::ros::console::levels::Info, ROSCONSOLE_BELOW(name), args))

#if ROSCONSOLE_MIN_SEVERITY > ROSCONSOLE_SEVERITY_WARN
#define ROSCONSOLE_IF_WARN(...)
#else
#define ROSCONSOLE_IF_WARN(...) __VA_ARGS__
#endif
#define ROS_WARN(...) ROSCONSOLE_IF_WARN(ROS_LOG(::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_WARN_NAMED(name, ...) ROSCONSOLE_IF_WARN(ROS_LOG(::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_WARN_STREAM(args) ROSCONSOLE_IF_WARN(ROS_LOG_STREAM(::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_WARN_STREAM_NAMED(name, args) ROSCONSOLE_IF_WARN(ROS_LOG_STREAM(::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), args))
#define ROS_WARN_COND(cond, ...) ROSCONSOLE_IF_WARN(ROS_LOG_COND(cond, ::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_WARN_COND_NAMED(cond, name, ...) ROSCONSOLE_IF_WARN(ROS_LOG_COND(cond, ::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_WARN_STREAM_COND(cond, args) ROSCONSOLE_IF_WARN(ROS_LOG_STREAM_COND(cond, ::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_WARN_STREAM_COND_NAMED(cond, name, args)                                                                                                 \
    ROSCONSOLE_IF_WARN(ROS_LOG_STREAM_COND(cond, ::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), args))
#define ROS_WARN_ONCE(...) ROSCONSOLE_IF_WARN(ROS_LOG_ONCE(::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_WARN_ONCE_NAMED(name, ...) ROSCONSOLE_IF_WARN(ROS_LOG_ONCE(::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_WARN_STREAM_ONCE(args) ROSCONSOLE_IF_WARN(ROS_LOG_STREAM_ONCE(::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_WARN_STREAM_ONCE_NAMED(name, args) ROSCONSOLE_IF_WARN(ROS_LOG_STREAM_ONCE(::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), args))
#define ROS_WARN_THROTTLE(period, ...)                                                                                                               \
    ROSCONSOLE_IF_WARN(ROS_LOG_THROTTLE(period, ::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_WARN_THROTTLE_NAMED(period, name, ...)                                                                                                   \
    ROSCONSOLE_IF_WARN(ROS_LOG_THROTTLE(period, ::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_WARN_STREAM_THROTTLE(period, args)                                                                                                       \
    ROSCONSOLE_IF_WARN(ROS_LOG_STREAM_THROTTLE(period, ::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_WARN_STREAM_THROTTLE_NAMED(period, name, args)                                                                                           \
    ROSCONSOLE_IF_WARN(ROS_LOG_STREAM_THROTTLE(period, ::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), args))
#define ROS_WARN_DELAYED_THROTTLE(period, ...)                                                                                                       \
    ROSCONSOLE_IF_WARN(ROS_LOG_DELAYED_THROTTLE(period, ::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_WARN_DELAYED_THROTTLE_NAMED(period, name, ...)                                                                                           \
    ROSCONSOLE_IF_WARN(ROS_LOG_DELAYED_THROTTLE(period, ::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_WARN_STREAM_DELAYED_THROTTLE(period, args)                                                                                               \
    ROSCONSOLE_IF_WARN(ROS_LOG_STREAM_DELAYED_THROTTLE(period, ::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_WARN_STREAM_DELAYED_THROTTLE_NAMED(period, name, args)                                                                                   \
    ROSCONSOLE_IF_WARN(ROS_LOG_STREAM_DELAYED_THROTTLE(period, ::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), args))
#define ROS_WARN_FILTER(filter, ...) ROSCONSOLE_IF_WARN(ROS_LOG_FILTER(filter, ::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_WARN_FILTER_NAMED(filter, name, ...)                                                                                                     \
    ROSCONSOLE_IF_WARN(ROS_LOG_FILTER(filter, ::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_WARN_STREAM_FILTER(filter, args)                                                                                                         \
    ROSCONSOLE_IF_WARN(ROS_LOG_STREAM_FILTER(filter, ::ros::console::levels::Warn, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_WARN_STREAM_FILTER_NAMED(filter, name, args)                                                                                             \
    ROSCONSOLE_IF_WARN(ROS_LOG_STREAM_FILTER(filter, ::ros::console::levels::Warn, ROSCONSOLE_BELOW(name), args))

#if ROSCONSOLE_MIN_SEVERITY > ROSCONSOLE_SEVERITY_ERROR
#define ROSCONSOLE_IF_ERROR(...)
#else
#define ROSCONSOLE_IF_ERROR(...) __VA_ARGS__
#endif
#define ROS_ERROR(...) ROSCONSOLE_IF_ERROR(ROS_LOG(::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_ERROR_NAMED(name, ...) ROSCONSOLE_IF_ERROR(ROS_LOG(::ros::console::levels::Error, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_ERROR_STREAM(args) ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM(::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_ERROR_STREAM_NAMED(name, args) ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM(::ros::console::levels::Error, ROSCONSOLE_BELOW(name), args))
#define ROS_ERROR_COND(cond, ...) ROSCONSOLE_IF_ERROR(ROS_LOG_COND(cond, ::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_ERROR_COND_NAMED(cond, name, ...)                                                                                                        \
    ROSCONSOLE_IF_ERROR(ROS_LOG_COND(cond, ::ros::console::levels::Error, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_ERROR_STREAM_COND(cond, args) ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM_COND(cond, ::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_ERROR_STREAM_COND_NAMED(cond, name, args)                                                                                                \
    ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM_COND(cond, ::ros::console::levels::Error, ROSCONSOLE_BELOW(name), args))
#define ROS_ERROR_ONCE(...) ROSCONSOLE_IF_ERROR(ROS_LOG_ONCE(::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_ERROR_ONCE_NAMED(name, ...) ROSCONSOLE_IF_ERROR(ROS_LOG_ONCE(::ros::console::levels::Error, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_ERROR_STREAM_ONCE(args) ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM_ONCE(::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_ERROR_STREAM_ONCE_NAMED(name, args) ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM_ONCE(::ros::console::levels::Error, ROSCONSOLE_BELOW(name), args))
#define ROS_ERROR_THROTTLE(period, ...)                                                                                                              \
    ROSCONSOLE_IF_ERROR(ROS_LOG_THROTTLE(period, ::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_ERROR_THROTTLE_NAMED(period, name, ...)                                                                                                  \
    ROSCONSOLE_IF_ERROR(ROS_LOG_THROTTLE(period, ::ros::console::levels::Error, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_ERROR_STREAM_THROTTLE(period, args)                                                                                                      \
    ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM_THROTTLE(period, ::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_ERROR_STREAM_THROTTLE_NAMED(period, name, args)                                                                                          \
    ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM_THROTTLE(period, ::ros::console::levels::Error, ROSCONSOLE_BELOW(name), args))
#define ROS_ERROR_DELAYED_THROTTLE(period, ...)                                                                                                      \
    ROSCONSOLE_IF_ERROR(ROS_LOG_DELAYED_THROTTLE(period, ::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_ERROR_DELAYED_THROTTLE_NAMED(period, name, ...)                                                                                          \
    ROSCONSOLE_IF_ERROR(ROS_LOG_DELAYED_THROTTLE(period, ::ros::console::levels::Error, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_ERROR_STREAM_DELAYED_THROTTLE(period, args)                                                                                              \
    ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM_DELAYED_THROTTLE(period, ::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_ERROR_STREAM_DELAYED_THROTTLE_NAMED(period, name, args)                                                                                  \
    ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM_DELAYED_THROTTLE(period, ::ros::console::levels::Error, ROSCONSOLE_BELOW(name), args))
#define ROS_ERROR_FILTER(filter, ...) ROSCONSOLE_IF_ERROR(ROS_LOG_FILTER(filter, ::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_ERROR_FILTER_NAMED(filter, name, ...)                                                                                                    \
    ROSCONSOLE_IF_ERROR(ROS_LOG_FILTER(filter, ::ros::console::levels::Error, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_ERROR_STREAM_FILTER(filter, args)                                                                                                        \
    ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM_FILTER(filter, ::ros::console::levels::Error, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_ERROR_STREAM_FILTER_NAMED(filter, name, args)                                                                                            \
    ROSCONSOLE_IF_ERROR(ROS_LOG_STREAM_FILTER(filter, ::ros::console::levels::Error, ROSCONSOLE_BELOW(name), args))

#if ROSCONSOLE_MIN_SEVERITY > ROSCONSOLE_SEVERITY_FATAL
#define ROSCONSOLE_IF_FATAL(...)
#else
#define ROSCONSOLE_IF_FATAL(...) __VA_ARGS__
#endif
#define ROS_FATAL(...) ROSCONSOLE_IF_FATAL(ROS_LOG(::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_FATAL_NAMED(name, ...) ROSCONSOLE_IF_FATAL(ROS_LOG(::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_FATAL_STREAM(args) ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM(::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_FATAL_STREAM_NAMED(name, args) ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM(::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), args))
#define ROS_FATAL_COND(cond, ...) ROSCONSOLE_IF_FATAL(ROS_LOG_COND(cond, ::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_FATAL_COND_NAMED(cond, name, ...)                                                                                                        \
    ROSCONSOLE_IF_FATAL(ROS_LOG_COND(cond, ::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_FATAL_STREAM_COND(cond, args) ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM_COND(cond, ::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_FATAL_STREAM_COND_NAMED(cond, name, args)                                                                                                \
    ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM_COND(cond, ::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), args))
#define ROS_FATAL_ONCE(...) ROSCONSOLE_IF_FATAL(ROS_LOG_ONCE(::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_FATAL_ONCE_NAMED(name, ...) ROSCONSOLE_IF_FATAL(ROS_LOG_ONCE(::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_FATAL_STREAM_ONCE(args) ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM_ONCE(::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_FATAL_STREAM_ONCE_NAMED(name, args) ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM_ONCE(::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), args))
#define ROS_FATAL_THROTTLE(period, ...)                                                                                                              \
    ROSCONSOLE_IF_FATAL(ROS_LOG_THROTTLE(period, ::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_FATAL_THROTTLE_NAMED(period, name, ...)                                                                                                  \
    ROSCONSOLE_IF_FATAL(ROS_LOG_THROTTLE(period, ::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_FATAL_STREAM_THROTTLE(period, args)                                                                                                      \
    ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM_THROTTLE(period, ::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_FATAL_STREAM_THROTTLE_NAMED(period, name, args)                                                                                          \
    ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM_THROTTLE(period, ::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), args))
#define ROS_FATAL_DELAYED_THROTTLE(period, ...)                                                                                                      \
    ROSCONSOLE_IF_FATAL(ROS_LOG_DELAYED_THROTTLE(period, ::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_FATAL_DELAYED_THROTTLE_NAMED(period, name, ...)                                                                                          \
    ROSCONSOLE_IF_FATAL(ROS_LOG_DELAYED_THROTTLE(period, ::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_FATAL_STREAM_DELAYED_THROTTLE(period, args)                                                                                              \
    ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM_DELAYED_THROTTLE(period, ::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_FATAL_STREAM_DELAYED_THROTTLE_NAMED(period, name, args)                                                                                  \
    ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM_DELAYED_THROTTLE(period, ::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), args))
#define ROS_FATAL_FILTER(filter, ...) ROSCONSOLE_IF_FATAL(ROS_LOG_FILTER(filter, ::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, __VA_ARGS__))
#define ROS_FATAL_FILTER_NAMED(filter, name, ...)                                                                                                    \
    ROSCONSOLE_IF_FATAL(ROS_LOG_FILTER(filter, ::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), __VA_ARGS__))
#define ROS_FATAL_STREAM_FILTER(filter, args)                                                                                                        \
    ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM_FILTER(filter, ::ros::console::levels::Fatal, ROSCONSOLE_DEFAULT_NAME, args))
#define ROS_FATAL_STREAM_FILTER_NAMED(filter, name, args)                                                                                            \
    ROSCONSOLE_IF_FATAL(ROS_LOG_STREAM_FILTER(filter, ::ros::console::levels::Fatal, ROSCONSOLE_BELOW(name), args))
