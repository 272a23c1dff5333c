// Callbacks in a queue of the program's own class, which one thread calls from: whatever comes, and what ends while it waits or runs.
#include "check.h"
#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <ros/callback_queue_interface.h>
#include <ros/ros.h>
#include <std_msgs/String.h>
#include <std_srvs/Trigger.h>
#include <thread>

using std_msgs::String;
using std_srvs::Trigger;

namespace {

class Queue : public ros::CallbackQueueInterface {
public:
    void addCallback(const ros::CallbackInterfacePtr &callback, uint64_t owner) override
    {
        std::lock_guard<std::mutex> lock(mutex_);
        waiting_.push_back({callback, owner});
    }
    void removeByID(uint64_t owner) override
    {
        std::lock_guard<std::mutex> lock(mutex_);
        waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), [=](const Item &item) { return item.second == owner; }), waiting_.end());
    }
    void call()
    {
        std::deque<Item> now;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            now.swap(waiting_);
        }
        for (const Item &item : now) item.first->call();
    }
    size_t size()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return waiting_.size();
    }

private:
    typedef std::pair<ros::CallbackInterfacePtr, uint64_t> Item;
    std::mutex mutex_;
    std::deque<Item> waiting_;
};

template <typename Condition> bool until(Queue *queue, Condition is_so)
{
    const ros::WallTime end = ros::WallTime::now() + ros::WallDuration(10);
    while (!is_so() && ros::WallTime::now() < end) {
        if (queue) queue->call();
        ros::WallDuration(0.002).sleep();
    }
    return is_so();
}

// Samples come one after the other, in this thread; more than the queue holds are not waited for.
void subscribe(ros::NodeHandle &node, Queue &queue)
{
    std::string heard;
    bool is_elsewhere = false;
    const auto self = std::this_thread::get_id();
    ros::Subscriber subscriber = node.subscribe<String>("t", 10, [&](const String::ConstPtr &message) {
        heard += message->data;
        is_elsewhere |= std::this_thread::get_id() != self;
    });
    ros::Publisher publisher = node.advertise<String>("t", 10);
    until(nullptr, [&] { return publisher.getNumSubscribers() > 0; });
    String message;
    for (const char *const text : {"a", "b", "c"}) {
        message.data = text;
        publisher.publish(message);
    }
    check::show("nothing before it is called", until(nullptr, [&] { return queue.size() > 0; }) && heard.empty());
    check::show("all come", until(&queue, [&] { return heard.size() == 3; }));
    check::show("heard", heard);
    check::show("in another thread", is_elsewhere);
    publisher.publish(message);
    until(nullptr, [&] { return queue.size() > 0; });
    subscriber.shutdown();
    queue.call();
    check::show("none after its end", heard);
}

// It ends itself.
void end_within(ros::NodeHandle &node, Queue &queue)
{
    int heard = 0;
    ros::Subscriber subscriber;
    subscriber = node.subscribe<String>("u", 10, [&](const String::ConstPtr &) {
        ++heard;
        subscriber.shutdown();
    });
    ros::Publisher publisher = node.advertise<String>("u", 10);
    until(nullptr, [&] { return publisher.getNumSubscribers() > 0; });
    for (int at = 0; at < 3; ++at) publisher.publish(String());
    check::show("called", until(&queue, [&] { return heard > 0; }));
    check::show("and let go of", until(&queue, [&] { return publisher.getNumSubscribers() == 0; }));
    check::show("once", heard);
}

void serve(ros::NodeHandle &node, Queue &queue)
{
    const boost::function<bool(Trigger::Request &, Trigger::Response &)> answer = [](Trigger::Request &, Trigger::Response &response) {
        response.message = "answered";
        return true;
    };
    ros::ServiceServer server = node.advertiseService("s", answer);
    Trigger trigger;
    std::atomic<int> done{-1};
    std::thread client([&] { done = ros::service::call("s", trigger); });
    check::show("answers", until(&queue, [&] { return done >= 0; }) && done == 1);
    client.join();
    check::show("what", trigger.response.message);
}

void time(ros::NodeHandle &node, Queue &queue)
{
    int ticks = 0;
    ros::Timer timer = node.createTimer(ros::Duration(0.01), [&](const ros::TimerEvent &) { ++ticks; });
    ros::SteadyTimer steady = node.createSteadyTimer(ros::WallDuration(0.01), [&](const ros::SteadyTimerEvent &) {
        if (++ticks > 5) steady.stop();
    });
    check::show("ticks", until(&queue, [&] { return ticks > 10; }));
    timer.stop();
    steady.stop();
    queue.call();
    const int before = ticks;
    ros::WallDuration(0.05).sleep();
    queue.call();
    check::show("after they stopped", ticks - before);
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "own_queue");
    ros::NodeHandle node;
    Queue queue;
    node.setCallbackQueue(&queue);
    subscribe(node, queue);
    end_within(node, queue);
    serve(node, queue);
    time(node, queue);
}
