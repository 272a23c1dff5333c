// Parameters of the master. Names are resolved in the node's namespace; those that are none throw InvalidNameException.
#pragma once
#include <map>
#include <ros/common.h>
#include <ros/console.h>
#include <ros/detail/node.h>
#include <ros/detail/param_types.h>
#include <ros/detail/value.h>
#include <ros/master.h>
#include <ros/names.h>
#include <ros/this_node.h>
#include <string>
#include <vector>
#include <xmlrpcpp/XmlRpcValue.h>

namespace ros {
namespace param {

namespace detail {

// A method that takes the name of a parameter, and perhaps another argument.
inline bool ask(const char *method, const std::string &name, XmlRpcValue &payload, bool waits = false, const XmlRpcValue &more = {})
{
    XmlRpcValue request, response;
    request[0] = this_node::getName();
    request[1] = name;
    if (more.valid()) request[2] = more;
    return master::execute(method, request, response, payload, waits);
}

} // namespace detail

// Waits for the master.
inline void set(const std::string &key, const XmlRpc::XmlRpcValue &value)
{
    const std::string name = names::resolve(key);
    if (!value.valid()) {
        ROS_ERROR("parameter %s is not set: the value has no type", name.c_str());
        return;
    }
    XmlRpc::XmlRpcValue payload;
    if (ros::detail::node() != nullptr) tk_param_forget(ros::detail::node(), name.c_str());
    if (detail::ask("setParam", name, payload, true, value)) return;
    ROS_ERROR("parameter %s is not set: %s", name.c_str(), tk_last_error());
}
inline void set(const std::string &key, const std::string &value) { set(key, detail::made(value)); }
inline void set(const std::string &key, const char *value) { set(key, std::string(value)); }
inline void set(const std::string &key, double value) { set(key, detail::made(value)); }
inline void set(const std::string &key, int value) { set(key, detail::made(value)); }
inline void set(const std::string &key, bool value) { set(key, detail::made(value)); }
// Of std::string, double, float, int, bool.
template <typename T> void set(const std::string &key, const std::vector<T> &values) { set(key, detail::made(values)); }
template <typename T> void set(const std::string &key, const std::map<std::string, T> &values) { set(key, detail::made(values)); }

namespace detail {

// False: it is not set, of another type, or the master was not reached; then `value` stays as it is.
template <typename T> bool get_resolved(const std::string &name, T &value)
{
    XmlRpcValue found;
    return ask("getParam", name, found) && read(found, value);
}

} // namespace detail

inline bool get(const std::string &key, std::string &value) { return detail::get_resolved(names::resolve(key), value); }
inline bool get(const std::string &key, double &value) { return detail::get_resolved(names::resolve(key), value); }
inline bool get(const std::string &key, float &value) { return detail::get_resolved(names::resolve(key), value); }
inline bool get(const std::string &key, int &value) { return detail::get_resolved(names::resolve(key), value); }
inline bool get(const std::string &key, bool &value) { return detail::get_resolved(names::resolve(key), value); }
inline bool get(const std::string &key, XmlRpc::XmlRpcValue &value) { return detail::get_resolved(names::resolve(key), value); }
template <typename T> bool get(const std::string &key, std::vector<T> &values) { return detail::get_resolved(names::resolve(key), values); }
template <typename T> bool get(const std::string &key, std::map<std::string, T> &values)
{
    return detail::get_resolved(names::resolve(key), values);
}

// As `get`, of the value that the master told last: it is asked once, and tells of changes from then on.
template <typename T> bool getCached(const std::string &key, T &value)
{
    const std::string name = names::resolve(key);
    const tk_node *const node = master::detail::node();
    // Nobody would tell of its changes.
    if (node == nullptr) return detail::get_resolved(name, value);
    tk_value *const found = tk_param_cached(node, name.c_str());
    if (found == nullptr) return false;
    XmlRpc::XmlRpcValue told = ros::detail::from_tk(found);
    tk_value_free(found);
    return detail::read(told, value);
}
// The next getCached asks the master.
inline void unsubscribeCachedParam(const std::string &key)
{
    if (ros::detail::node() != nullptr) tk_param_forget(ros::detail::node(), names::resolve(key).c_str());
}
inline void unsubscribeCachedParam()
{
    if (ros::detail::node() != nullptr) tk_param_forget(ros::detail::node(), nullptr);
}

// False: it was not set.
inline bool del(const std::string &key)
{
    XmlRpc::XmlRpcValue payload;
    return detail::ask("deleteParam", names::resolve(key), payload);
}

namespace detail {

// As it is renamed where it is written so: the master is asked for it relative to namespaces.
inline std::string renamed_as_said(const std::string &key)
{
    const M_string &renamed = names::getUnresolvedRemappings();
    const auto found = renamed.find(key);
    return found == renamed.end() ? key : found->second;
}

inline bool has_resolved(const std::string &name)
{
    XmlRpcValue payload;
    if (!ask("hasParam", name, payload)) return false;
    return payload == XmlRpcValue(true) || payload == XmlRpcValue(1);
}

} // namespace detail

inline bool has(const std::string &key) { return detail::has_resolved(names::resolve(key)); }

// The next namespace from `ns` upwards that has the first part of the name: its global name into `result`.
inline bool search(const std::string &ns, const std::string &key, std::string &result)
{
    const std::string sought = detail::renamed_as_said(key);
    if (sought.empty() || sought[0] == '~') return false;
    if (sought[0] == '/') {
        if (!detail::has_resolved(sought)) return false;
        result = sought;
        return true;
    }
    const std::string first = sought.substr(0, sought.find('/'));
    for (std::string in = names::clean("/" + ns);; in.erase(in.rfind('/'))) {
        if (detail::has_resolved(in + "/" + first)) {
            result = in + "/" + sought;
            return true;
        }
        if (in.empty()) return false;
    }
}
inline bool search(const std::string &key, std::string &result) { return search(this_node::getName(), key, result); }

// Of all parameters.
inline bool getParamNames(std::vector<std::string> &keys)
{
    XmlRpc::XmlRpcValue payload;
    return master::detail::ask("getParamNames", payload, false) && detail::read(payload, keys);
}

// The value, or `default_val`; whether it is set.
template <typename T> bool param(const std::string &param_name, T &param_val, const T &default_val)
{
    if (get(param_name, param_val)) return true;
    param_val = default_val;
    return false;
}
template <typename T> T param(const std::string &param_name, const T &default_val)
{
    T value;
    param(param_name, value, default_val);
    return value;
}

} // namespace param
} // namespace ros
