// Reads the XML that toXml writes, and what others write of it. Comes behind the class; nothing that is read is believed: nesting is bounded.
#pragma once
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>
#include <xmlrpcpp/XmlRpcValue.h>

namespace XmlRpc {
namespace detail {

class Reader {
public:
    Reader(const std::string &xml, size_t at) : xml_(xml), at_(at) {}
    size_t at() const { return at_; }

    // <value>...</value>, to which this one is set. False: it is none, or of a kind that nobody knows.
    bool value(XmlRpcValue &out)
    {
        if (depth_ == deepest || !tag("<value>")) return false;
        ++depth_;
        const bool is_read = content(out);
        --depth_;
        return is_read && tag("</value>");
    }

private:
    static const int deepest = 64;

    void skip_space()
    {
        while (at_ < xml_.size() && std::isspace(static_cast<unsigned char>(xml_[at_]))) ++at_;
    }
    bool tag(const std::string &wanted)
    {
        const size_t before = at_;
        skip_space();
        if (xml_.compare(at_, wanted.size(), wanted) == 0) {
            at_ += wanted.size();
            return true;
        }
        at_ = before;
        return false;
    }
    // All up to the next tag.
    std::string text()
    {
        const size_t end = std::min(xml_.find('<', at_), xml_.size());
        const std::string found = xml_.substr(at_, end - at_);
        at_ = end;
        return found;
    }
    // Between a tag and its end. False: it is not this one.
    bool inside(const std::string &name, std::string &found)
    {
        if (!tag("<" + name + ">")) return false;
        found = text();
        return tag("</" + name + ">");
    }

    bool content(XmlRpcValue &out)
    {
        std::string found;
        if (inside("boolean", found)) return boolean(found, out);
        if (inside("i4", found) || inside("int", found)) return integer(found, out);
        if (inside("double", found)) return number(found, out);
        if (inside("dateTime.iso8601", found)) return time(found, out);
        if (inside("base64", found)) return binary(found, out);
        if (tag("<array>")) return array(out);
        if (tag("<struct>")) return members(out);
        if (inside("string", found) || tag("<string/>")) {
            out = XmlRpcValue(unescaped(found));
            return true;
        }
        // Text without a tag is a string; behind it nothing else comes.
        const size_t before = at_;
        found = text();
        if (xml_.compare(at_, 8, "</value>") != 0) {
            at_ = before;
            return false;
        }
        out = XmlRpcValue(unescaped(found));
        return true;
    }

    static bool boolean(const std::string &text, XmlRpcValue &out)
    {
        if (text != "0" && text != "1") return false;
        out = XmlRpcValue(text == "1");
        return true;
    }
    static bool integer(const std::string &text, XmlRpcValue &out)
    {
        char *end = nullptr;
        errno = 0;
        const long value = std::strtol(text.c_str(), &end, 10);
        if (end == text.c_str() || *end != '\0' || errno != 0) return false;
        if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) return false;
        out = XmlRpcValue(static_cast<int>(value));
        return true;
    }
    static bool number(const std::string &text, XmlRpcValue &out)
    {
        char *end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (end == text.c_str() || *end != '\0') return false;
        out = XmlRpcValue(value);
        return true;
    }
    static bool time(const std::string &text, XmlRpcValue &out)
    {
        struct tm value = {};
        if (std::sscanf(text.c_str(), "%4d%2d%2dT%2d:%2d:%2d", &value.tm_year, &value.tm_mon, &value.tm_mday, &value.tm_hour, &value.tm_min,
                        &value.tm_sec) != 6) {
            return false;
        }
        value.tm_isdst = -1;
        out = XmlRpcValue(&value);
        return true;
    }
    // What is no digit (line ends) is passed over.
    static bool binary(const std::string &text, XmlRpcValue &out)
    {
        static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        std::vector<char> bytes;
        unsigned gathered = 0;
        int bits = 0;
        for (const char letter : text) {
            const size_t digit = digits.find(letter);
            if (digit == std::string::npos) continue;
            gathered = (gathered << 6 | static_cast<unsigned>(digit)) & 0xffff;
            bits += 6;
            if (bits < 8) continue;
            bits -= 8;
            bytes.push_back(static_cast<char>(gathered >> bits & 0xff));
        }
        out = XmlRpcValue(bytes.data(), static_cast<int>(bytes.size()));
        return true;
    }
    bool array(XmlRpcValue &out)
    {
        XmlRpcValue items, item;
        items.setSize(0);
        if (tag("<data/>")) {
            out = std::move(items);
            return tag("</array>");
        }
        if (!tag("<data>")) return false;
        for (int count = 0; value(item); ++count) items[count] = item;
        out = std::move(items);
        return tag("</data>") && tag("</array>");
    }
    bool members(XmlRpcValue &out)
    {
        XmlRpcValue all;
        all.begin();
        while (tag("<member>")) {
            std::string name;
            XmlRpcValue member;
            if (!inside("name", name) || !value(member) || !tag("</member>")) return false;
            all[unescaped(name)] = member;
        }
        out = std::move(all);
        return tag("</struct>");
    }

    static std::string unescaped(const std::string &text)
    {
        static const std::pair<const char *, char> letters[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&apos;", '\''}, {"&quot;", '"'}};
        std::string result;
        for (size_t at = 0; at < text.size();) {
            char letter = text[at];
            size_t len = 1;
            for (const auto &known : letters) {
                const std::string name = known.first;
                if (text.compare(at, name.size(), name) != 0) continue;
                letter = known.second;
                len = name.size();
            }
            result += letter;
            at += len;
        }
        return result;
    }

    const std::string &xml_;
    size_t at_;
    int depth_ = 0;
};

} // namespace detail

inline bool XmlRpcValue::fromXml(const std::string &xml, int *offset)
{
    clear();
    if (*offset < 0 || static_cast<size_t>(*offset) > xml.size()) return false;
    detail::Reader reader(xml, static_cast<size_t>(*offset));
    XmlRpcValue read;
    if (!reader.value(read)) return false;
    *this = std::move(read);
    *offset = static_cast<int>(reader.at());
    return true;
}

} // namespace XmlRpc
