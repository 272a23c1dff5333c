// Values of XML-RPC as text.
#pragma once
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

namespace XmlRpc {
namespace detail {

inline std::string text_of(const struct tm &time)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::setw(4) << time.tm_year << std::setfill('0') << std::setw(2) << time.tm_mon << std::setw(2) << time.tm_mday << 'T' << std::setw(2)
         << time.tm_hour << ':' << std::setw(2) << time.tm_min << ':' << std::setw(2) << time.tm_sec;
    return text.str();
}

// As many digits as tell all doubles apart.
inline std::string text_of(double value)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::setprecision(17) << value;
    return text.str();
}

// RFC 4648, in lines of 72 characters, with an end behind each whole one and behind all.
inline std::string base64(const std::vector<char> &bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t in_line = 54;
    std::string text;
    for (size_t at = 0; at < bytes.size(); at += 3) {
        uint32_t three = 0;
        for (size_t next = at; next < at + 3; ++next) {
            three = three << 8 | (next < bytes.size() ? static_cast<unsigned char>(bytes[next]) : 0);
        }
        const size_t left = bytes.size() - at;
        text += digits[three >> 18];
        text += digits[three >> 12 & 63];
        text += left > 1 ? digits[three >> 6 & 63] : '=';
        text += left > 2 ? digits[three & 63] : '=';
        if ((at + 3) % in_line == 0 && left > 2) text += '\n';
    }
    return text + '\n';
}

// As the text of an element of XML.
inline std::string escaped(const std::string &text)
{
    std::string xml;
    for (const char c : text) {
        switch (c) {
        case '&': xml += "&amp;"; break;
        case '<': xml += "&lt;"; break;
        case '>': xml += "&gt;"; break;
        case '\'': xml += "&apos;"; break;
        case '"': xml += "&quot;"; break;
        default: xml += c;
        }
    }
    return xml;
}

inline std::string tagged(const std::string &tag, const std::string &content)
{
    return "<" + tag + ">" + content + "</" + tag + ">";
}

inline std::string value_of(const std::string &type, const std::string &text) { return tagged("value", tagged(type, text)); }

} // namespace detail
} // namespace XmlRpc
