// The node of this process, as others see it. Its name is known from ros::init on.
#pragma once
#include <ros/common.h>
#include <ros/detail/identity.h>
#include <ros/master.h>
#include <string>

namespace ros {
namespace this_node {

inline const std::string &getName() { return ros::detail::identity().name; }
inline const std::string &getNamespace() { return ros::detail::identity().name_space; }

namespace detail {

// Adds the topics of this node in a part of the master's state: 0 publishers, 1 subscribers.
inline void add_topics_of(int part, V_string &topics)
{
    XmlRpc::XmlRpcValue state;
    if (!master::detail::state(state, false)) return;
    XmlRpc::XmlRpcValue &all = state[part];
    for (int at = 0; at < all.size(); ++at) {
        XmlRpc::XmlRpcValue &nodes = all[at][1];
        for (int node = 0; node < nodes.size(); ++node) {
            if (nodes[node] == XmlRpc::XmlRpcValue(getName())) topics.push_back(all[at][0]);
        }
    }
}

} // namespace detail

// The topics that the master knows of; none if it is not reached. Those that are subscribed to are added to `topics`, as in roscpp.
inline void getAdvertisedTopics(V_string &topics)
{
    topics.clear();
    detail::add_topics_of(0, topics);
}
inline void getSubscribedTopics(V_string &topics) { detail::add_topics_of(1, topics); }

} // namespace this_node
} // namespace ros
