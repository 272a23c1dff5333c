// Loggers, and where their lines go: to the terminal, and once there is a node by way of it, which publishes them on /rosout too.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <ros/console_backend.h>
#include <ros/detail/console_config.h>
#include <ros/detail/identity.h>
#include <ros/detail/node.h>
#include <ros/time.h>
#include <set>
#include <string>
#include <tokkyu/node.h>
#include <vector>

namespace ros {
namespace console {

// Gets all lines too.
class LogAppender {
public:
    virtual ~LogAppender() {}
    virtual void log(Level level, const char *text, const char *file, const char *function, int line) = 0;
};

namespace detail {

// A logger is the address of its name, which never goes away.
typedef const std::string Logger;

// The name in what the compiler calls a function, as roscpp says it: "run" of "int {anonymous}::A::run(long) const".
inline std::string short_name(const char *function)
{
    static const std::string nameless = "(anonymous namespace)";
    const std::string whole = function;
    size_t end = whole.find('(');
    while (end != std::string::npos && whole.compare(end, nameless.size(), nameless) == 0) end = whole.find('(', end + 1);
    const std::string head = whole.substr(0, end);
    const size_t before = head.find_last_of(": ");
    return before == std::string::npos ? head : head.substr(before + 1);
}

// There is one in a process, and it is never destroyed: threads may speak while the process ends.
class Log {
public:
    static Log &get()
    {
        static Log *const log = new Log;
        return *log;
    }

    Logger *logger(const std::string &name)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return &*names_.insert(name).first;
    }

    bool is_heard(const std::string &logger, Level level)
    {
        if (const tk_node *const node = told_node()) return tk_is_heard(node, logger.c_str(), static_cast<tk_level>(level));
        const std::lock_guard<std::mutex> lock(mutex_);
        return level >= level_of(logger);
    }

    void set_level(const std::string &name, Level level)
    {
        const tk_node *const node = told_node();
        if (node != nullptr) tk_set_level(node, name.c_str(), static_cast<tk_level>(level));
        const std::lock_guard<std::mutex> lock(mutex_);
        names_.insert(name);
        levels_[name] = level;
    }

    // The level of each logger that there is.
    std::map<std::string, Level> all_levels()
    {
        std::map<std::string, Level> all;
        for (const std::string &name : names()) {
            int level = levels::Debug;
            while (level < levels::Fatal && !is_heard(name, static_cast<Level>(level))) ++level;
            all[name] = static_cast<Level>(level);
        }
        return all;
    }

    void add(LogAppender *appender)
    {
        const std::lock_guard<std::mutex> lock(appending_);
        appenders_.push_back(appender);
    }
    void remove(LogAppender *appender)
    {
        const std::lock_guard<std::mutex> lock(appending_);
        appenders_.erase(std::remove(appenders_.begin(), appenders_.end(), appender), appenders_.end());
    }

    void say(const std::string &logger, Level level, const std::string &text, const char *file, const char *in, int line)
    {
        const std::string function = short_name(in);
        if (const tk_node *const node = told_node()) {
            tk_say(node, logger.c_str(), static_cast<tk_level>(level), file, function.c_str(), static_cast<uint32_t>(line), text.c_str());
        } else {
            print(logger, level, text, file, function, line);
        }
        const std::lock_guard<std::mutex> lock(appending_);
        for (LogAppender *const appender : appenders_) appender->log(level, text.c_str(), file, function.c_str(), line);
    }

private:
    Log()
    {
        read_console_config(levels_);
        for (const auto &level : levels_) names_.insert(level.first);
    }

    std::set<std::string> names()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return names_;
    }

    // What is set nearest above a logger: "a.b", "a", then "ros". Needs the lock.
    Level level_of(std::string name) const
    {
        for (;;) {
            const auto found = levels_.find(name);
            if (found != levels_.end()) return found->second;
            const size_t dot = name.rfind('.');
            if (dot == std::string::npos) return levels_.at("ros");
            name.erase(dot);
        }
    }

    // The node, once there is one. It has been told the levels that were set before.
    const tk_node *told_node()
    {
        const tk_node *const node = ros::detail::node();
        if (node == nullptr || node == told_) return node;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (node == told_) return node;
        for (const auto &level : levels_) tk_set_level(node, level.first.c_str(), static_cast<tk_level>(level.second));
        told_ = node;
        return node;
    }

    // As the node writes it.
    static void print(const std::string &logger, Level level, const std::string &text, const char *file, const std::string &function, int line)
    {
        const uint64_t simulated = Time::isSimTime() && Time::isValid() ? Time::now().toNSec() : 0;
        tk_print(ros::detail::identity().name.c_str(), logger.c_str(), static_cast<tk_level>(level), file, function.c_str(),
                 static_cast<uint32_t>(line), simulated, text.c_str());
    }

    std::mutex mutex_, appending_;
    std::set<std::string> names_{"ros"};
    std::map<std::string, Level> levels_{{"ros", levels::Info}};
    std::vector<LogAppender *> appenders_;
    std::atomic<const tk_node *> told_{nullptr};
};

} // namespace detail
} // namespace console
} // namespace ros
