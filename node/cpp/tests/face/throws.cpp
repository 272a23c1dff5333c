// Exceptions that leave callbacks: where they come out, and that the queue goes on.
#include "check.h"
#include <atomic>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <stdexcept>
#include <std_msgs/Int32.h>
#include <std_srvs/Empty.h>

using check::show;

namespace {

int got = 0;

void take(const std_msgs::Int32ConstPtr &message)
{
    if (message->data == 1) throw std::runtime_error("of a subscription");
    ++got;
}

// What comes out of `act`, called until something does or `seconds` have gone by.
template <typename Act> std::string thrown_by(Act act, double seconds = 20)
{
    const ros::WallTime end = ros::WallTime::now() + ros::WallDuration(seconds);
    while (ros::WallTime::now() < end) {
        try {
            act();
        } catch (const std::exception &error) {
            return error.what();
        } catch (int number) {
            return "a number, " + std::to_string(number);
        }
        ros::WallDuration(0.002).sleep();
    }
    return "nothing";
}

struct Thrower : ros::CallbackInterface {
    CallResult call() override { throw std::logic_error("of a callback that was added"); }
};

void subscriptions(ros::NodeHandle &node)
{
    ros::Subscriber subscriber = node.subscribe("numbers", 10, take);
    ros::Publisher publisher = node.advertise<std_msgs::Int32>("numbers", 10);
    while (publisher.getNumSubscribers() == 0) ros::spinOnce();
    std_msgs::Int32 message;
    message.data = 1;
    publisher.publish(message);
    show("spinOnce", thrown_by([] { ros::spinOnce(); }));
    message.data = 2;
    publisher.publish(message);
    while (got < 1) ros::spinOnce();
    show("the next", got);
}

void timers(ros::NodeHandle &node)
{
    ros::CallbackQueue *const queue = ros::getGlobalCallbackQueue();
    const auto logic = [](const ros::WallTimerEvent &) { throw std::logic_error("of a timer"); };
    ros::WallTimer first = node.createWallTimer(ros::WallDuration(0.01), logic, true);
    show("callOne", thrown_by([queue] { queue->callOne(ros::WallDuration(0.1)); }));
    ros::WallTimer second = node.createWallTimer(ros::WallDuration(0.01), logic, true);
    show("callAvailable", thrown_by([queue] { queue->callAvailable(ros::WallDuration(0.1)); }));
    // The last: roscpp takes the queue for spun from then on.
    ros::Timer third = node.createTimer(ros::Duration(0.01), [](const ros::TimerEvent &) { throw 5; }, true);
    show("spin", thrown_by([] { ros::spin(); }));
}

void added()
{
    ros::CallbackQueue queue;
    queue.addCallback(boost::make_shared<Thrower>());
    show("added", thrown_by([&queue] { queue.callAvailable(); }));
}

bool answer(std_srvs::Empty::Request &, std_srvs::Empty::Response &) { throw std::runtime_error("of a service"); }

void services(ros::NodeHandle &node)
{
    ros::ServiceServer server = node.advertiseService("thrower", answer);
    ros::AsyncSpinner spinner(1);
    spinner.start();
    std_srvs::Empty empty;
    show("a call", ros::service::call("thrower", empty));
    show("and another", ros::service::call("thrower", empty));
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "thrower");
    ros::NodeHandle node;
    services(node);
    subscriptions(node);
    added();
    timers(node);
}
