// A topic subscribed to in every form that roscpp has: whoever is named by the program, and whatever its callback takes.
#include "check.h"
#include "waiting.h"
#include <memory>
#include <ros/ros.h>
#include <std_msgs/String.h>

using std_msgs::String;
typedef ros::MessageEvent<String const> Event;
typedef ros::MessageEvent<String> OwnEvent;

namespace {

std::map<std::string, int> calls;

struct Robot {
    void by_pointer(const String::ConstPtr &) { ++calls["member, pointer"]; }
    void by_pointer_const(const String::ConstPtr &) const { ++calls["const member, pointer"]; }
    void by_copied_pointer(String::ConstPtr) { ++calls["member, pointer by value"]; }
    void by_own_pointer(const String::Ptr &) { ++calls["member, own pointer"]; }
    void by_reference(const String &) { ++calls["member, reference"]; }
    void by_value(String) { ++calls["member, value"]; }
    void by_event(const Event &) { ++calls["member, event"]; }
    void by_own_event(const OwnEvent &) { ++calls["member, own event"]; }
};

void by_pointer(const String::ConstPtr &) { ++calls["function, pointer"]; }
void by_reference(const String &) { ++calls["function, reference"]; }
void by_event(const Event &) { ++calls["function, event"]; }

typedef std::vector<ros::Subscriber> Subscribers;

// The message's type is deduced from the callback.
void subscribe_deduced(ros::NodeHandle &node, Robot *robot, const boost::shared_ptr<Robot> &shared, Subscribers &all)
{
    all.push_back(node.subscribe("t", 5, &Robot::by_pointer, robot));
    all.push_back(node.subscribe("t", 5, &Robot::by_pointer_const, robot));
    all.push_back(node.subscribe("t", 5, &Robot::by_copied_pointer, robot));
    all.push_back(node.subscribe("t", 5, &Robot::by_own_pointer, robot));
    all.push_back(node.subscribe("t", 5, &Robot::by_reference, robot));
    all.push_back(node.subscribe("t", 5, &Robot::by_value, robot));
    all.push_back(node.subscribe("t", 5, &Robot::by_event, robot));
    all.push_back(node.subscribe("t", 5, &Robot::by_own_event, robot));
    all.push_back(node.subscribe("t", 5, &Robot::by_pointer, shared));
    all.push_back(node.subscribe("t", 5, &Robot::by_pointer_const, shared, ros::TransportHints().tcpNoDelay()));
    all.push_back(node.subscribe("t", 5, by_pointer));
    all.push_back(node.subscribe("t", 5, by_reference, ros::TransportHints().tcpNoDelay()));
    all.push_back(node.subscribe("t", 5, &by_event));
}

// The program says it.
void subscribe_explicit(ros::NodeHandle &node, Robot *robot, const boost::shared_ptr<Robot> &shared, Subscribers &all)
{
    const ros::TransportHints hints = ros::TransportHints().reliable().tcpNoDelay();
    all.push_back(node.subscribe<String>("t", 5, &Robot::by_pointer, robot));
    all.push_back(node.subscribe<String>("t", 5, &Robot::by_pointer, robot, hints));
    all.push_back(node.subscribe<String>("t", 5, &Robot::by_pointer_const, robot));
    all.push_back(node.subscribe<String>("t", 5, &Robot::by_pointer_const, robot, hints));
    all.push_back(node.subscribe<String>("t", 5, &Robot::by_pointer, shared));
    all.push_back(node.subscribe<String>("t", 5, &Robot::by_pointer, shared, hints));
    all.push_back(node.subscribe<String>("t", 5, &Robot::by_pointer_const, shared));
    all.push_back(node.subscribe<String>("t", 5, &Robot::by_pointer_const, shared, hints));
    all.push_back(node.subscribe<String, Robot>("t", 5, &Robot::by_pointer, robot));
    all.push_back(node.subscribe<const String &, Robot>("t", 5, &Robot::by_reference, robot));
    all.push_back(node.subscribe<const String::ConstPtr &>("t", 5, &Robot::by_pointer, robot));
    all.push_back(node.subscribe<const Event &>("t", 5, &Robot::by_event, robot));
    all.push_back(node.subscribe<String>("t", 5, by_pointer));
    all.push_back(node.subscribe<String>("t", 5, by_pointer, hints));
    all.push_back(node.subscribe<const String &>("t", 5, by_reference));
}

void subscribe_callable(ros::NodeHandle &node, Robot *robot, const boost::shared_ptr<Robot> &shared, Subscribers &all)
{
    // roscpp takes no lambda that could be a pointer to a function.
    int heard = 0;
    const auto lambda = [heard](const String::ConstPtr &) mutable { calls["lambda"] += ++heard > 0; };
    const boost::function<void(const String &)> function = [](const String &) { ++calls["boost::function"]; };
    all.push_back(node.subscribe<String>("t", 5, lambda));
    all.push_back(node.subscribe<String>("t", 5, lambda, shared, ros::TransportHints().tcpNoDelay()));
    all.push_back(node.subscribe<String>("t", 5, boost::bind(&Robot::by_pointer, robot, boost::placeholders::_1)));
    all.push_back(node.subscribe<String, const String &>("t", 5, function));
    ros::SubscribeOptions options = ros::SubscribeOptions::create<String>("t", 5, lambda, ros::VoidPtr(), nullptr);
    all.push_back(node.subscribe(options));
    ros::SubscribeOptions full;
    full.initByFullCallbackType<const Event &>("t", 5, [](const Event &) { ++calls["options, event"]; });
    all.push_back(node.subscribe(full));
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "subscriber");
    ros::NodeHandle node;
    Robot robot;
    boost::shared_ptr<Robot> shared = boost::make_shared<Robot>();
    Subscribers all;
    subscribe_deduced(node, &robot, shared, all);
    subscribe_explicit(node, &robot, shared, all);
    subscribe_callable(node, &robot, shared, all);
    const ros::Publisher publisher = node.advertise<String>("t", 5);
    const auto sum = [] {
        int called = 0;
        for (const auto &call : calls) called += call.second;
        return called;
    };
    String message;
    check::spin_until([&] { return publisher.getNumSubscribers() > 0 && all[0].getNumPublishers() > 0; });
    publisher.publish(message);
    check::show("all were called", check::spin_until([&] { return sum() >= static_cast<int>(all.size()); }));
    check::show("calls", calls);
    // Whose object is gone is not called any more.
    shared.reset();
    calls.clear();
    publisher.publish(message);
    check::spin_until([&] { return sum() >= static_cast<int>(all.size()) - 7; });
    check::show("without the shared one", calls);
    check::show("topic", all[0].getTopic());
    all[0].shutdown();
    check::show("shut down", all[0].getTopic());
}
