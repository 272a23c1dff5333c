// A program that ends in good order when others ask it to: the function that is called is its own.
#include "check.h"
#include <atomic>
#include <ros/ros.h>
#include <ros/xmlrpc_manager.h>

namespace {

std::atomic<bool> is_asked{false};
std::string caller, reason;

void on_shutdown(XmlRpc::XmlRpcValue &params, XmlRpc::XmlRpcValue &result)
{
    if (params.getType() == XmlRpc::XmlRpcValue::TypeArray && params.size() > 1) {
        caller = static_cast<std::string>(params[0]);
        reason = static_cast<std::string>(params[1]);
        is_asked = true;
    }
    result = ros::xmlrpc::responseInt(1, "", 0);
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "asked", ros::init_options::NoSigintHandler);
    const ros::XMLRPCManagerPtr manager = ros::XMLRPCManager::instance();
    if (argc > 1) {
        manager->unbind("shutdown");
        check::show("bound", manager->bind("shutdown", on_shutdown));
        check::show("bound again", manager->bind("shutdown", on_shutdown));
    }
    ros::NodeHandle node;
    check::show("bound when it runs", manager->bind("shutdown", on_shutdown));
    check::show("port", manager->getServerPort() > 0 && manager->getServerURI().find("http://") == 0);
    check::show("a text", ros::xmlrpc::responseStr(1, "so", "it"));
    check::show("a bool", ros::xmlrpc::responseBool(0, "", true));
    while (ros::ok() && !is_asked) {
        ros::spinOnce();
        ros::WallDuration(0.01).sleep();
    }
    check::show("still runs", ros::ok());
    check::show("asked by", caller);
    check::show("because", reason);
    ros::shutdown();
    check::show("over", !ros::ok());
}
