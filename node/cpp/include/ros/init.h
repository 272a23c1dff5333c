// Begin and end of a node.
#pragma once
#include <map>
#include <ros/callback_queue.h>
#include <ros/detail/identify.h>
#include <ros/detail/node.h>
#include <ros/exceptions.h>
#include <ros/spinner.h>
#include <string>
#include <utility>
#include <vector>

namespace ros {

typedef std::map<std::string, std::string> M_string;
typedef std::pair<std::string, std::string> StringPair;
typedef std::vector<StringPair> VP_string;
typedef std::vector<std::string> V_string;

namespace init_options {
enum InitOption { NoSigintHandler = 1, AnonymousName = 2, NoRosout = 4 };
}
typedef init_options::InitOption InitOption;

namespace detail {

// Names are resolved from here on; the node itself is made by the first NodeHandle. Throws InvalidNodeNameException.
inline void init(std::vector<std::string> arguments, const std::string &name, uint32_t options)
{
    // Libraries call it too: the first one counts.
    if (ThisNode::get().is_initialized()) return;
    const std::string own = identify(arguments, name, (options & init_options::AnonymousName) != 0);
    ThisNode::get().init(std::move(arguments), own, options);
}

} // namespace detail

// Takes the arguments that are for ROS out of argv.
inline void init(int &argc, char **argv, const std::string &name, uint32_t options = 0)
{
    std::vector<std::string> arguments;
    int left = 0;
    for (int at = 0; at < argc; ++at) {
        if (tk_is_remapping(argv[at])) arguments.push_back(argv[at]);
        else argv[left++] = argv[at];
    }
    // argv ends with a null pointer, which belongs to it.
    if (left < argc) argv[left] = nullptr;
    argc = left;
    detail::init(std::move(arguments), name, options);
}
inline void init(const VP_string &remappings, const std::string &name, uint32_t options = 0)
{
    std::vector<std::string> arguments;
    for (const StringPair &pair : remappings) arguments.push_back(pair.first + ":=" + pair.second);
    detail::init(std::move(arguments), name, options);
}
inline void init(const M_string &remappings, const std::string &name, uint32_t options = 0)
{
    init(VP_string(remappings.begin(), remappings.end()), name, options);
}

// The arguments that are not for ROS.
inline void removeROSArgs(int argc, const char *const *argv, V_string &args_out)
{
    for (int at = 0; at < argc; ++at) {
        if (!tk_is_remapping(argv[at])) args_out.push_back(argv[at]);
    }
}

// What the first argument ARG:=VALUE says, "" if there is none.
inline std::string getROSArg(int argc, const char *const *argv, const std::string &arg)
{
    for (int at = 0; at < argc; ++at) {
        const std::string argument = argv[at];
        const size_t split = argument.find(":=");
        if (split != std::string::npos && argument.compare(0, split, arg) == 0) return argument.substr(split + 2);
    }
    return "";
}

inline bool isInitialized() { return detail::ThisNode::get().is_initialized(); }
inline bool isStarted() { return detail::ThisNode::get().is_started(); }
inline bool isShuttingDown() { return detail::ThisNode::get().is_over(); }
inline bool ok() { return isInitialized() && !isShuttingDown(); }
inline void start() { detail::ThisNode::get().start(); }
inline void shutdown() { detail::ThisNode::get().shutdown(); }
inline void requestShutdown() { shutdown(); }
inline void waitForShutdown() { detail::ThisNode::get().wait_for_shutdown(); }

inline CallbackQueue *getGlobalCallbackQueue() { return &CallbackQueue::global(); }

inline void spin(Spinner &spinner) { spinner.spin(); }
inline void spin()
{
    SingleThreadedSpinner spinner;
    spinner.spin();
}
inline void spinOnce()
{
    if (detail::node() != nullptr) CallbackQueue::global().callAvailable();
}

} // namespace ros
