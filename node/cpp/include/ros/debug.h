// Where a thread is, for people: the functions that called each other.
#pragma once
#include <cstdlib>
#include <cxxabi.h>
#include <execinfo.h>
#include <ros/cpp_common_decl.h>
#include <string>
#include <vector>

namespace ros {
namespace debug {

typedef std::vector<void *> V_void;
typedef std::vector<std::string> V_string;

// A function's name as it was written; what is no such name stays as it is.
inline std::string demangleName(const std::string &name)
{
    int failed = 0;
    char *const written = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed);
    const std::string result = failed == 0 && written != nullptr ? written : name;
    std::free(written);
    return result;
}

// At most 64 callers, the innermost first.
inline void getBacktrace(V_void &addresses)
{
    addresses.resize(64);
    const int count = ::backtrace(addresses.data(), static_cast<int>(addresses.size()));
    addresses.resize(static_cast<size_t>(count));
}

// FILE(FUNCTION+OFFSET) [ADDRESS] of each; functions are named if the program is linked with -rdynamic.
inline void translateAddresses(const V_void &addresses, V_string &lines)
{
    char **const said = ::backtrace_symbols(addresses.data(), static_cast<int>(addresses.size()));
    if (said == nullptr) return;
    lines.insert(lines.end(), said, said + addresses.size());
    std::free(said);
}

inline void demangleBacktrace(const V_string &names, V_string &demangled)
{
    for (const std::string &line : names) {
        const size_t begin = line.find('('), end = line.find('+', begin);
        if (begin == std::string::npos || end == std::string::npos || end == begin + 1) demangled.push_back(line);
        else demangled.push_back(line.substr(0, begin + 1) + demangleName(line.substr(begin + 1, end - begin - 1)) + line.substr(end));
    }
}
inline std::string demangleBacktrace(const V_string &names)
{
    V_string lines;
    demangleBacktrace(names, lines);
    std::string text;
    for (const std::string &line : lines) text += line + "\n";
    return text;
}
inline std::string backtraceToString(const V_void &addresses)
{
    V_string lines;
    translateAddresses(addresses, lines);
    return demangleBacktrace(lines);
}
inline std::string getBacktrace()
{
    V_void addresses;
    getBacktrace(addresses);
    return backtraceToString(addresses);
}

} // namespace debug
} // namespace ros
