// Parameters as the types of programs, by roscpp's rules: an int is also a double, and a double an int. In arrays and structs also booleans are numbers.
#pragma once
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>
#include <xmlrpcpp/XmlRpcValue.h>

namespace ros {
namespace param {
namespace detail {

using XmlRpc::XmlRpcValue;

// ---- One value; false: it is of another type, and `out` stays as it is ----

inline bool read(const XmlRpcValue &value, XmlRpcValue &out)
{
    out = value;
    return true;
}

inline bool read(const XmlRpcValue &value, std::string &out)
{
    if (value.getType() != XmlRpcValue::TypeString) return false;
    out = static_cast<const std::string &>(value);
    return true;
}

inline bool read(const XmlRpcValue &value, bool &out)
{
    if (value.getType() != XmlRpcValue::TypeBoolean) return false;
    out = value;
    return true;
}

inline bool read(const XmlRpcValue &value, double &out)
{
    switch (value.getType()) {
    case XmlRpcValue::TypeDouble: out = static_cast<const double &>(value); return true;
    case XmlRpcValue::TypeInt: out = static_cast<const int &>(value); return true;
    default: return false;
    }
}

inline bool read(const XmlRpcValue &value, float &out)
{
    double wide;
    if (!read(value, wide)) return false;
    out = static_cast<float>(wide);
    return true;
}

inline bool fits_int(double value)
{
    return value > std::numeric_limits<int>::min() - 1.0 && value < std::numeric_limits<int>::max() + 1.0;
}

// A double is rounded: to the next int if that is 0.5 or less away, but one less than 0 always down, as in roscpp.
inline bool read(const XmlRpcValue &value, int &out)
{
    double number;
    if (!read(value, number)) return false;
    number = std::fmod(number, 1.0) < 0.5 ? std::floor(number) : std::ceil(number);
    if (!fits_int(number)) return false;
    out = static_cast<int>(number);
    return true;
}

// ---- Items of arrays and structs ----

inline bool read_item(const XmlRpcValue &value, std::string &out) { return read(value, out); }

inline bool read_item(const XmlRpcValue &value, double &out)
{
    if (value.getType() != XmlRpcValue::TypeBoolean) return read(value, out);
    out = static_cast<const bool &>(value);
    return true;
}

inline bool read_item(const XmlRpcValue &value, float &out)
{
    double wide;
    if (!read_item(value, wide)) return false;
    out = static_cast<float>(wide);
    return true;
}

inline bool read_item(const XmlRpcValue &value, bool &out)
{
    double number;
    if (!read_item(value, number)) return false;
    out = number != 0;
    return true;
}

// What is behind the point of a double is dropped.
inline bool read_item(const XmlRpcValue &value, int &out)
{
    double number;
    if (!read_item(value, number) || !fits_int(number)) return false;
    out = static_cast<int>(number);
    return true;
}

template <typename T> bool read(const XmlRpcValue &value, std::vector<T> &out)
{
    if (value.getType() != XmlRpcValue::TypeArray) return false;
    std::vector<T> items;
    for (int at = 0; at < value.size(); ++at) {
        T item;
        if (!read_item(value[at], item)) return false;
        items.push_back(item);
    }
    out = std::move(items);
    return true;
}

template <typename T> bool read(const XmlRpcValue &value, std::map<std::string, T> &out)
{
    if (value.getType() != XmlRpcValue::TypeStruct) return false;
    std::map<std::string, T> members;
    for (const auto &member : value) {
        if (!read_item(member.second, members[member.first])) return false;
    }
    out = std::move(members);
    return true;
}

// ---- Towards the master ----

inline XmlRpcValue made(const std::string &value) { return value; }
inline XmlRpcValue made(double value) { return value; }
inline XmlRpcValue made(float value) { return static_cast<double>(value); }
inline XmlRpcValue made(int value) { return value; }
inline XmlRpcValue made(bool value) { return value; }

template <typename T> XmlRpcValue made(const std::vector<T> &items)
{
    XmlRpcValue array;
    array.setSize(static_cast<int>(items.size()));
    int at = 0;
    for (auto item = items.begin(); item != items.end(); ++item) array[at++] = made(static_cast<const T &>(*item));
    return array;
}

template <typename T> XmlRpcValue made(const std::map<std::string, T> &members)
{
    XmlRpcValue whole;
    whole.begin(); // a struct from now on, also without members
    for (const auto &member : members) whole[member.first] = made(member.second);
    return whole;
}

} // namespace detail
} // namespace param
} // namespace ros
