// The header of a TCPROS connection or of a bag's record: fields `NAME=VALUE`, each behind its length, four bytes with the lowest first.
#pragma once
#include <boost/make_shared.hpp>
#include <boost/shared_array.hpp>
#include <cstdint>
#include <cstring>
#include <ros/cpp_common_decl.h>
#include <ros/datatypes.h>
#include <string>

namespace ros {

class Header {
public:
    bool getValue(const std::string &key, std::string &value) const
    {
        const auto found = fields_->find(key);
        if (found == fields_->end()) return false;
        value = found->second;
        return true;
    }
    M_stringPtr getValues() { return fields_; }

    // Adds the fields. False, and what is wrong, if they are not whole; no length is believed that goes past the end.
    bool parse(uint8_t *buffer, uint32_t size, std::string &error_msg)
    {
        for (uint32_t at = 0; at < size;) {
            uint32_t length = 0;
            if (size - at < sizeof length) return wrong("a field's length is cut off", error_msg);
            for (uint32_t byte = 0; byte < sizeof length; ++byte) length |= static_cast<uint32_t>(buffer[at + byte]) << (8 * byte);
            at += sizeof length;
            if (length > size - at) return wrong("a field is longer than the header", error_msg);
            const std::string field(reinterpret_cast<const char *>(buffer) + at, length);
            at += length;
            const size_t equals = field.find('=');
            if (equals == std::string::npos) return wrong("a field has no '='", error_msg);
            (*fields_)[field.substr(0, equals)] = field.substr(equals + 1);
        }
        return true;
    }
    bool parse(const boost::shared_array<uint8_t> &buffer, uint32_t size, std::string &error_msg)
    {
        return parse(buffer.get(), size, error_msg);
    }

    static void write(const M_string &key_vals, boost::shared_array<uint8_t> &buffer, uint32_t &size)
    {
        std::string bytes;
        for (const auto &field : key_vals) {
            const std::string text = field.first + "=" + field.second;
            for (int byte = 0; byte < 4; ++byte) bytes += static_cast<char>(text.size() >> (8 * byte) & 0xff);
            bytes += text;
        }
        size = static_cast<uint32_t>(bytes.size());
        buffer.reset(new uint8_t[size]);
        std::memcpy(buffer.get(), bytes.data(), size);
    }

private:
    static bool wrong(const char *what, std::string &error_msg)
    {
        error_msg = what;
        return false;
    }

    M_stringPtr fields_ = boost::make_shared<M_string>();
};

} // namespace ros
