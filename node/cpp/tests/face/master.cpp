// What the master says of itself, of us and of others.
#include "check.h"
#include <algorithm>
#include <ros/common.h>
#include <ros/init.h>
#include <ros/master.h>
#include <ros/this_node.h>

using check::show;
using XmlRpc::XmlRpcValue;

static_assert(ROS_VERSION_MINIMUM(1, 15, 0) && ROS_VERSION_MINIMUM(1, 15, 15) && !ROS_VERSION_MINIMUM(1, 15, 16), "1.15.15");
static_assert(!ROS_VERSION_MINIMUM(1, 16, 0) && !ROS_VERSION_MINIMUM(2, 0, 0) && ROS_VERSION_MINIMUM(1, 14, 99), "1.15.15");
static_assert(ROS_VERSION_GE(1, 15, 15, 1, 15, 15) && ROS_VERSION_COMBINED(1, 2, 3) == 1050627, "versions compare");

namespace {

void execute(const std::string &method, const std::vector<XmlRpcValue> &arguments)
{
    XmlRpcValue request, response, payload;
    request[0] = ros::this_node::getName();
    for (const XmlRpcValue &argument : arguments) request[request.size()] = argument;
    const bool done = ros::master::execute(method, request, response, payload, false);
    show(method, done);
    if (done) show("  payload", payload);
    if (done) show("  response", static_cast<int>(response.size()));
    if (done) show("  and in it", response[2]);
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "asker", ros::init_options::NoSigintHandler);
    show("answers before the node runs", ros::master::check());
    ros::start();
    show("answers", ros::master::check());
    ros::master::V_TopicInfo topics;
    show("topics", ros::master::getTopics(topics));
    std::sort(topics.begin(), topics.end(), [](const auto &one, const auto &other) { return one.name < other.name; });
    for (const auto &topic : topics) show("  " + topic.name, topic.datatype);
    ros::V_string nodes = {"before"};
    show("nodes", ros::master::getNodes(nodes));
    show("  are", nodes);
    ros::V_string names;
    ros::this_node::getAdvertisedTopics(names);
    show("advertised", names);
    ros::this_node::getSubscribedTopics(names);
    show("subscribed", names);
    execute("lookupNode", {"/nobody"});
    execute("lookupService", {"/none"});
    execute("getTopicTypes", {});
    execute("setParam", {"/by_hand", 5});
    execute("getParam", {"/by_hand"});
    execute("noSuchMethod", {1});
    ros::master::setRetryTimeout(ros::WallDuration(5));
    show("nodes within 5 s", ros::master::getNodes(nodes));
    ros::shutdown();
    return 0;
}
