// XmlRpcValue by itself: what it becomes, what it is written as, what it refuses.
#include "check.h"
#include <cstring>
#include <stdexcept>
#include <xmlrpcpp/XmlRpcValue.h>

using check::attempt;
using check::show;
using XmlRpc::XmlRpcValue;

static void streamed(const XmlRpcValue &value) { std::cout << value << std::endl; }

namespace {

XmlRpcValue time_value()
{
    struct tm time;
    std::memset(&time, 0, sizeof time);
    time.tm_year = 2024;
    time.tm_mon = 2;
    time.tm_mday = 3;
    time.tm_hour = 14;
    time.tm_sec = 9;
    return XmlRpcValue(&time);
}

XmlRpcValue binary_value(int len)
{
    std::vector<char> bytes;
    for (int at = 0; at < len; ++at) bytes.push_back(static_cast<char>(at * 37));
    return XmlRpcValue(bytes.data(), len);
}

XmlRpcValue array_value()
{
    XmlRpcValue array;
    array[2] = 5;
    array[0] = "first";
    array[3][1] = true;
    return array;
}

XmlRpcValue struct_value()
{
    XmlRpcValue value;
    value["k"] = 1;
    value["m"]["n"] = 2.5;
    value[std::string("list")] = array_value();
    return value;
}

std::vector<XmlRpcValue> all()
{
    XmlRpcValue empty_array, empty_struct;
    empty_array.setSize(0);
    empty_struct.begin();
    std::vector<XmlRpcValue> values = {XmlRpcValue(), true, false, 7, -1, 0.1,
                                       1e20, 3.0, 1.0 / 3, 2147483646.6, "", "a<b>&'\" ", std::string("text"), time_value()};
    // Not 54: roscpp writes a zero byte then.
    for (int len : {0, 1, 2, 3, 53, 55, 110, 200}) values.push_back(binary_value(len));
    values.insert(values.end(), {empty_array, array_value(), empty_struct, struct_value()});
    return values;
}

void written(const XmlRpcValue &value)
{
    streamed(value);
    show("  type", static_cast<int>(value.getType()));
    show("  valid", value.valid());
    show("  xml", value.toXml());
    show("  has k", value.hasMember("k"));
    attempt("  size", [&] { return value.size(); });
}

// As a const one and as one that may change, each anew.
void converted(const XmlRpcValue &value)
{
    attempt("  const bool", [&] { return static_cast<const bool &>(value); });
    attempt("  const int", [&] { return static_cast<const int &>(value); });
    attempt("  const double", [&] { return static_cast<const double &>(value); });
    attempt("  const text", [&] { return static_cast<const std::string &>(value); });
    attempt("  const bytes", [&] { return static_cast<const XmlRpcValue::BinaryData &>(value).size(); });
    attempt("  const time", [&] { return static_cast<const struct tm &>(value).tm_hour; });
    attempt("  const [1]", [&] { return value[1]; });
    attempt("  const [9]", [&] { return value[9]; });
    attempt("  const begin", [&] { return value.begin()->first; });
    attempt("  bool", [copy = value]() mutable { return static_cast<bool &>(copy); });
    attempt("  int", [copy = value]() mutable { return static_cast<int &>(copy) += 0; });
    attempt("  double", [copy = value]() mutable { return static_cast<double &>(copy) += 0; });
    attempt("  text", [copy = value]() mutable { return static_cast<std::string &>(copy); });
    attempt("  bytes", [copy = value]() mutable { return static_cast<XmlRpcValue::BinaryData &>(copy).size(); });
    attempt("  time", [copy = value]() mutable { return static_cast<struct tm &>(copy).tm_hour; });
    attempt("  [5]", [copy = value]() mutable { return copy[5] = 1, copy; });
    attempt("  [new]", [copy = value]() mutable { return copy["new"] = 1, copy; });
    attempt("  begin", [copy = value]() mutable { return copy.begin() == copy.end(); });
    attempt<std::out_of_range>("  [-1]", [copy = value]() mutable { return copy[-1]; });
    attempt<std::length_error>("  size -1", [copy = value]() mutable { return copy.setSize(-1), copy; });
}

// As programs write it.
void as_used()
{
    XmlRpcValue value = struct_value();
    const XmlRpcValue &constant = value;
    const int k = value["k"];
    const double n = constant["m"]["n"];
    const std::string first = value["list"][0];
    show("members", first + " " + std::to_string(k) + " " + std::to_string(n));
    show("a const struct gets a member", constant["new"].valid());
    for (const auto &member : constant) show("  member " + member.first, member.second);
    for (XmlRpcValue::iterator at = value.begin(); at != value.end(); ++at) at->second = at->first.c_str();
    show("changed", value);
    value.clear();
    show("valid once cleared", value.valid());
    value = std::string("text");
    static_cast<std::string &>(value) += " and more";
    value = value;
    show("text", value);
    value = 3;
    show("int", static_cast<int>(value) + 1);
    XmlRpcValue array = array_value();
    array.setSize(1);
    show("does not shrink", array.size());
    XmlRpcValue::setDoubleFormat("%.3f");
    show("format", XmlRpcValue(0.5).toXml() + XmlRpcValue::getDoubleFormat());
}

} // namespace

void show_read(const std::string &xml, int offset = 0)
{
    XmlRpcValue value;
    const bool is_read = value.fromXml(xml, &offset);
    std::cout << (is_read ? "read " : "refused ") << xml << " -> " << value.toXml() << " of type " << value.getType() << " at " << offset << std::endl;
}

void read_xml()
{
    for (const char *const inside :
         {"<boolean>1</boolean>", "<boolean>0</boolean>", "<i4>-5</i4>", "<int>7</int>", "<double>2.5</double>", "<string>a b</string>", "plain &lt;text&gt;",
          "", "<string></string>", "<string>&amp;&quot;&apos;</string>", "<dateTime.iso8601>20240102T03:04:05</dateTime.iso8601>", "<base64>AAEC/w==</base64>",
          "<array><data></data></array>", "<array><data><value><i4>1</i4></value> <value>two</value></data></array>", "<struct></struct>",
          "<struct><member><name>a</name><value><int>1</int></value></member> <member><name>b</name><value>x</value></member></struct>",
          "<array><data><value><array><data><value><i4>1</i4></value></data></array></value></data></array>", "<boolean>2</boolean>", "<i4>five</i4>",
          "<double>x</double>", "<unknown>1</unknown>"}) {
        show_read("<value>" + std::string(inside) + "</value>rest");
    }
    show_read(" <value><i4>1</i4></value>");
    show_read("xx<value><i4>1</i4></value>", 2);
    show_read("<i4>1</i4>");
    show_read("");
    int offset = 0;
    check::show("made of it", XmlRpcValue("<value><i4>3</i4></value>", &offset));
}

int main()
{
    const std::vector<XmlRpcValue> values = all();
    for (const XmlRpcValue &value : values) {
        written(value);
        converted(value);
        std::string equal;
        for (const XmlRpcValue &other : values) equal += value == other ? '=' : value != other ? '.' : '?';
        show("  equal", equal);
    }
    as_used();
    read_xml();
    XmlRpc::XmlRpcException error("words", 3);
    show("exception", error.getMessage() + std::to_string(error.getCode()));
    return 0;
}
