// What the peers over roscpp share: how a node is started and ended, the topic, its message.
#ifndef TOKKYU_LOCAL_NODE_HPP
#define TOKKYU_LOCAL_NODE_HPP

#include <cstdint>
#include <map>
#include <string>

#include <ros/ros.h>
#include <std_msgs/UInt8MultiArray.h>

#include "board.hpp"
#include "clock.hpp"
#include "failure.hpp"
#include "options.hpp"
#include "results.hpp"

namespace local {

using Message = std_msgs::UInt8MultiArray;

constexpr const char *TOPIC = "tokkyu_local";
// One message is on its way at most.
constexpr std::uint32_t QUEUE_SIZE = 1;

// The process as a node of ROS; there can be one. Destroyed, it is taken off the master's books.
class Node {
public:
    // Throws Failure where no master answers, for which roscpp itself would wait for ever.
    Node(const Options &options, const std::string &name)
    {
        const std::map<std::string, std::string> remappings = {{"__master", options.master_uri}, {"__ip", "127.0.0.1"}};
        // SIGINT is the harness's, and rosout would be a second topic with connections of its own.
        ros::init(remappings, name, ros::init_options::NoSigintHandler | ros::init_options::NoRosout);
        if (!ros::master::check())
            throw Failure("--master-uri " + options.master_uri + ": no master answers (start rosmaster there)");
        ros::start();
    }
    ~Node() { ros::shutdown(); }
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;
};

// What every callback does.
inline void take_message(Board &board, const Message::ConstPtr &message)
{
    const std::uint64_t at_ns = now_ns();
    board.arrived(message->data.data(), message->data.size(), at_ns);
}

using TakeMessage = boost::function<void(const Message::ConstPtr &)>;

// A fresh message as long as the sample. With freed memory kept (scheduling.hpp) its pages are there already.
inline Message::Ptr make_message(std::uint32_t bytes)
{
    const auto message = boost::make_shared<Message>();
    message->data.resize(bytes);
    return message;
}

inline Description describe_roscpp(const char *peer, int copies, int processes)
{
    const std::string version = std::to_string(ROS_VERSION_MAJOR) + "." + std::to_string(ROS_VERSION_MINOR) + "."
                              + std::to_string(ROS_VERSION_PATCH);
    return {peer, copies, processes, "roscpp", version};
}

} // namespace local
#endif
