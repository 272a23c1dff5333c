// Topics: who comes and goes, messages that are waited for, latched ones, threads and queues that call.
#include "check.h"
#include "waiting.h"
#include <atomic>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <std_msgs/String.h>
#include <thread>

using check::show;
using std_msgs::String;

namespace {

void come_and_go(ros::NodeHandle &node)
{
    int come = 0, gone = 0;
    std::string who, topic;
    ros::Publisher publisher = node.advertise<String>(
        "connected", 1,
        [&](const ros::SingleSubscriberPublisher &subscriber) {
            ++come;
            who = subscriber.getSubscriberName();
            topic = subscriber.getTopic();
        },
        [&](const ros::SingleSubscriberPublisher &) { ++gone; });
    ros::Subscriber subscriber = node.subscribe<String>("connected", 1, boost::function<void(const String::ConstPtr &)>([](const String::ConstPtr &) {}));
    show("come", check::spin_until([&] { return come == 1; }));
    show("who", who);
    show("to", topic);
    show("publishers", check::spin_until([&] { return subscriber.getNumPublishers() == 1; }));
    show("subscribers", publisher.getNumSubscribers());
    subscriber.shutdown();
    show("gone", check::spin_until([&] { return gone == 1; }));
    show("subscribers left", publisher.getNumSubscribers());
}

void wait_for_message(ros::NodeHandle &node)
{
    ros::Publisher publisher = node.advertise<String>("latched", 1, true);
    show("is latched", publisher.isLatched());
    String message;
    message.data = "kept";
    publisher.publish(message);
    const String::ConstPtr got = ros::topic::waitForMessage<String>("latched");
    show("waited for", got ? got->data : "nothing");
    const String::ConstPtr also = ros::topic::waitForMessage<String>("latched", node, ros::Duration(5));
    show("with a handle", also ? also->data : "nothing");
    const String::ConstPtr none = ros::topic::waitForMessage<String>("nobody", ros::Duration(0.1));
    show("from nobody", static_cast<bool>(none));
}

// Each thread of a spinner calls: two callbacks meet, which one thread alone could not do.
struct Meeting {
    std::atomic<int> here{0}, met{0};
    void come()
    {
        const ros::WallTime end = ros::WallTime::now() + ros::WallDuration(10);
        ++here;
        while (here < 2 && ros::WallTime::now() < end) ros::WallDuration(0.001).sleep();
        if (here >= 2) ++met;
    }
};

void own_queue_and_threads(ros::NodeHandle &node)
{
    ros::CallbackQueue queue;
    ros::NodeHandle own(node);
    own.setCallbackQueue(&queue);
    show("is its queue", own.getCallbackQueue() == &queue);
    Meeting meeting;
    ros::WallTimer one = own.createWallTimer(ros::WallDuration(0.01), [&](const ros::WallTimerEvent &) { meeting.come(); }, true);
    ros::WallTimer two = own.createWallTimer(ros::WallDuration(0.01), [&](const ros::WallTimerEvent &) { meeting.come(); }, true);
    ros::WallDuration(0.05).sleep();
    ros::spinOnce();
    show("not by the node's queue", meeting.here == 0);
    {
        ros::AsyncSpinner spinner(2, &queue);
        spinner.start();
        show("two threads", check::spin_until([&] { return meeting.met == 2; }));
        spinner.stop();
    }
    int called = 0;
    ros::Timer timer = own.createTimer(ros::Duration(0.01), [&](const ros::TimerEvent &) { ++called; });
    while (called < 2) queue.callOne(ros::WallDuration(0.1));
    while (called < 4) queue.callAvailable(ros::WallDuration(0.1));
    show("by hand", called >= 4);
}

void spin_in_many_threads(ros::NodeHandle &node)
{
    Meeting meeting;
    ros::Timer one = node.createTimer(ros::Duration(0.01), [&](const ros::TimerEvent &) { meeting.come(); }, true);
    ros::Timer two = node.createTimer(ros::Duration(0.01), [&](const ros::TimerEvent &) { meeting.come(); }, true);
    ros::Timer end = node.createTimer(ros::Duration(0.02), [&](const ros::TimerEvent &) {
        if (meeting.met == 2) ros::shutdown();
    });
    std::thread waiting([] { ros::waitForShutdown(); });
    ros::MultiThreadedSpinner spinner(3);
    ros::spin(spinner);
    waiting.join();
    show("many threads", meeting.met == 2);
    show("over", !ros::ok());
}

void cached_parameters(ros::NodeHandle &node)
{
    int value = 0;
    show("not set", node.getParamCached("number", value));
    node.setParam("number", 5);
    show("set", check::spin_until([&] { return node.getParamCached("number", value) && value == 5; }));
    node.setParam("number", 6);
    show("changed", check::spin_until([&] { return ros::param::getCached("number", value) && value == 6; }));
    show("default", node.param("none", 7));
    node.deleteParam("number");
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "topics");
    ros::NodeHandle node;
    come_and_go(node);
    wait_for_message(node);
    cached_parameters(node);
    own_queue_and_threads(node);
    spin_in_many_threads(node);
}
