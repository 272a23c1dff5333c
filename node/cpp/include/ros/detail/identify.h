// Makes the identity of the program of what ros::init is given and of the environment (NODE-46, NODE-47). tokkyu/node.h goes by the same rules.
#pragma once
#include <chrono>
#include <cstdlib>
#include <ros/detail/identity.h>
#include <ros/exceptions.h>
#include <ros/names.h>
#include <ros/network.h>
#include <string>
#include <utility>
#include <vector>

namespace ros {
namespace detail {

// FROM:=TO of the arguments; of a FROM that comes twice the last one counts.
inline M_string pairs(const std::vector<std::string> &arguments)
{
    M_string said;
    for (const std::string &argument : arguments) {
        const size_t at = argument.find(":=");
        if (at != std::string::npos) said[argument.substr(0, at)] = argument.substr(at + 2);
    }
    return said;
}

// The first of these that is not empty: an argument, variables of the environment.
inline std::string said_of(const M_string &said, const char *key, const char *variable)
{
    const auto found = said.find(key);
    if (found != said.end() && !found->second.empty()) return found->second;
    const char *const value = std::getenv(variable);
    return value == nullptr ? "" : value;
}

inline std::string global_namespace(const M_string &said)
{
    const std::string ns = "/" + said_of(said, "__ns", "ROS_NAMESPACE");
    std::string error;
    if (!names::validate(ns, error)) throw InvalidNameException("namespace of this node: " + error);
    const std::string cleaned = names::clean(ns);
    return cleaned.empty() ? "/" : cleaned;
}

// The node's own name, relative: `__name` has the last word; otherwise numbers follow if it is to be anonymous.
inline std::string own_name(const M_string &said, const std::string &name, bool is_anonymous)
{
    if (name.empty()) throw InvalidNameException("this node has no name; ros::init needs one");
    const auto found = said.find("__name");
    const std::string own = found == said.end() ? name : found->second;
    if (own.empty()) throw InvalidNameException("__name:= is empty; it names the node");
    if (own.find_first_of("/~") != std::string::npos) {
        throw InvalidNodeNameException(own, "it has / or ~ in it; __ns:= says its namespace");
    }
    names::detail::require(own);
    if (!is_anonymous || found != said.end()) return own;
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return own + "_" + std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

inline void rename(Identity &identity, const M_string &said, const std::string &own)
{
    for (const auto &pair : said) {
        // Those are for the node itself (`__name`) or parameters (`_rate`).
        if (pair.first.empty() || pair.first[0] == '_' || pair.first == own) continue;
        const std::string from = names::detail::global(identity.name_space, identity.name, pair.first);
        identity.renamed[from] = names::detail::global(identity.name_space, identity.name, pair.second);
        identity.renamed_as_said[pair.first] = pair.second;
    }
}

// What ros::init does about names, and the node's relative name, to make it with: not anonymous any more.
// Throws InvalidNodeNameException, InvalidNameException; then nothing has changed.
inline std::string identify(const std::vector<std::string> &arguments, const std::string &name, bool is_anonymous)
{
    const M_string said = pairs(arguments);
    Identity next;
    next.name_space = global_namespace(said);
    const std::string own = own_name(said, name, is_anonymous);
    next.name = names::append(next.name_space, own);
    rename(next, said, own);
    next.master_uri = said_of(said, "__master", "ROS_MASTER_URI");
    if (next.master_uri.empty()) next.master_uri = "http://localhost:11311";
    network::splitURI(next.master_uri, next.master_host, next.master_port);
    next.host = said_of(said, "__hostname", "ROS_HOSTNAME");
    if (next.host.empty()) next.host = said_of(said, "__ip", "ROS_IP");
    identity() = std::move(next);
    return own;
}

} // namespace detail
} // namespace ros
