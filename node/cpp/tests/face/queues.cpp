// What a queue says of itself, what it forgets, and who may spin it. Messages are counted: after clear() roscpp hands over those that it has cleared
// in place of those that come.
#include "check.h"
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <std_msgs/Int32.h>
#include <stdexcept>

using check::show;

namespace {

int sum = 0;
void add(const std_msgs::Int32ConstPtr &message) { sum += message->data; }

const char *word(ros::CallbackQueue::CallOneResult result)
{
    static const char *const words[] = {"called", "try again", "disabled", "empty"};
    return words[result];
}

struct Numbers {
    ros::CallbackQueue queue;
    ros::NodeHandle node;
    ros::Subscriber subscriber;
    ros::Publisher publisher;

    Numbers()
    {
        node.setCallbackQueue(&queue);
        subscriber = node.subscribe("numbers", 100, add);
        publisher = node.advertise<std_msgs::Int32>("numbers", 100);
        while (publisher.getNumSubscribers() == 0) ros::WallDuration(0.001).sleep();
    }
    void publish(int count)
    {
        std_msgs::Int32 message;
        message.data = 1;
        for (int at = 0; at < count; ++at) publisher.publish(message);
        // roscpp's own thread hands them over.
        ros::WallDuration(0.3).sleep();
    }
};

void waiting(Numbers &numbers)
{
    ros::CallbackQueue &queue = numbers.queue;
    show("empty", queue.isEmpty());
    show("called", word(queue.callOne()));
    numbers.publish(3);
    show("with messages", queue.isEmpty() || queue.empty());
    int calls = 0;
    for (; !queue.isEmpty(); ++calls) queue.callOne();
    show("calls until it is empty", calls);
    show("sum", sum);
}

void forgetting(Numbers &numbers)
{
    ros::CallbackQueue &queue = numbers.queue;
    numbers.publish(3);
    queue.clear();
    show("cleared", queue.isEmpty());
    queue.callAvailable();
    show("sum after clear", sum);
    numbers.publish(2);
    queue.callAvailable();
    show("sum of what came later", sum);
    queue.disable();
    show("enabled", queue.isEnabled());
    numbers.publish(1);
    show("disabled", word(queue.callOne()));
    queue.callAvailable();
    queue.enable();
    queue.callAvailable();
    show("sum of what came while it was disabled", sum);
}

struct Thrice : ros::CallbackInterface {
    int calls = 0;
    CallResult call() override { return ++calls < 3 ? TryAgain : Success; }
};

void trying_again()
{
    ros::CallbackQueue queue;
    const auto thrice = boost::make_shared<Thrice>();
    queue.addCallback(thrice);
    show("added", queue.isEmpty());
    show("first", word(queue.callOne()));
    show("second", word(queue.callOne()));
    show("third", word(queue.callOne()));
    show("fourth", word(queue.callOne()));
    show("calls", thrice->calls);
    queue.addCallback(thrice, 8);
    queue.removeByID(8);
    show("removed", queue.isEmpty());
}

void one_spinner()
{
    ros::AsyncSpinner spinner(2);
    spinner.start();
    try {
        ros::spin();
        show("spin beside an AsyncSpinner", "returns");
    } catch (const std::runtime_error &) {
        show("spin beside an AsyncSpinner", "throws");
    }
    ros::spinOnce();
    ros::AsyncSpinner another(1);
    another.start();
    show("another AsyncSpinner", "goes on");
}

void timers(ros::NodeHandle &node)
{
    ros::Timer timer = node.createTimer(ros::Duration(0.02), [](const ros::TimerEvent &event) { show("the first expects one before", !event.last_expected.isZero()); }, true);
    show("not yet", timer.hasPending());
    ros::WallDuration(0.2).sleep();
    show("due", timer.hasPending());
    ros::spinOnce();
    show("called", timer.hasPending());
    int calls = 0;
    ros::Timer slow = node.createTimer(ros::Duration(0.3), [&calls](const ros::TimerEvent &) { ++calls; });
    while (calls == 0) ros::spinOnce();
    // Counted from the call: due again at once.
    slow.setPeriod(ros::Duration(0.02), false);
    ros::WallDuration(0.1).sleep();
    ros::spinOnce();
    show("a shorter period, counted from the last call", calls);
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "queues");
    ros::NodeHandle node;
    {
        Numbers numbers;
        waiting(numbers);
        forgetting(numbers);
    }
    trying_again();
    one_spinner();
    timers(node);
}
