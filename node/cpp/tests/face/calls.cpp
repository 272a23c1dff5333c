// Services: connections that are kept, and callers at the same time.
#include "check.h"
#include <atomic>
#include <ros/ros.h>
#include <std_srvs/Empty.h>
#include <thread>

using check::show;

namespace {

typedef std_srvs::Empty::Request Request;
typedef std_srvs::Empty::Response Response;

bool done(Request &, Response &) { return true; }

ros::ServiceServer offer(ros::NodeHandle &node) { return node.advertiseService("kept", done); }

// Whether `is` comes true; told by the master and by connections that close.
template <typename Is> bool comes(Is is)
{
    for (int at = 0; at < 2000 && !is(); ++at) ros::WallDuration(0.005).sleep();
    return is();
}

void kept(ros::NodeHandle &node)
{
    std_srvs::Empty empty;
    ros::ServiceServer server = offer(node);
    ros::ServiceClient client = node.serviceClient<std_srvs::Empty>("kept", true);
    show("at once", client.isValid());
    show("called", client.call(empty));
    server.shutdown();
    show("lost", comes([&client] { return !client.isValid(); }));
    show("as a truth", static_cast<bool>(client));
    show("called", client.call(empty));
    server = offer(node);
    show("stays lost", client.call(empty));
    if (!client) client = node.serviceClient<std_srvs::Empty>("kept", true);
    show("connected again", client.call(empty));
    client.shutdown();
    show("after shutdown", client.isValid());
    ros::ServiceClient none = node.serviceClient<std_srvs::Empty>("nobody", true);
    show("nobody", none.isValid() || none);
    show("nobody answers", none.call(empty));
    ros::ServiceClient loose = node.serviceClient<std_srvs::Empty>("kept");
    loose.shutdown();
    show("one that keeps nothing", loose.isValid() && loose.call(empty));
}

// Each callback waits for the other: one after the other they would wait for ever.
void at_once(ros::NodeHandle &node)
{
    std::atomic<int> inside{0}, met{0};
    ros::ServiceServer server = node.advertiseService<Request, Response>("meeting", [&](Request &, Response &) {
        ++inside;
        if (comes([&inside] { return inside >= 3; })) ++met;
        return true;
    });
    std::vector<std::thread> callers;
    for (int at = 0; at < 3; ++at) {
        callers.emplace_back([] {
            std_srvs::Empty empty;
            ros::service::call("meeting", empty);
        });
    }
    for (std::thread &caller : callers) caller.join();
    show("have met", met.load());
}

void waited_for()
{
    show("nobody", ros::service::exists("nobody", false));
    show("nobody comes", ros::service::waitForService("nobody", ros::Duration(0.05)));
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "caller");
    ros::NodeHandle node;
    ros::AsyncSpinner spinner(4);
    spinner.start();
    kept(node);
    at_once(node);
    waited_for();
}
