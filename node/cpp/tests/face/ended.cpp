// What ends while its callback waits is not called any more, and who ends it waits for a call that another thread is in
// (NODE-110). Each case has a queue of its own, in which it is seen whether something waits.
//
//   ended           one thread: the same with roscpp
//   ended threads   several, or more than roscpp does: ours alone
#include "check.h"
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <std_msgs/String.h>
#include <std_srvs/Trigger.h>
#include <thread>
#include <vector>

using check::show;
using std_msgs::String;
using std_srvs::Trigger;

namespace {

// Gives up after ten seconds, which the printed lines then show.
template <typename Condition> bool until(Condition is_so)
{
    const ros::WallTime end = ros::WallTime::now() + ros::WallDuration(10);
    while (!is_so() && ros::WallTime::now() < end) ros::WallDuration(0.001).sleep();
    return is_so();
}

void hear(const String::ConstPtr &) {}

// A handle whose callbacks wait in a queue of its own. The other side's wait in the node's, which nobody calls.
struct Own {
    ros::CallbackQueue queue;
    ros::NodeHandle node;

    Own() { node.setCallbackQueue(&queue); }
    bool is_waiting()
    {
        return until([this] { return !queue.isEmpty(); });
    }
};

// A callback that is in the middle of its work when what it belongs to ends.
struct Work {
    std::atomic<bool> has_begun{false}, goes_on{false}, is_done{false};
    std::atomic<int> calls{0};

    void run()
    {
        ++calls;
        has_begun = true;
        until([this] { return goes_on.load(); });
        // Whoever does not wait for it is ahead by then.
        ros::WallDuration(0.05).sleep();
        is_done = true;
    }
    template <typename End> void end_meanwhile(const std::string &what, End end)
    {
        show(what + ", is called by another thread", until([this] { return has_begun.load(); }));
        goes_on = true;
        end();
        show(what + ", is done once it has ended", is_done.load());
    }
};

// ---- Publishers: who is told of subscribers ----

int told = 0;

// As programs have it: callbacks are members of the object that has the publisher, and end with it.
class Camera {
public:
    explicit Camera(ros::NodeHandle &node)
    {
        const ros::SubscriberStatusCallback come = boost::bind(&Camera::tell, this, boost::placeholders::_1);
        const ros::SubscriberStatusCallback leave = boost::bind(&Camera::tell, this, boost::placeholders::_1);
        publisher_ = node.advertise<String>("image", 5, come, leave);
    }
    ros::Publisher &publisher() { return publisher_; }

private:
    void tell(const ros::SingleSubscriberPublisher &who)
    {
        ++told;
        last_ = who.getSubscriberName();
    }
    std::string last_;
    ros::Publisher publisher_;
};

// Its callback for who comes waits; if it is `left`, that for who leaves waits as well.
void camera_gone(ros::NodeHandle &others, const std::string &what, bool is_left, bool is_kept)
{
    Own own;
    std::unique_ptr<Camera> camera(new Camera(own.node));
    const ros::Publisher kept = is_kept ? own.node.advertise<String>("image", 5) : ros::Publisher();
    ros::Subscriber subscriber = others.subscribe<String>("image", 5, hear);
    show(what + ", waits", own.is_waiting());
    if (is_left) subscriber.shutdown();
    until([&] { return !is_left || camera->publisher().getNumSubscribers() == 0; });
    camera.reset();
    show(what + ", is taken back", own.queue.isEmpty());
    // With another publisher of the topic somebody still comes and goes.
    ros::Subscriber later;
    if (is_kept) {
        later = others.subscribe<String>("image", 5, hear);
        subscriber.shutdown();
        later.shutdown();
        until([&] { return kept.getNumSubscribers() == 0; });
    }
    own.queue.callAvailable(ros::WallDuration(0.05));
    show(what + ", told", told);
}

void cameras(ros::NodeHandle &others)
{
    camera_gone(others, "connected", false, false);
    camera_gone(others, "disconnected", true, false);
    camera_gone(others, "connected to another", false, true);
    camera_gone(others, "disconnected from another", true, true);
}

void camera_shut_down(ros::NodeHandle &others)
{
    Own own;
    Camera camera(own.node);
    ros::Subscriber subscriber = others.subscribe<String>("image", 5, hear);
    show("shut down, waits", own.is_waiting());
    camera.publisher().shutdown();
    own.queue.callAvailable();
    show("shut down, told", told);
}

void camera_within(ros::NodeHandle &others)
{
    Own own;
    int calls = 0;
    ros::Publisher publisher;
    publisher = own.node.advertise<String>("image", 5, [&](const ros::SingleSubscriberPublisher &) {
        ++calls;
        publisher.shutdown();
        publisher = ros::Publisher();
    });
    ros::Subscriber subscriber = others.subscribe<String>("image", 5, hear);
    own.is_waiting();
    own.queue.callAvailable();
    show("within its own callback, calls", calls);
}

void camera_tracked(ros::NodeHandle &others)
{
    Own own;
    int calls = 0;
    auto tracked = boost::make_shared<int>(0);
    const ros::SubscriberStatusCallback count = [&](const ros::SingleSubscriberPublisher &) { ++calls; };
    const ros::Publisher publisher = own.node.advertise<String>("image", 5, count, count, tracked);
    ros::Subscriber subscriber = others.subscribe<String>("image", 5, hear);
    own.is_waiting();
    tracked.reset();
    own.queue.callAvailable();
    show("of a tracked object, calls", calls);
}

// The last copy goes, or all are told to end.
void camera_in_a_thread(ros::NodeHandle &others, bool is_last)
{
    Own own;
    Work work;
    ros::Publisher publisher = own.node.advertise<String>("image", 5, [&](const ros::SingleSubscriberPublisher &who) {
        work.run();
        who.publish(String());
    });
    ros::AsyncSpinner spinner(2, &own.queue);
    spinner.start();
    ros::Subscriber subscriber = others.subscribe<String>("image", 5, hear);
    work.end_meanwhile(is_last ? "the last copy" : "connected", [&] {
        if (is_last) publisher = ros::Publisher();
        else publisher.shutdown();
    });
}

// Who subscribes before there is a publisher is told of at once, perhaps while it is made: what it is sent goes out.
void camera_that_was_awaited()
{
    Own own, listening;
    int heard = 0;
    const boost::function<void(const String::ConstPtr &)> count = [&](const String::ConstPtr &) { ++heard; };
    ros::Subscriber subscriber = listening.node.subscribe<String>("awaited", 5, count);
    ros::AsyncSpinner spinner(2, &own.queue);
    spinner.start();
    typedef ros::SingleSubscriberPublisher Who;
    const ros::SubscriberStatusCallback greet = [](const Who &who) { who.publish(String()); };
    bool is_heard = true;
    for (int at = 1; at <= 20 && is_heard; ++at) {
        ros::Publisher publisher = own.node.advertise<String>("awaited", 5, greet);
        is_heard = until([&] {
            listening.queue.callAvailable();
            return heard == at;
        });
    }
    show("awaited, heard", heard);
}

// ---- Subscriptions ----

void subscribed()
{
    Own own;
    int calls = 0;
    const boost::function<void(const String::ConstPtr &)> count = [&](const String::ConstPtr &) { ++calls; };
    ros::Publisher latched = own.node.advertise<String>("words", 5, true);
    latched.publish(String());
    ros::Subscriber subscriber = own.node.subscribe<String>("words", 5, count);
    show("latched, waits", own.is_waiting());
    subscriber.shutdown();
    own.queue.callAvailable();
    show("latched, calls", calls);
    auto tracked = boost::make_shared<int>(0);
    subscriber = own.node.subscribe<String>("words", 5, count, tracked);
    own.is_waiting();
    tracked.reset();
    own.queue.callAvailable();
    show("of a tracked object, messages", calls);
    latched.publish(String());
    own.is_waiting();
    subscriber = ros::Subscriber();
    own.queue.callAvailable();
    show("unsubscribed, calls", calls);
}

// By its own end, or by that of its handle.
void subscribed_in_a_thread(bool is_by_handle)
{
    Own own;
    Work work;
    ros::Publisher latched = own.node.advertise<String>("words", 5, true);
    latched.publish(String());
    ros::AsyncSpinner spinner(2, &own.queue);
    spinner.start();
    const boost::function<void(const String::ConstPtr &)> run = [&](const String::ConstPtr &) { work.run(); };
    ros::Subscriber subscriber = own.node.subscribe<String>("words", 5, run);
    work.end_meanwhile(is_by_handle ? "subscribed by a handle" : "subscribed", [&] {
        if (is_by_handle) own.node.shutdown();
        else subscriber.shutdown();
    });
}

// ---- Timers ----

typedef std::function<void()> Act;

template <typename Make> void timed(const std::string &what, Make make)
{
    Own own;
    int calls = 0;
    {
        auto timer = make(own.node, [&] { ++calls; });
        show(what + ", is due", own.is_waiting());
        timer.stop();
        own.queue.callAvailable();
        show(what + ", stopped, calls", calls);
        timer.start();
        own.is_waiting();
    }
    own.queue.callAvailable();
    show(what + ", gone, calls", calls);
}

template <typename Make> void timed_in_a_thread(const std::string &what, Make make)
{
    Own own;
    Work work;
    ros::AsyncSpinner spinner(2, &own.queue);
    spinner.start();
    auto timer = make(own.node, [&] { work.run(); });
    work.end_meanwhile(what, [&] { timer.stop(); });
}

ros::Timer timer(ros::NodeHandle &node, const Act &act)
{
    return node.createTimer(ros::Duration(0.01), [act](const ros::TimerEvent &) { act(); });
}
ros::Timer once(ros::NodeHandle &node, const Act &act)
{
    return node.createTimer(ros::Duration(0.01), [act](const ros::TimerEvent &) { act(); }, true);
}
ros::WallTimer wall_timer(ros::NodeHandle &node, const Act &act)
{
    return node.createWallTimer(ros::WallDuration(0.01), [act](const ros::WallTimerEvent &) { act(); });
}
ros::SteadyTimer steady_timer(ros::NodeHandle &node, const Act &act)
{
    return node.createSteadyTimer(ros::WallDuration(0.01), [act](const ros::SteadyTimerEvent &) { act(); });
}

void timer_tracked()
{
    Own own;
    int calls = 0;
    auto tracked = boost::make_shared<int>(0);
    ros::TimerOptions options(ros::Duration(0.01), [&](const ros::TimerEvent &) { ++calls; }, &own.queue);
    options.tracked_object = tracked;
    ros::Timer timer = own.node.createTimer(options);
    own.is_waiting();
    options.tracked_object.reset();
    tracked.reset();
    own.queue.callAvailable();
    show("of a tracked object, ticks", calls);
}

void timers()
{
    timed("timer", timer);
    timed("once", once);
    timed("wall timer", wall_timer);
    timed("steady timer", steady_timer);
    timer_tracked();
}

void timers_in_threads()
{
    timed_in_a_thread("timer", timer);
    timed_in_a_thread("once", once);
    timed_in_a_thread("wall timer", wall_timer);
    timed_in_a_thread("steady timer", steady_timer);
}

// ---- Services ----

// Who calls waits in a thread of its own.
struct Caller {
    std::atomic<bool> is_answered{false};
    std::thread thread;

    Caller() : thread([this] {
        Trigger trigger;
        is_answered = ros::service::call("ask", trigger);
    }) {}
    bool end()
    {
        thread.join();
        return is_answered;
    }
};

typedef boost::function<bool(Trigger::Request &, Trigger::Response &)> Answer;

void served()
{
    Own own;
    int calls = 0;
    const Answer count = [&](Trigger::Request &, Trigger::Response &) { return ++calls > 0; };
    ros::ServiceServer server = own.node.advertiseService("ask", count);
    Caller caller;
    show("asked, waits", own.is_waiting());
    server.shutdown();
    own.queue.callAvailable();
    show("asked, is answered", caller.end());
    show("asked, calls", calls);
}

void served_in_a_thread()
{
    Own own;
    Work work;
    const Answer run = [&](Trigger::Request &, Trigger::Response &) {
        work.run();
        return true;
    };
    ros::ServiceServer server = own.node.advertiseService("ask", run);
    ros::AsyncSpinner spinner(2, &own.queue);
    spinner.start();
    Caller caller;
    work.end_meanwhile("asked", [&] { server.shutdown(); });
    caller.end();
}

// ---- What the program adds itself ----

struct Added : ros::CallbackInterface {
    std::function<CallResult()> act;

    explicit Added(std::function<CallResult()> given) : act(std::move(given)) {}
    CallResult call() override { return act(); }
};
typedef ros::CallbackInterface Call;

void added()
{
    Own own;
    int calls = 0;
    own.queue.addCallback(boost::make_shared<Added>([&] { return ++calls, Call::Success; }), 3);
    own.queue.addCallback(boost::make_shared<Added>([&] { return calls += 10, Call::Success; }), 4);
    own.queue.removeByID(3);
    own.queue.callAvailable();
    show("added, calls", calls);
    const auto remove = [&] { return own.queue.removeByID(3), ++calls, Call::Success; };
    own.queue.addCallback(boost::make_shared<Added>(remove), 3);
    own.queue.callAvailable();
    show("added, removed within", calls);
}

void added_in_a_thread()
{
    Own own;
    Work work;
    ros::AsyncSpinner spinner(2, &own.queue);
    spinner.start();
    own.queue.addCallback(boost::make_shared<Added>([&] { return work.run(), Call::Success; }), 3);
    work.end_meanwhile("added", [&] { own.queue.removeByID(3); });
}

// ---- A queue of the program's own class ----

// It calls one at a time, and knows who it was of.
class Plain : public ros::CallbackQueueInterface {
public:
    void addCallback(const ros::CallbackInterfacePtr &callback, uint64_t owner) override
    {
        std::lock_guard<std::mutex> lock(mutex_);
        waiting_.push_back({callback, owner});
    }
    void removeByID(uint64_t owner) override
    {
        std::lock_guard<std::mutex> lock(mutex_);
        for (auto at = waiting_.begin(); at != waiting_.end();) at = at->second == owner ? waiting_.erase(at) : at + 1;
    }
    // Takes out all that waits: what it has in its hands then is not taken back by removeByID.
    std::vector<ros::CallbackInterfacePtr> take()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        std::vector<ros::CallbackInterfacePtr> taken;
        for (const auto &item : waiting_) taken.push_back(item.first);
        waiting_.clear();
        return taken;
    }
    bool is_empty()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return waiting_.empty();
    }

private:
    std::mutex mutex_;
    std::deque<std::pair<ros::CallbackInterfacePtr, uint64_t>> waiting_;
};

void camera_of_a_plain_queue(ros::NodeHandle &others)
{
    Plain queue;
    ros::NodeHandle node;
    node.setCallbackQueue(&queue);
    std::unique_ptr<Camera> one(new Camera(node));
    ros::Subscriber subscriber = others.subscribe<String>("image", 5, hear);
    show("in a queue of another class, waits", until([&] { return !queue.is_empty(); }));
    one.reset();
    show("in a queue of another class, is taken back", until([&] { return queue.is_empty(); }));
}

void camera_in_the_hands_of_a_plain_queue(ros::NodeHandle &others)
{
    Plain queue;
    ros::NodeHandle node;
    node.setCallbackQueue(&queue);
    std::unique_ptr<Camera> one(new Camera(node));
    ros::Subscriber subscriber = others.subscribe<String>("image", 5, hear);
    until([&] { return !queue.is_empty(); });
    const auto taken = queue.take();
    one.reset();
    for (const auto &call : taken) call->call();
    show("in the hands of a queue, told", told == 0);
}

// Both end the publisher from within its callbacks, of which there are two: neither waits for the other.
void camera_from_two_callbacks()
{
    Own own;
    ros::Publisher publisher;
    std::atomic<int> within{0}, over{0};
    publisher = own.node.advertise<String>("image", 5, [&](const ros::SingleSubscriberPublisher &) {
        ++within;
        until([&] { return within == 2; });
        publisher.shutdown();
        ++over;
    }, [&](const ros::SingleSubscriberPublisher &) {
        ++within;
        until([&] { return within == 2; });
        publisher.shutdown();
        ++over;
    });
    {
        ros::Subscriber subscriber = own.node.subscribe<String>("image", 5, hear);
        own.is_waiting();
    }
    until([&] { return publisher.getNumSubscribers() == 0; });
    ros::AsyncSpinner spinner(2, &own.queue);
    spinner.start();
    show("from two callbacks at once", until([&] { return over == 2; }));
}

// A callback that wants to be called again, and is taken away while it runs.
void added_again_in_a_thread()
{
    Own own;
    Work work;
    ros::AsyncSpinner spinner(2, &own.queue);
    spinner.start();
    own.queue.addCallback(boost::make_shared<Added>([&] { return work.run(), Call::TryAgain; }), 3);
    work.end_meanwhile("to be called again", [&] { own.queue.removeByID(3); });
    until([&] { return work.is_done.load(); });
    const int calls = work.calls;
    ros::WallDuration(0.1).sleep();
    show("to be called again, is not", own.queue.isEmpty() && work.calls == calls);
}

// What was made with a handle ends with it; what was made with others goes on, and so does the node.
void with_a_handle(ros::NodeHandle &others)
{
    Own own;
    int calls = 0;
    Camera camera(own.node);
    const boost::function<void(const String::ConstPtr &)> count = [&](const String::ConstPtr &) { ++calls; };
    const ros::Publisher latched = others.advertise<String>("words", 5, true);
    latched.publish(String());
    const ros::Subscriber subscriber = own.node.subscribe<String>("words", 5, count);
    const ros::Subscriber of_a_copy = ros::NodeHandle(own.node).subscribe<String>("words", 5, count);
    const Answer answer = [](Trigger::Request &, Trigger::Response &) { return true; };
    const ros::ServiceServer server = own.node.advertiseService("ask", answer);
    const ros::Subscriber watching = others.subscribe<String>("image", 5, hear);
    show("of a handle, waits", own.is_waiting() && until([&] { return camera.publisher().getNumSubscribers() > 0; }));
    until([&] { return of_a_copy.getNumPublishers() > 0; });
    own.node.shutdown();
    for (int at = 0; at < 20; ++at) own.queue.callAvailable(ros::WallDuration(0.01));
    show("of a handle, told", told);
    show("of a copy, calls", calls);
    show("of a handle, are there", camera.publisher() || subscriber || server);
    show("the handle is ok", own.node.ok());
    show("a copy is ok", ros::NodeHandle(own.node).ok());
    show("the node is ok", ros::ok());
}

// What waits in the node's queue is not called any more when the node has ended.
void with_the_node(ros::NodeHandle &node)
{
    int calls = 0;
    Camera camera(node);
    const boost::function<void(const String::ConstPtr &)> count = [&](const String::ConstPtr &) { ++calls; };
    ros::Subscriber subscriber = node.subscribe<String>("image", 5, count);
    ros::Timer ticking = timer(node, [&] { ++calls; });
    until([&] { return camera.publisher().getNumSubscribers() > 0; });
    camera.publisher().publish(String());
    show("with the node, waits", until([&] { return ticking.hasPending(); }));
    ros::shutdown();
    ros::spinOnce();
    show("with the node, calls", calls + told);
}

// As roscpp does it.
void one_after_the_other(ros::NodeHandle &others)
{
    cameras(others);
    camera_shut_down(others);
    camera_within(others);
    camera_tracked(others);
    camera_that_was_awaited();
    camera_of_a_plain_queue(others);
    subscribed();
    subscribed_in_a_thread(false);
    subscribed_in_a_thread(true);
    timers();
    served();
    added();
    with_a_handle(others);
    with_the_node(others);
}

// roscpp 1.15 waits for callbacks of subscriptions only. Whatever is looked at here is so.
void in_threads(ros::NodeHandle &others)
{
    camera_in_a_thread(others, false);
    camera_in_a_thread(others, true);
    camera_in_the_hands_of_a_plain_queue(others);
    camera_from_two_callbacks();
    timers_in_threads();
    served_in_a_thread();
    added_in_a_thread();
    added_again_in_a_thread();
}

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "ended");
    ros::NodeHandle others;
    if (argc > 1) in_threads(others);
    else one_after_the_other(others);
}
