// Values of XML-RPC between these headers and the C interface.
#pragma once
#include <ros/detail/node.h>
#include <string>
#include <tokkyu/node.h>
#include <xmlrpcpp/XmlRpcValue.h>

namespace ros {
namespace detail {

// A value of the C interface, which is given back to it.
class OwnedValue {
public:
    explicit OwnedValue(tk_value *value) : value_(value) {}
    OwnedValue(const OwnedValue &) = delete;
    OwnedValue &operator=(const OwnedValue &) = delete;
    ~OwnedValue()
    {
        if (value_ != nullptr) tk_value_free(value_);
    }

    const tk_value *get() const { return value_; }
    tk_value *release()
    {
        tk_value *const value = value_;
        value_ = nullptr;
        return value;
    }

private:
    tk_value *value_;
};

inline XmlRpc::XmlRpcValue from_tk(const tk_value *value);

inline XmlRpc::XmlRpcValue items_from_tk(const tk_value *value)
{
    XmlRpc::XmlRpcValue items;
    items.setSize(static_cast<int>(tk_value_count(value)));
    for (size_t at = 0; at < tk_value_count(value); ++at) items[static_cast<int>(at)] = from_tk(tk_value_item(value, at));
    return items;
}

inline XmlRpc::XmlRpcValue members_from_tk(const tk_value *value)
{
    XmlRpc::XmlRpcValue members;
    members.begin(); // a struct from now on, also without members
    for (size_t at = 0; at < tk_value_count(value); ++at) {
        members[take(tk_value_item_name(value, at))] = from_tk(tk_value_item(value, at));
    }
    return members;
}

// Nil is a value that is not set. A time has come as text.
inline XmlRpc::XmlRpcValue from_tk(const tk_value *value)
{
    switch (tk_value_kind_of(value)) {
    case TK_NIL: return {};
    case TK_BOOL: return tk_value_as_bool(value);
    case TK_INT: return static_cast<int>(tk_value_as_int(value));
    case TK_DOUBLE: return tk_value_as_double(value);
    case TK_TEXT: return take(tk_value_as_text(value));
    case TK_BINARY: {
        size_t len = 0;
        const uint8_t *const bytes = tk_value_as_binary(value, &len);
        return {const_cast<uint8_t *>(bytes), static_cast<int>(len)};
    }
    case TK_LIST: return items_from_tk(value);
    case TK_MAP: return members_from_tk(value);
    }
    return {};
}

inline tk_value *to_tk(const XmlRpc::XmlRpcValue &value);

// What is not set is left out.
inline void add_to_tk(tk_value *whole, const char *name, const XmlRpc::XmlRpcValue &item)
{
    if (tk_value *const added = to_tk(item)) tk_value_add(whole, name, added);
}

inline tk_value *items_to_tk(const XmlRpc::XmlRpcValue &value)
{
    tk_value *const items = tk_value_list();
    for (int at = 0; at < value.size(); ++at) add_to_tk(items, nullptr, value[at]);
    return items;
}

inline tk_value *members_to_tk(const XmlRpc::XmlRpcValue &value)
{
    tk_value *const members = tk_value_map();
    for (const auto &member : value) add_to_tk(members, member.first.c_str(), member.second);
    return members;
}

// The caller's. nullptr: the value is not set. A time goes as its text.
inline tk_value *to_tk(const XmlRpc::XmlRpcValue &value)
{
    typedef XmlRpc::XmlRpcValue Value;
    switch (value.getType()) {
    case Value::TypeInvalid: return nullptr;
    case Value::TypeBoolean: return tk_value_bool(static_cast<const bool &>(value));
    case Value::TypeInt: return tk_value_int(static_cast<const int &>(value));
    case Value::TypeDouble: return tk_value_double(static_cast<const double &>(value));
    case Value::TypeString: return tk_value_text(static_cast<const std::string &>(value).c_str());
    case Value::TypeDateTime: return tk_value_text(XmlRpc::detail::text_of(static_cast<const struct tm &>(value)).c_str());
    case Value::TypeBase64: {
        const Value::BinaryData &bytes = value;
        return tk_value_binary(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    }
    case Value::TypeArray: return items_to_tk(value);
    case Value::TypeStruct: return members_to_tk(value);
    }
    return nullptr;
}

} // namespace detail
} // namespace ros
