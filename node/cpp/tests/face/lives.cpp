// A node's lives: begun twice, ended and begun anew, asked for parameters before and afterwards. `lives simulated` where /use_sim_time is set.
#include "check.h"
#include <csignal>
#include <ros/ros.h>
#include <std_msgs/Int32.h>
#include <std_msgs/String.h>
#include <std_srvs/Empty.h>
#include <unistd.h>

using check::show;

namespace {

void initialized_twice()
{
    int none = 0;
    ros::init(none, nullptr, "another", ros::init_options::NoSigintHandler);
    show("name", ros::this_node::getName());
    ros::NodeHandle own("~");
    show("private name", own.resolveName("x"));
}

bool done(std_srvs::Empty::Request &, std_srvs::Empty::Response &) { return true; }
void number(const std_msgs::Int32ConstPtr &) {}
void word(const std_msgs::StringConstPtr &) {}

// As the cases of a test program, each with handles of its own.
void one_life(int life)
{
    show("life", life);
    show("ok before", ros::ok());
    int got = 0;
    ros::NodeHandle node;
    show("ok", ros::ok());
    show("started", ros::isStarted());
    ros::Subscriber subscriber = node.subscribe<std_msgs::String>("words", 5, [&got](const std_msgs::StringConstPtr &) { ++got; });
    ros::Publisher publisher = node.advertise<std_msgs::String>("words", 5);
    while (publisher.getNumSubscribers() == 0) ros::spinOnce();
    publisher.publish(std_msgs::String());
    while (got == 0 && ros::ok()) ros::spinOnce();
    show("got", got);
    ros::AsyncSpinner spinner(1);
    spinner.start();
    ros::ServiceServer server = node.advertiseService("done", done);
    std_srvs::Empty empty;
    show("called", ros::service::call("done", empty));
}

void parameters(const std::string &when)
{
    int value = 0;
    ros::param::set("/lives/value", 7);
    show(when + ", is got", ros::param::get("/lives/value", value));
    show(when + ", value", value);
    show(when + ", is got from the cache", ros::param::getCached("/lives/value", value));
    show(when + ", is there", ros::param::has("/lives/value"));
    show(when + ", is deleted", ros::param::del("/lives/value"));
    show(when + ", is deleted again", ros::param::del("/lives/value"));
    show(when + ", the master answers", ros::master::check());
}

void names_afterwards()
{
    ros::NodeHandle node("a");
    show("as it was given", node.getUnresolvedNamespace());
    show("below it", ros::NodeHandle(node, "b").getUnresolvedNamespace());
    show("private", ros::NodeHandle("~p").getUnresolvedNamespace());
    ros::Subscriber subscriber = node.subscribe("words", 5, word);
    ros::Publisher publisher = node.advertise<std_msgs::String>("words", 5);
    subscriber.shutdown();
    publisher.shutdown();
    show("subscribed topic", subscriber.getTopic());
    show("published topic", publisher.getTopic());
}

void types(ros::NodeHandle &node)
{
    ros::Publisher first = node.advertise<std_msgs::Int32>("typed", 1);
    show("published with another type", static_cast<bool>(node.advertise<std_msgs::String>("typed", 1)));
    show("subscribed with another type", static_cast<bool>(node.subscribe("typed", 1, word)));
    ros::Subscriber numbers = node.subscribe("heard", 1, number);
    check::attempt<ros::ConflictingSubscriptionException>("subscribed with two", [&] { return static_cast<bool>(node.subscribe("heard", 1, word)); });
    const std::string md5sum = "992ce8a1687cec8c8bd883ec73ca41d1";
    const std::string kinds[][3] = {{"*", "*", "a"}, {"", "std_msgs/String", "a"}, {md5sum, "", "a"}, {md5sum, "std_msgs/String", ""}};
    for (const auto &kind : kinds) {
        ros::AdvertiseOptions options("odd", 1, kind[0], kind[1], kind[2]);
        check::attempt<ros::InvalidParameterException>("type " + kind[1], [&] { return static_cast<bool>(node.advertise(options)); });
    }
}

void closed_pipe()
{
    int ends[2];
    if (::pipe(ends) != 0) return;
    ::close(ends[0]);
    show("written into a closed pipe", static_cast<int>(::write(ends[1], "x", 1)));
}

// What is made with a handle, whether the node goes on with it alone, and once it has ended.
template <typename Made, typename Make> void held_by(const std::string &what, Make make)
{
    Made made;
    {
        ros::NodeHandle node;
        made = make(node);
    }
    show("ok with a " + what + " alone", ros::ok());
    made = Made();
    show("ok without the " + what, ros::ok());
}

void without_handles()
{
    held_by<ros::Subscriber>("subscriber", [](ros::NodeHandle &node) { return node.subscribe("words", 5, word); });
    held_by<ros::Publisher>("publisher", [](ros::NodeHandle &node) { return node.advertise<std_msgs::String>("words", 5); });
    held_by<ros::ServiceServer>("service", [](ros::NodeHandle &node) { return node.advertiseService("done", done); });
    held_by<ros::ServiceClient>("client", [](ros::NodeHandle &node) { return node.serviceClient<std_srvs::Empty>("done"); });
    held_by<ros::Timer>("timer", [](ros::NodeHandle &node) {
        return node.createTimer(ros::Duration(1), [](const ros::TimerEvent &) {});
    });
    ros::Publisher publisher = ros::NodeHandle().advertise<std_msgs::String>("words", 5);
    const ros::Publisher copy = publisher;
    publisher.shutdown();
    show("ok after a shutdown of a publisher alone", ros::ok());
}

int simulated()
{
    ros::NodeHandle node;
    show("simulated", ros::Time::isSimTime());
    show("valid", ros::Time::isValid());
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    const std::string what = argc > 1 ? argv[1] : "";
    ros::init(argc, argv, "lives");
    if (what == "break") ROS_BREAK();
    if (what == "simulated") {
        ros::param::set("/use_sim_time", true);
        const int result = simulated();
        ros::param::del("/use_sim_time");
        return result;
    }
    parameters("before");
    {
        ros::NodeHandle node;
        initialized_twice();
        closed_pipe();
        names_afterwards();
        types(node);
    }
    one_life(1);
    one_life(2);
    show("ok afterwards", ros::ok());
    parameters("afterwards");
    without_handles();
    {
        ros::NodeHandle node;
        ros::Publisher publisher = node.advertise<std_msgs::String>("words", 5);
        ros::Subscriber subscriber = node.subscribe("words", 5, word);
        while (publisher.getNumSubscribers() == 0) ros::spinOnce();
        ros::shutdown();
        show("subscribers of a node that has ended", publisher.getNumSubscribers());
        parameters("while it ends");
        ros::NodeHandle second;
        show("with a handle that is left", ros::ok());
    }
}
