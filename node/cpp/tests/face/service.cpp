// Services offered in every form, and called.
#include "check.h"
#include <ros/ros.h>
#include <std_srvs/SetBool.h>

using std_srvs::SetBool;
typedef SetBool::Request Request;
typedef SetBool::Response Response;
typedef ros::ServiceEvent<Request, Response> Event;

namespace {

bool say(const char *who, bool asked, Response &response)
{
    response.message = who;
    response.success = asked;
    return true;
}

struct Robot {
    bool plain(Request &request, Response &response) { return say("member", request.data, response); }
    bool event(Event &event)
    {
        return say(event.getCallerName().c_str(), event.getRequest().data, event.getResponse());
    }
};

bool plain(Request &request, Response &response) { return say("function", request.data, response); }
bool event(Event &event) { return say("function, event", event.getRequest().data, event.getResponse()); }

std::vector<ros::ServiceServer> offer(ros::NodeHandle &node, Robot *robot, const boost::shared_ptr<Robot> &shared)
{
    const boost::function<bool(Request &, Response &)> function = [](Request &request, Response &response) {
        return say("boost::function", request.data, response);
    };
    const boost::function<bool(Event &)> of_event = [](Event &called) { return event(called); };
    ros::AdvertiseServiceOptions options = ros::AdvertiseServiceOptions::create<SetBool>("s9", plain, ros::VoidPtr(), nullptr);
    return {node.advertiseService("s0", &Robot::plain, robot), node.advertiseService("s1", &Robot::plain, shared),
            node.advertiseService("s2", &Robot::event, robot), node.advertiseService("s3", &Robot::event, shared),
            node.advertiseService("s4", plain),                node.advertiseService("s5", event),
            node.advertiseService<Request, Response>("s6", function), node.advertiseService<Event>("s7", of_event),
            node.advertiseService<Request, Response>("s8", &plain), node.advertiseService(options)};
}

void call(const std::string &name, bool data)
{
    SetBool what;
    what.request.data = data;
    check::show(name, ros::service::call(name, what));
    check::show("  success", static_cast<bool>(what.response.success));
    check::show("  message", what.response.message);
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "server");
    ros::NodeHandle node;
    Robot robot;
    const auto shared = boost::make_shared<Robot>();
    std::vector<ros::ServiceServer> servers = offer(node, &robot, shared);
    ros::AsyncSpinner spinner(2);
    spinner.start();
    for (size_t at = 0; at < servers.size(); ++at) call("s" + std::to_string(at), at % 2 == 0);
    check::show("waited", ros::service::waitForService("s4", ros::Duration(5)));
    check::show("exists", ros::service::exists("/s4", false));
    check::show("does not", ros::service::exists("none", false));
    check::show("does not come", ros::service::waitForService("none", 50));
    ros::ServiceClient client = node.serviceClient<SetBool>("s4", true);
    check::show("waited by a client", client.waitForExistence(ros::Duration(5)));
    Request request;
    Response response;
    for (int at = 0; at < 2; ++at) check::show("persistent", client.call(request, response));
    check::show("is valid", client.isValid());
    check::show("named", client.getService());
    servers[4].shutdown();
    check::show("shut down", servers[4].getService());
    check::show("not offered any more", ros::service::exists("s4", false));
}
