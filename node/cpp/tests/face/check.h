// What the tests print: a line for each thing that is looked at, the same from our headers and from roscpp's.
#pragma once
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>
#include <xmlrpcpp/XmlRpcException.h>
#include <xmlrpcpp/XmlRpcValue.h>

namespace check {

template <typename T> void put(const T &value) { std::cout << value; }
inline void put(const std::string &value) { std::cout << '"' << value << '"'; }
// roscpp's `<<` is not found from within a namespace.
inline void put(const XmlRpc::XmlRpcValue &value) { value.write(std::cout); }
inline void put(bool value) { std::cout << (value ? "true" : "false"); }

template <typename T> void put(const std::vector<T> &values)
{
    std::cout << '(';
    for (T value : values) {
        put(value);
        std::cout << ' ';
    }
    std::cout << ')';
}

template <typename T> void put(const std::map<std::string, T> &values)
{
    std::cout << '(';
    for (const auto &value : values) {
        std::cout << value.first << '=';
        put(value.second);
        std::cout << ' ';
    }
    std::cout << ')';
}

template <typename T> void show(const std::string &label, const T &value)
{
    std::cout << label << ": ";
    put(value);
    std::cout << std::endl;
}

struct Nothing : std::exception {};

// What `act` returns, or what it throws: the kind of it, since words may differ.
template <typename Expected = Nothing, typename Act> void attempt(const std::string &label, Act act)
{
    try {
        show(label, act());
    } catch (const XmlRpc::XmlRpcException &error) {
        std::cout << label << " throws XmlRpcException " << error.getCode() << std::endl;
    } catch (const std::exception &error) {
        const bool is_expected = dynamic_cast<const Expected *>(&error) != nullptr;
        std::cout << label << (is_expected ? " throws what it must" : " throws something else") << std::endl;
    }
}

} // namespace check
