// Parameters: `param set` sets one of each type, `param get` reads all that is set as all types, `param search` and `param lists` the rest.
#include "check.h"
#include <algorithm>
#include <ros/exceptions.h>
#include <ros/init.h>
#include <ros/param.h>
#include <ros/this_node.h>

using check::attempt;
using check::show;
using XmlRpc::XmlRpcValue;
namespace param = ros::param;

namespace {

XmlRpcValue tree()
{
    XmlRpcValue tree;
    tree["gains"]["p"] = 1.5;
    tree["gains"]["i"] = 0;
    tree["names"][0] = "left";
    tree["names"][1] = "right & <wrong>";
    tree["mixed"][0] = 1;
    tree["mixed"][1] = "two";
    tree["numbers"][0] = 1;
    tree["numbers"][1] = 2.75;
    tree["numbers"][2] = true;
    tree["empty"].setSize(0);
    return tree;
}

XmlRpcValue binary()
{
    char bytes[] = {0, 1, 2, -1, 'a'};
    return XmlRpcValue(bytes, 5);
}

void set_containers()
{
    param::set("texts", std::vector<std::string>{"a", "", "c d"});
    param::set("doubles", std::vector<double>{0.1, -2, 1e5});
    param::set("floats", std::vector<float>{0.5F, 3});
    param::set("ints", std::vector<int>{1, -2147483647});
    param::set("bools", std::vector<bool>{true, false});
    param::set("none", std::vector<int>());
    param::set("text_map", std::map<std::string, std::string>{{"a", "b"}});
    param::set("double_map", std::map<std::string, double>{{"a", 0.1}, {"b", 2}});
    param::set("float_map", std::map<std::string, float>{{"a", 0.25F}});
    param::set("int_map", std::map<std::string, int>{{"x", -1}, {"y", 7}});
    param::set("bool_map", std::map<std::string, bool>{{"a", true}, {"b", false}});
}

void set_all()
{
    param::set("text", std::string("text"));
    param::set("literal", "a literal <&>");
    param::set("~private", "mine");
    param::set("/face/global", 1);
    param::set("double", 0.1);
    param::set("whole", 3.0);
    param::set("int", -7);
    param::set("yes", true);
    param::set("no", false);
    const double near[] = {1.4, 1.5, 1.6, -1.2, -1.5, -1.6, -0.2, 2147483646.6};
    for (size_t at = 0; at < sizeof near / sizeof *near; ++at) param::set("near/n" + std::to_string(at), near[at]);
    param::set("tree", tree());
    param::set("/bytes", binary());
    set_containers();
}

template <typename T> void as(const std::string &what, const std::string &key, T value)
{
    const bool found = param::get(key, value);
    show(key + " as " + what, found);
    // roscpp may have changed it anyway.
    if (found) show("  is", value);
    if (param::getCached(key, value) != found) show("  cached otherwise", !found);
    if (found) show("  cached", value);
}

void as_all(const std::string &key)
{
    as("text", key, std::string("before"));
    as("double", key, -5.0);
    as("float", key, -5.0F);
    as("int", key, -5);
    as("bool", key, true);
    as("any", key, XmlRpcValue());
    as("texts", key, std::vector<std::string>());
    as("doubles", key, std::vector<double>());
    as("floats", key, std::vector<float>());
    as("ints", key, std::vector<int>());
    as("bools", key, std::vector<bool>());
    as("text map", key, std::map<std::string, std::string>());
    as("double map", key, std::map<std::string, double>());
    as("float map", key, std::map<std::string, float>());
    as("int map", key, std::map<std::string, int>());
    as("bool map", key, std::map<std::string, bool>());
    show(key + " has", param::has(key));
}

void get_all()
{
    std::vector<std::string> keys;
    show("names", param::getParamNames(keys));
    std::sort(keys.begin(), keys.end());
    for (const std::string &key : keys) {
        if (key.rfind("/face/", 0) == 0) as_all(key);
    }
    for (const char *key : {"/face", "tree", "tree/gains", "tree/numbers", "nothing", "~private", "/bytes"}) as_all(key);
    attempt<ros::InvalidNameException>("no name", [] { return param::has("a-b"); });
    attempt<ros::InvalidNameException>("no name to set", [] { return param::set("a-b", 1), true; });
}

void with_defaults()
{
    int number = 0;
    show("param", param::param("int", number, 3));
    show("  is", number);
    show("param of another type", param::param("text", number, 3));
    show("  is", number);
    show("default", param::param("nothing", 4.5));
    show("default text", param::param<std::string>("nothing", "otherwise"));
    show("default of a literal", param::param<std::string>("text", "otherwise"));
    show("default list", param::param("nothing", std::vector<int>{1, 2}));
}

void search(const std::string &ns, const std::string &key)
{
    std::string result = "before";
    const bool found = ns.empty() ? param::search(key, result) : param::search(ns, key, result);
    show("search " + key + " in " + ns, found);
    if (found) show("  is", result);
}

void search_all()
{
    for (const char *key : {"text", "tree/gains/p", "tree/not/there", "global", "/face/global", "/nothing", "nothing", "private", "old"}) {
        for (const char *ns : {"", "/face/a/b", "/", "/face"}) search(ns, key);
    }
}

void delete_all()
{
    show("deleted", param::del("int"));
    show("deleted twice", param::del("int"));
    show("has", param::has("int"));
    param::set("int", "again");
    std::string text;
    show("set anew", param::getCached("int", text) ? text : "");
    param::set("int", "and again");
    // One that is kept is told of changes; here the change is our own, and known at once.
    show("and again", param::get("int", text) ? text : "");
    param::unsubscribeCachedParam("int");
    param::unsubscribeCachedParam();
    param::set("nil", XmlRpcValue());
    show("nothing is set of nothing", param::has("nil"));
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "param", ros::init_options::NoSigintHandler);
    ros::start();
    const std::string role = argc > 1 ? argv[1] : "";
    if (role == "set") {
        set_all();
    } else if (role == "get") {
        get_all();
        with_defaults();
        search_all();
    } else if (role == "delete") {
        delete_all();
    }
    ros::shutdown();
    return 0;
}
