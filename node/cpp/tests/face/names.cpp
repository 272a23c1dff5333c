// Names: how they are checked, cleaned, resolved and renamed, for the arguments and the environment that the program gets.
#include "check.h"
#include <ros/exceptions.h>
#include <ros/init.h>
#include <ros/master.h>
#include <ros/names.h>
#include <ros/network.h>
#include <ros/this_node.h>

using check::attempt;
using check::show;
namespace names = ros::names;

namespace {

const char *const samples[] = {"",    "/",    "~",    "a",   "/a",   "~a",   "~/a", "a/b",  "a//b/", "//a", "a/",   "/a/b/c", "/a/b/",
                               "1a",  "_a",   "-",    "a-b", "a~",   "/~a",  "a b", "A1_", "/1",    "/_",  "///",  "/a/",    "a_/",
                               "a\n", "chatter", "/chatter", "in", "~in", "/robot/chatter", "chatter/a", "\xc3\xa9"};

void alone()
{
    for (const std::string name : samples) {
        std::string error;
        show("validate " + name, names::validate(name, error));
        show("  says why", !error.empty());
        show("clean " + name, names::clean(name));
        show("append x " + name, names::append("x", name));
        attempt<ros::InvalidNameException>("parent " + name, [&] { return names::parentNamespace(name); });
    }
}

void here()
{
    for (const std::string name : samples) {
        attempt<ros::InvalidNameException>("resolve " + name, [&] { return names::resolve(name); });
        attempt<ros::InvalidNameException>("only resolve " + name, [&] { return names::resolve(name, false); });
        attempt<ros::InvalidNameException>("resolve in /ns " + name, [&] { return names::resolve("/ns", name); });
        attempt<ros::InvalidNameException>("resolve in ns " + name, [&] { return names::resolve("ns", name, false); });
        attempt<ros::InvalidNameException>("resolve in nothing " + name, [&] { return names::resolve("", name, false); });
        attempt<ros::InvalidNameException>("remap " + name, [&] { return names::remap(name); });
    }
    show("renamed", names::getRemappings());
    show("renamed, as said", names::getUnresolvedRemappings());
}

void who()
{
    show("name", ros::this_node::getName());
    show("namespace", ros::this_node::getNamespace());
    show("master", ros::master::getURI());
    show("its host", ros::master::getHost());
    show("its port", ros::master::getPort());
    show("our host", ros::network::getHost());
}

void addresses()
{
    for (const std::string uri : {"http://host:11311/", "http://host:11311", "rosrpc://host:1", "host:2", "http://host/", "", "http://h:1/x/y"}) {
        std::string host;
        uint32_t port = 0;
        if (ros::network::splitURI(uri, host, port)) show(uri, host + " " + std::to_string(port));
        else show(uri, false);
    }
}

} // namespace

int main(int argc, char **argv)
{
    const std::string name = argc > 1 ? argv[1] : "talker";
    const uint32_t options = argc > 2 && std::string(argv[2]) == "anonymous" ? ros::init_options::AnonymousName : 0;
    try {
        ros::init(argc, argv, name, options | ros::init_options::NoSigintHandler);
    } catch (const ros::InvalidNodeNameException &) {
        show("no name for a node", name);
        return 0;
    } catch (const ros::InvalidNameException &) {
        show("no name", name);
        return 0;
    }
    alone();
    who();
    here();
    addresses();
    return 0;
}
