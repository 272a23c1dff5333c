// Names of the graph (NODE-46): letters, digits, `_` and `/`, the first a letter, `/` or `~`. Global `/a`, private `~a`, relative `a`.
#pragma once
#include <ros/common.h>
#include <ros/detail/identity.h>
#include <ros/exceptions.h>
#include <string>

namespace ros {
namespace names {

namespace detail {

// Not of <cctype>, which would go by the program's locale.
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_inner(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '/'; }
inline bool is_first(char c) { return is_letter(c) || c == '/' || c == '~'; }

} // namespace detail

// Whether it is a name; the empty one is. If not, `error` says why.
inline bool validate(const std::string &name, std::string &error)
{
    for (size_t at = 0; at < name.size(); ++at) {
        if (at == 0 ? detail::is_first(name[at]) : detail::is_inner(name[at])) continue;
        error = "[" + name + "] is no name: character " + std::to_string(at + 1) +
                (at == 0 ? " must be a letter, / or ~" : " must be a letter, a digit, _ or /");
        return false;
    }
    return true;
}

// Without slashes that say nothing: of several in a row one stays, of those at the end none.
inline std::string clean(const std::string &name)
{
    std::string cleaned;
    for (const char c : name) {
        if (c != '/' || cleaned.empty() || cleaned.back() != '/') cleaned += c;
    }
    if (!cleaned.empty() && cleaned.back() == '/') cleaned.pop_back();
    return cleaned;
}

inline std::string append(const std::string &left, const std::string &right) { return clean(left + "/" + right); }

namespace detail {

inline void require(const std::string &name)
{
    std::string error;
    if (!validate(name, error)) throw InvalidNameException(error);
}

// The global name of `name` in namespace `ns`, of node `node`. "/" becomes the empty name, as in roscpp.
inline std::string global(const std::string &ns, const std::string &node, const std::string &name)
{
    require(name);
    if (name.empty()) {
        if (ns.empty()) return "/";
        return ns[0] == '/' ? ns : append("/", ns);
    }
    std::string whole = name[0] == '~' ? append(node, name.substr(1)) : name;
    if (whole[0] != '/') whole = append("/", append(ns, whole));
    return clean(whole);
}

inline std::string global(const std::string &ns, const std::string &name)
{
    return global(ns, ros::detail::identity().name, name);
}

// What a global name is renamed to, or `otherwise`.
inline std::string renamed(const std::string &global, const std::string &otherwise)
{
    const M_string &renamed = ros::detail::identity().renamed;
    const auto found = renamed.find(global);
    return found == renamed.end() ? otherwise : found->second;
}

} // namespace detail

// What it is renamed to by the program's arguments, or itself. Throws InvalidNameException.
inline std::string remap(const std::string &name)
{
    return detail::renamed(detail::global(ros::detail::identity().name_space, name), name);
}

// The global name of `name` in namespace `ns`, renamed if `remap`. Throws InvalidNameException.
inline std::string resolve(const std::string &ns, const std::string &name, bool remap = true)
{
    const std::string global = detail::global(ns, name);
    return remap ? detail::renamed(global, global) : global;
}
// In the node's namespace. A second argument of type `const char *` is taken for `remap`, as in roscpp: say std::string.
inline std::string resolve(const std::string &name, bool remap = true)
{
    return resolve(ros::detail::identity().name_space, name, remap);
}
// What the program's arguments rename: global names; and as they are written there.
inline const M_string &getRemappings() { return ros::detail::identity().renamed; }
inline const M_string &getUnresolvedRemappings() { return ros::detail::identity().renamed_as_said; }

// The namespace that a name is in. Throws InvalidNameException.
inline std::string parentNamespace(const std::string &name)
{
    detail::require(name);
    if (name.empty() || name == "/") return name;
    const std::string bare = name.back() == '/' ? name.substr(0, name.size() - 1) : name;
    const size_t slash = bare.find_last_of('/');
    if (slash == std::string::npos) return "";
    return slash == 0 ? "/" : bare.substr(0, slash);
}

} // namespace names
} // namespace ros
