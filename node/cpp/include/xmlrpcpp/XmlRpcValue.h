// A value of XML-RPC: what parameters are, and what the master says. A value that is not set yet becomes what it is first used as: an array by
// `value[0]`, a struct by `value["name"]`, an int by `static_cast<int &>(value)`. Used as anything else than it is, it throws XmlRpcException.
#pragma once
#include <cstddef>
#include <ctime>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>
#include <xmlrpcpp/XmlRpcException.h>
#include <xmlrpcpp/detail/text.h>

namespace XmlRpc {

class XmlRpcValue {
public:
    // In the order of Content.
    enum Type { TypeInvalid, TypeBoolean, TypeInt, TypeDouble, TypeString, TypeDateTime, TypeBase64, TypeArray, TypeStruct };

    typedef std::vector<char> BinaryData;
    typedef std::vector<XmlRpcValue> ValueArray;
    typedef std::map<std::string, XmlRpcValue> ValueStruct;
    typedef ValueStruct::iterator iterator;
    typedef ValueStruct::const_iterator const_iterator;

    XmlRpcValue() = default;
    XmlRpcValue(bool value) { content_.emplace<bool>(value); }
    XmlRpcValue(int value) { content_.emplace<int>(value); }
    XmlRpcValue(double value) { content_.emplace<double>(value); }
    XmlRpcValue(const std::string &value) { content_.emplace<std::string>(value); }
    XmlRpcValue(const char *value) { content_.emplace<std::string>(value); }
    // tm_year is the year and tm_mon the month as they are written, 2024 and 1 to 12.
    XmlRpcValue(struct tm *value) { content_.emplace<struct tm>(*value); }
    // As fromXml reads it; not set if there is none.
    XmlRpcValue(const std::string &xml, int *offset) { fromXml(xml, offset); }
    XmlRpcValue(void *bytes, int count)
    {
        const char *const first = static_cast<const char *>(bytes);
        content_.emplace<BinaryData>(first, first + count);
    }

    // Not set any more.
    void clear() { content_.emplace<std::monostate>(); }

    XmlRpcValue(const XmlRpcValue &) = default;
    XmlRpcValue(XmlRpcValue &&) = default;
    // Also of one of its own items.
    XmlRpcValue &operator=(const XmlRpcValue &other) { return *this = XmlRpcValue(other); }
    XmlRpcValue &operator=(XmlRpcValue &&other)
    {
        Content taken = std::move(other.content_);
        content_ = std::move(taken);
        return *this;
    }
    XmlRpcValue &operator=(const bool &value) { return *this = XmlRpcValue(value); }
    XmlRpcValue &operator=(const int &value) { return *this = XmlRpcValue(value); }
    XmlRpcValue &operator=(const double &value) { return *this = XmlRpcValue(value); }
    XmlRpcValue &operator=(const char *value) { return *this = XmlRpcValue(value); }

    bool operator==(const XmlRpcValue &other) const
    {
        if (getType() != other.getType()) return false;
        switch (getType()) {
        case TypeInvalid: return true;
        case TypeBoolean: return is<bool>(other);
        case TypeInt: return is<int>(other);
        case TypeDouble: return is<double>(other);
        case TypeString: return is<std::string>(other);
        case TypeDateTime: return detail::text_of(*of<struct tm>()) == detail::text_of(*other.of<struct tm>());
        case TypeBase64: return is<BinaryData>(other);
        case TypeArray: return is<ValueArray>(other);
        case TypeStruct: return is<ValueStruct>(other);
        }
        return false;
    }
    bool operator!=(const XmlRpcValue &other) const { return !(*this == other); }

    operator bool &() { return made<bool>(TypeBoolean); }
    operator int &() { return made<int>(TypeInt); }
    operator double &() { return made<double>(TypeDouble); }
    operator std::string &() { return made<std::string>(TypeString); }
    operator BinaryData &() { return made<BinaryData>(TypeBase64); }
    operator struct tm &() { return made<struct tm>(TypeDateTime); }

    operator const bool &() const { return there<bool>(TypeBoolean); }
    operator const int &() const { return there<int>(TypeInt); }
    operator const double &() const { return there<double>(TypeDouble); }
    operator const std::string &() const { return there<std::string>(TypeString); }
    operator const BinaryData &() const { return there<BinaryData>(TypeBase64); }
    operator const struct tm &() const { return there<struct tm>(TypeDateTime); }

    // An item of an array, which grows up to it; a const one throws. Less than 0: throws std::out_of_range.
    XmlRpcValue &operator[](int index)
    {
        setSize(index < 0 ? 0 : index + 1);
        return of<ValueArray>()->at(static_cast<size_t>(index));
    }
    const XmlRpcValue &operator[](int index) const
    {
        const ValueArray &items = there<ValueArray>(TypeArray);
        if (index >= static_cast<int>(items.size())) {
            throw XmlRpcException("the array has " + std::to_string(items.size()) + " items, none at " + std::to_string(index));
        }
        return items.at(static_cast<size_t>(index));
    }

    // A member of a struct, which gets it if it is not there; a const one too, as in roscpp.
    XmlRpcValue &operator[](const std::string &name) { return made<ValueStruct>(TypeStruct)[name]; }
    XmlRpcValue &operator[](const std::string &name) const { return there<ValueStruct>(TypeStruct)[name]; }
    XmlRpcValue &operator[](const char *name) { return (*this)[std::string(name)]; }
    XmlRpcValue &operator[](const char *name) const { return (*this)[std::string(name)]; }

    // The members of a struct, by name.
    iterator begin() { return made<ValueStruct>(TypeStruct).begin(); }
    iterator end() { return made<ValueStruct>(TypeStruct).end(); }
    const_iterator begin() const { return there<ValueStruct>(TypeStruct).begin(); }
    const_iterator end() const { return there<ValueStruct>(TypeStruct).end(); }

    bool valid() const { return getType() != TypeInvalid; }
    Type getType() const { return static_cast<Type>(content_.index()); }

    // Characters of text, bytes, items of an array, members of a struct; others throw.
    int size() const
    {
        switch (getType()) {
        case TypeString: return static_cast<int>(of<std::string>()->size());
        case TypeBase64: return static_cast<int>(of<BinaryData>()->size());
        case TypeArray: return static_cast<int>(of<ValueArray>()->size());
        case TypeStruct: return static_cast<int>(of<ValueStruct>()->size());
        default: throw XmlRpcException(std::string(name(getType())) + " has no size");
        }
    }

    // An array of at least so many items.
    void setSize(int size)
    {
        if (!valid() && size < 0) throw std::length_error("an array cannot have " + std::to_string(size) + " items");
        ValueArray &items = made<ValueArray>(TypeArray);
        if (static_cast<int>(items.size()) < size) items.resize(static_cast<size_t>(size));
    }

    bool hasMember(const std::string &name) const
    {
        const ValueStruct *const members = of<ValueStruct>();
        return members != nullptr && members->count(name) != 0;
    }

    // For people: arrays as {a,b}, structs as [name:a,name:b].
    std::ostream &write(std::ostream &os) const
    {
        switch (getType()) {
        case TypeInvalid: return os;
        case TypeBoolean: return os << *of<bool>();
        case TypeInt: return os << *of<int>();
        case TypeDouble: return write_double(os);
        case TypeString: return os << *of<std::string>();
        case TypeDateTime: return os << detail::text_of(*of<struct tm>());
        case TypeBase64: return os << detail::base64(*of<BinaryData>());
        case TypeArray: return write_items(os);
        case TypeStruct: return write_members(os);
        }
        return os;
    }

    // The value as XML-RPC has it; one that is not set is nothing.
    std::string toXml() const
    {
        switch (getType()) {
        case TypeInvalid: return "";
        case TypeBoolean: return detail::value_of("boolean", *of<bool>() ? "1" : "0");
        case TypeInt: return detail::value_of("i4", std::to_string(*of<int>()));
        case TypeDouble: return detail::value_of("double", detail::text_of(*of<double>()));
        case TypeString: return detail::tagged("value", detail::escaped(*of<std::string>()));
        case TypeDateTime: return detail::value_of("dateTime.iso8601", detail::text_of(*of<struct tm>()));
        case TypeBase64: return detail::value_of("base64", detail::base64(*of<BinaryData>()));
        case TypeArray: return detail::value_of("array", detail::tagged("data", xml_of_items()));
        case TypeStruct: return detail::value_of("struct", xml_of_members());
        }
        return "";
    }

    // Reads the value that begins at the offset, which is behind it then. False: there is none; then this one is not set, and the offset as before.
    bool fromXml(const std::string &xml, int *offset);

    // How programs want doubles to be written, as in printf. toXml writes 17 digits whatever it is, as in roscpp 1.15.
    static const std::string &getDoubleFormat() { return double_format(); }
    static void setDoubleFormat(const char *format) { double_format() = format; }

private:
    typedef std::variant<std::monostate, bool, int, double, std::string, struct tm, BinaryData, ValueArray, ValueStruct> Content;

    static const char *name(Type type)
    {
        static const char *const names[] = {"a value that is not set", "a boolean", "an int", "a double", "a string", "a time", "binary data",
                                            "an array", "a struct"};
        return names[type];
    }

    static std::string &double_format()
    {
        static std::string *const format = new std::string("%.17g");
        return *format;
    }

    // nullptr: it is something else.
    template <typename T> T *of() const { return std::get_if<T>(&content_); }
    template <typename T> bool is(const XmlRpcValue &other) const { return *of<T>() == *other.of<T>(); }

    template <typename T> T &there(Type wanted) const
    {
        if (T *const value = of<T>()) return *value;
        throw XmlRpcException(std::string(name(getType())) + " is used as " + name(wanted));
    }

    template <typename T> T &made(Type wanted)
    {
        if (!valid()) content_.emplace<T>();
        return there<T>(wanted);
    }

    // With 16 digits whatever the stream says, as in roscpp.
    std::ostream &write_double(std::ostream &os) const
    {
        const std::streamsize before = os.precision(16);
        os << *of<double>();
        os.precision(before);
        return os;
    }

    std::ostream &write_items(std::ostream &os) const
    {
        const char *between = "";
        os << '{';
        for (const XmlRpcValue &item : *of<ValueArray>()) {
            item.write(os << between);
            between = ",";
        }
        return os << '}';
    }

    std::ostream &write_members(std::ostream &os) const
    {
        const char *between = "";
        os << '[';
        for (const auto &member : *of<ValueStruct>()) {
            member.second.write(os << between << member.first << ':');
            between = ",";
        }
        return os << ']';
    }

    std::string xml_of_items() const
    {
        std::string xml;
        for (const XmlRpcValue &item : *of<ValueArray>()) xml += item.toXml();
        return xml;
    }

    std::string xml_of_members() const
    {
        std::string xml;
        for (const auto &member : *of<ValueStruct>()) {
            xml += detail::tagged("member", detail::tagged("name", detail::escaped(member.first)) + member.second.toXml());
        }
        return xml;
    }

    // A const struct gets members too.
    mutable Content content_;
};

inline std::ostream &operator<<(std::ostream &os, const XmlRpcValue &value) { return value.write(os); }

} // namespace XmlRpc

#include <xmlrpcpp/detail/read.h>
