// A subscription outlives many publishers; what it knew of them goes.
#include "check.h"
#include "waiting.h"
#include <boost/weak_ptr.hpp>
#include <ros/ros.h>
#include <std_msgs/String.h>

typedef ros::MessageEvent<std_msgs::String const> Event;

int main(int argc, char **argv)
{
    ros::init(argc, argv, "links");
    ros::NodeHandle node;
    std::vector<boost::weak_ptr<ros::M_string>> headers;
    const boost::function<void(const Event &)> on_event = [&](const Event &event) {
        headers.push_back(event.getConnectionHeaderPtr());
    };
    const ros::Subscriber subscriber = node.subscribe<std_msgs::String, const Event &>("t", 1, on_event);
    for (size_t at = 0; at < 100; ++at) {
        ros::Publisher publisher = node.advertise<std_msgs::String>("t", 1);
        check::spin_until([&] { return publisher.getNumSubscribers() > 0; });
        publisher.publish(std_msgs::String());
        if (!check::spin_until([&] { return headers.size() > at; })) break;
        publisher.shutdown();
        check::spin_until([&] { return subscriber.getNumPublishers() == 0; });
    }
    size_t kept = 0;
    for (const auto &header : headers) kept += header.expired() ? 0 : 1;
    check::show("headers kept", headers.size() == 100 && kept < 80);
}
