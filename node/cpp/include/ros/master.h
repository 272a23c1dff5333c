// What the master knows.
#pragma once
#include <cstdint>
#include <ros/common.h>
#include <ros/console.h>
#include <ros/datatypes.h>
#include <ros/detail/identity.h>
#include <ros/detail/node.h>
#include <ros/detail/value.h>
#include <ros/time.h>
#include <set>
#include <string>
#include <vector>
#include <xmlrpcpp/XmlRpcValue.h>

namespace ros {
namespace master {

// From ros::init on.
inline const std::string &getURI() { return ros::detail::identity().master_uri; }
inline const std::string &getHost() { return ros::detail::identity().master_host; }
inline uint32_t getPort() { return ros::detail::identity().master_port; }

namespace detail {

inline WallDuration &retry_timeout()
{
    static WallDuration *const timeout = new WallDuration;
    return *timeout;
}

// All but the first, which is the caller's name: the node puts its own there.
inline tk_value *arguments(const XmlRpc::XmlRpcValue &request)
{
    tk_value *const list = tk_value_list();
    if (request.getType() != XmlRpc::XmlRpcValue::TypeArray) return list;
    for (int at = 1; at < request.size(); ++at) ros::detail::add_to_tk(list, nullptr, request[at]);
    return list;
}

// The node, if it runs. Otherwise the master is asked without one: before the first NodeHandle, so that the node finds what the program has set,
// and after the end, so that a program can still say what it has learnt.
inline const tk_node *node()
{
    ros::detail::ThisNode &own = ros::detail::ThisNode::get();
    // Arguments `_PARAM:=VALUE` are set by the node.
    if (own.is_to_set_parameters()) own.start_early();
    return own.is_started() ? own.node() : nullptr;
}

inline tk_value *call_once(const char *method, const tk_value *arguments, bool waits)
{
    if (const tk_node *const running = node()) return tk_master_call(running, method, arguments, waits);
    return tk_ask_master(getURI().c_str(), ros::detail::identity().name.c_str(), method, arguments);
}

// Tries again for as long as setRetryTimeout has said; 0: for ever, unless the node has ended.
inline tk_value *call_within(const WallDuration &timeout, const char *method, const tk_value *arguments)
{
    const SteadyTime end = SteadyTime::now() + timeout;
    for (;;) {
        tk_value *const payload = call_once(method, arguments, false);
        if (payload != nullptr || tk_was_refused() || ros::detail::ThisNode::get().is_over()) return payload;
        if (timeout > WallDuration() && SteadyTime::now() >= end) {
            ROS_ERROR("%s: the master at %s was not reached within %.3f s; start it, or set ROS_MASTER_URI", method, getURI().c_str(),
                      timeout.toSec());
            return nullptr;
        }
        WallDuration(0.05).sleep();
    }
}

inline tk_value *call(const char *method, const tk_value *arguments, bool waits)
{
    const WallDuration timeout = retry_timeout();
    if (waits && (timeout > WallDuration() || node() == nullptr)) return call_within(timeout, method, arguments);
    return call_once(method, arguments, waits);
}

// A triple as the master answers: 1 for done, 0 for refused.
inline XmlRpc::XmlRpcValue triple(int code, const std::string &text, const XmlRpc::XmlRpcValue &value)
{
    XmlRpc::XmlRpcValue whole;
    whole[0] = code;
    whole[1] = text;
    whole[2] = value;
    return whole;
}

} // namespace detail

// Calls a method of the master. `request` is an array of all arguments, the first the caller's name, in place of which goes this node's own. False:
// the master refused (`response` says why), was not reached, or ros::init was not called. wait_for_master: until it is reached.
inline bool execute(const std::string &method, const XmlRpc::XmlRpcValue &request, XmlRpc::XmlRpcValue &response,
                    XmlRpc::XmlRpcValue &payload, bool wait_for_master)
{
    if (!ros::detail::ThisNode::get().is_initialized()) {
        ROS_ERROR("%s: the master is not asked before ros::init", method.c_str());
        return false;
    }
    const ros::detail::OwnedValue arguments(detail::arguments(request));
    const ros::detail::OwnedValue answer(detail::call(method.c_str(), arguments.get(), wait_for_master));
    if (answer.get() == nullptr) {
        if (tk_was_refused()) response = detail::triple(0, tk_last_error(), 0);
        return false;
    }
    payload = ros::detail::from_tk(answer.get());
    response = detail::triple(1, "", payload);
    return true;
}

namespace detail {

// A method without arguments.
inline bool ask(const char *method, XmlRpc::XmlRpcValue &payload, bool waits)
{
    XmlRpc::XmlRpcValue request, response;
    request[0] = ros::detail::identity().name;
    return execute(method, request, response, payload, waits);
}

// Publishers, subscribers, services, each an array of [NAME, [NODE...]].
inline bool state(XmlRpc::XmlRpcValue &payload, bool waits) { return ask("getSystemState", payload, waits); }

} // namespace detail

// Whether it answers.
inline bool check()
{
    XmlRpc::XmlRpcValue payload;
    return detail::ask("getPid", payload, false);
}

struct TopicInfo {
    TopicInfo() {}
    TopicInfo(const std::string &name, const std::string &datatype) : name(name), datatype(datatype) {}

    std::string name;
    std::string datatype;
};
typedef std::vector<TopicInfo> V_TopicInfo;

// The topics that are published. False: the master refused.
inline bool getTopics(V_TopicInfo &topics)
{
    XmlRpc::XmlRpcValue request, response, payload;
    request[0] = ros::detail::identity().name;
    request[1] = "";
    if (!execute("getPublishedTopics", request, response, payload, true)) return false;
    topics.clear();
    for (int at = 0; at < payload.size(); ++at) topics.push_back(TopicInfo(payload[at][0], payload[at][1]));
    return true;
}

// Adds the nodes that publish, subscribe or serve something, each once.
inline bool getNodes(V_string &nodes)
{
    XmlRpc::XmlRpcValue state;
    if (!detail::state(state, true)) return false;
    S_string all;
    for (int part = 0; part < state.size(); ++part) {
        for (int at = 0; at < state[part].size(); ++at) {
            XmlRpc::XmlRpcValue &those = state[part][at][1];
            for (int node = 0; node < those.size(); ++node) all.insert(those[node]);
        }
    }
    nodes.insert(nodes.end(), all.begin(), all.end());
    return true;
}

// How long calls that wait for the master do so; 0 or less: for ever.
inline void setRetryTimeout(WallDuration timeout) { detail::retry_timeout() = timeout; }

} // namespace master
} // namespace ros
