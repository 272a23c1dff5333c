// Messages as text: what operator<< of a message writes.
#pragma once
#include <ostream>
#include <ros/types.h>
#include <string>

namespace ros {
namespace message_operations {

// Writes a value and ends the line; generated headers have one for each message, `indent` before each of its lines.
template <typename M> struct Printer {
    template <typename Stream> static void stream(Stream &s, const std::string &, const M &value)
    {
        s << value << "\n";
    }
};

// Bytes are numbers, not letters.
template <> struct Printer<int8_t> {
    template <typename Stream> static void stream(Stream &s, const std::string &, int8_t value)
    {
        s << static_cast<int32_t>(value) << "\n";
    }
};

template <> struct Printer<uint8_t> {
    template <typename Stream> static void stream(Stream &s, const std::string &, uint8_t value)
    {
        s << static_cast<uint32_t>(value) << "\n";
    }
};

} // namespace message_operations
} // namespace ros
