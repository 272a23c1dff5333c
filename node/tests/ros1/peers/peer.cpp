// A node in the tests against ROS 1 (README.md lists roles and keys): what it does stands on its command line, what happens it prints, a line each.
// Ordinary roscpp only: built with Debian's roscpp it is the other end of our nodes, and built with headers that promise the same it takes the
// place of ours.
//
//     peer ROLE KEY=VALUE... [FROM:=TO...]
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>
#include <sensor_msgs/Image.h>
#include <std_msgs/String.h>
#include <std_srvs/SetBool.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <map>
#include <utility>
#include <vector>

namespace {

// KEY=VALUE of the command line, in their order.
class Keys {
public:
    Keys(int argc, char **argv) {
        for (int at = 2; at < argc; ++at) {
            const std::string argument = argv[at];
            const auto equals = argument.find('=');
            if (argument.find(":=") == std::string::npos && equals != std::string::npos)
                pairs_.emplace_back(argument.substr(0, equals), argument.substr(equals + 1));
        }
    }

    std::string text(const std::string &key, const std::string &otherwise) const {
        for (const auto &pair : pairs_)
            if (pair.first == key)
                return pair.second;
        return otherwise;
    }

    double number(const std::string &key, double otherwise) const {
        const std::string value = text(key, "");
        return value.empty() ? otherwise : std::strtod(value.c_str(), nullptr);
    }

    bool is_set(const std::string &key) const { return text(key, "0") == "1"; }

    const std::vector<std::pair<std::string, std::string>> &pairs() const { return pairs_; }

private:
    std::vector<std::pair<std::string, std::string>> pairs_;
};

void tell(const std::string &line) {
    std::puts(line.c_str());
    std::fflush(stdout);
}

// roscpp asks the master for a parameter with its first line of log; if that is the one about its own end, the master takes it for a new node of that
// name and ends the other.
void ready() {
    ROS_INFO("it runs");
    tell("ready " + ros::this_node::getName());
}

int stay() {
    ros::spin();
    tell("ended");
    return 0;
}

// What a picture's bytes are: those of another one begin elsewhere.
void fill(std::vector<unsigned char> &bytes, unsigned number) {
    for (std::size_t at = 0; at < bytes.size(); ++at)
        bytes[at] = static_cast<unsigned char>((at + number) % 251);
}

void make(sensor_msgs::Image &image, unsigned number, const Keys &keys) {
    image.header.stamp.sec = number;
    image.height = 1;
    image.width = image.step = static_cast<unsigned>(keys.number("bytes", 0));
    image.encoding = "mono8";
    image.data.resize(image.width);
    fill(image.data, number);
}

void make(std_msgs::String &message, unsigned number, const Keys &keys) {
    message.data = keys.text("text", "") + std::to_string(number);
    const auto bytes = static_cast<std::size_t>(keys.number("bytes", 0));
    if (message.data.size() < bytes)
        message.data.append(bytes - message.data.size(), '.');
}

// Publishes at a frequency, and then stays. Nothing is left out: what is late is hurried after.
template <class M>
int publish(ros::NodeHandle &node, const Keys &keys) {
    ros::Publisher publisher = node.advertise<M>(keys.text("topic", "chatter"), static_cast<unsigned>(keys.number("depth", 1000)),
                                                 keys.is_set("latch"));
    ready();
    while (ros::ok() && publisher.getNumSubscribers() < keys.number("wait", 0)) {
        ros::spinOnce();
        ros::WallDuration(0.005).sleep();
    }
    tell("begins");
    const unsigned count = static_cast<unsigned>(keys.number("count", 0));
    const ros::WallDuration period(1 / keys.number("hz", 20));
    ros::WallTime next = ros::WallTime::now();
    unsigned number = 0;
    for (; ros::ok() && (count == 0 || number < count); ++number) {
        if (keys.text("form", "object") == "wire") {
            M message;
            make(message, number, keys);
            publisher.publish(message);
        } else {
            boost::shared_ptr<M> message(new M);
            make(*message, number, keys);
            publisher.publish(message);
        }
        ros::spinOnce();
        next += period;
        const ros::WallDuration left = next - ros::WallTime::now();
        if (left > ros::WallDuration(0))
            left.sleep();
    }
    tell("published " + std::to_string(number));
    return stay();
}

void on_string(const std_msgs::String::ConstPtr &message) { tell("heard " + message->data); }

void on_image(const sensor_msgs::Image::ConstPtr &image) {
    std::vector<unsigned char> expected(image->width);
    fill(expected, image->header.stamp.sec);
    std::ostringstream line;
    line << "image " << image->header.stamp.sec << ' ' << image->data.size() << (expected == image->data ? " right" : " wrong");
    tell(line.str());
}

int subscribe(ros::NodeHandle &node, const Keys &keys) {
    const std::string topic = keys.text("topic", "chatter"), kind = keys.text("kind", "string");
    const auto depth = static_cast<unsigned>(keys.number("depth", 1000));
    if (kind != "image" && kind != "string") {
        tell("cannot subscribe to kind " + kind);
        return 3;
    }
    ros::Subscriber subscriber = kind == "image" ? node.subscribe(topic, depth, on_image) : node.subscribe(topic, depth, on_string);
    ready();
    return stay();
}

class Switch {
public:
    Switch(ros::NodeHandle &node, const Keys &keys)
        : reason_(keys.text("reason", "the lamp is broken")), waits_(keys.is_set("wait")),
          server_(node.advertiseService(keys.text("service", "switch"), &Switch::answer, this)) {}

private:
    bool answer(std_srvs::SetBool::Request &request, std_srvs::SetBool::Response &response) {
        tell(std::string("asked ") + (request.data ? "true" : "false"));
        std::string line;
        if (waits_)
            std::getline(std::cin, line);
        if (!request.data)
            throw std::runtime_error(reason_);
        response.success = true;
        response.message = "it is on";
        return true;
    }

    std::string reason_;
    bool waits_;
    ros::ServiceServer server_;
};

int serve(ros::NodeHandle &node, const Keys &keys) {
    Switch server(node, keys);
    ready();
    return stay();
}

// A call for each line of the input.
int call(ros::NodeHandle &node, const Keys &keys) {
    const std::string service = keys.text("service", "switch");
    if (!ros::service::waitForService(service, ros::Duration(30))) {
        tell("cannot call: nobody offers " + service);
        return 1;
    }
    ros::ServiceClient client = node.serviceClient<std_srvs::SetBool>(service, keys.is_set("persistent"));
    ready();
    std::string line;
    while (std::getline(std::cin, line)) {
        std_srvs::SetBool exchange;
        exchange.request.data = line == "true";
        if (client.call(exchange))
            tell(std::string("answered ") + (exchange.response.success ? "true " : "false ") + exchange.response.message);
        else
            tell("failed");
    }
    return 0;
}

// Something of everything, for who asks what a node has.
int all(ros::NodeHandle &node, const Keys &keys) {
    ros::Publisher publisher = node.advertise<std_msgs::String>("out", 100);
    ros::Subscriber subscriber = node.subscribe("in", 100, on_string);
    Switch server(node, keys);
    ready();
    ros::WallRate rate(10);
    for (unsigned number = 0; ros::ok(); ++number) {
        std_msgs::String message;
        message.data = std::to_string(number);
        publisher.publish(message);
        ros::spinOnce();
        rate.sleep();
    }
    tell("ended");
    return 0;
}

// Comes and goes: advertises and subscribes, says and hears something, and gives both up, again and again.
int again(ros::NodeHandle &node, const Keys &keys) {
    ready();
    for (unsigned round = 0; ros::ok() && round < keys.number("rounds", 3); ++round) {
        unsigned heard = 0;
        const boost::function<void(const std_msgs::String::ConstPtr &)> on_heard = [&heard](const std_msgs::String::ConstPtr &) { ++heard; };
        ros::Publisher publisher = node.advertise<std_msgs::String>("out", 100);
        ros::Subscriber subscriber = node.subscribe<std_msgs::String>("in", 100, on_heard);
        while (ros::ok() && (publisher.getNumSubscribers() == 0 || heard == 0)) {
            ros::spinOnce();
            ros::WallDuration(0.01).sleep();
        }
        std_msgs::String message;
        message.data = "round " + std::to_string(round);
        publisher.publish(message);
        // What is published and not yet sent ends with the publisher.
        ros::WallDuration(0.2).sleep();
        tell(message.data);
    }
    tell("done");
    return stay();
}

std::string words(XmlRpc::XmlRpcValue &value) {
    std::ostringstream text;
    switch (value.getType()) {
    case XmlRpc::XmlRpcValue::TypeBoolean:
        text << "bool " << (static_cast<bool>(value) ? "true" : "false");
        break;
    case XmlRpc::XmlRpcValue::TypeInt:
        text << "int " << static_cast<int>(value);
        break;
    case XmlRpc::XmlRpcValue::TypeDouble:
        text << "double " << static_cast<double>(value);
        break;
    case XmlRpc::XmlRpcValue::TypeString:
        text << "string " << static_cast<std::string>(value);
        break;
    case XmlRpc::XmlRpcValue::TypeArray:
        text << '[';
        for (int at = 0; at < value.size(); ++at)
            text << (at == 0 ? "" : ", ") << words(value[at]);
        text << ']';
        break;
    case XmlRpc::XmlRpcValue::TypeStruct: {
        text << '{';
        const char *separator = "";
        for (auto &member : value) {
            text << separator << member.first << ": " << words(member.second);
            separator = ", ";
        }
        text << '}';
        break;
    }
    default:
        text << "something else";
    }
    return text.str();
}

// NAME:TYPE:VALUE.
void set(const std::string &text) {
    const auto first = text.find(':'), second = text.find(':', first + 1);
    const std::string name = text.substr(0, first), kind = text.substr(first + 1, second - first - 1), value = text.substr(second + 1);
    if (kind == "bool") {
        ros::param::set(name, value == "true");
    } else if (kind == "int") {
        ros::param::set(name, std::atoi(value.c_str()));
    } else if (kind == "double") {
        ros::param::set(name, std::strtod(value.c_str(), nullptr));
    } else if (kind == "ints") {
        std::vector<int> items;
        std::istringstream input(value);
        for (std::string item; std::getline(input, item, ',');)
            items.push_back(std::atoi(item.c_str()));
        ros::param::set(name, items);
    } else if (kind == "map") {
        const auto dot = value.find('.');
        ros::param::set(name, std::map<std::string, int>{{value.substr(0, dot), std::atoi(value.c_str() + dot + 1)}});
    } else {
        ros::param::set(name, value);
    }
}

int params(const Keys &keys) {
    const auto yes = [](bool is_so) { return is_so ? "true" : "false"; };
    for (const auto &pair : keys.pairs()) {
        const std::string &what = pair.first, &name = pair.second;
        if (what == "get") {
            XmlRpc::XmlRpcValue value;
            tell("get " + name + " = " + (ros::param::get(name, value) ? words(value) : "nothing"));
        } else if (what == "set") {
            set(name);
        } else if (what == "has") {
            tell("has " + name + " = " + yes(ros::param::has(name)));
        } else if (what == "delete") {
            tell("delete " + name + " = " + yes(ros::param::del(name)));
        } else if (what == "search") {
            std::string found;
            tell("search " + name + " = " + (ros::param::search(name, found) ? found : "nothing"));
        }
    }
    tell("done");
    ready();
    return stay();
}

// Reads parameters as the master told of them last, a name in each line of input.
int cached() {
    ready();
    std::string name;
    while (std::getline(std::cin, name)) {
        XmlRpc::XmlRpcValue value;
        tell("cached " + name + " = " + (ros::param::getCached(name, value) ? words(value) : "nothing"));
    }
    return 0;
}

int names(const Keys &keys) {
    tell("namespace " + ros::this_node::getNamespace());
    std::istringstream input(keys.text("names", ""));
    for (std::string name; std::getline(input, name, ',');) {
        std::string resolved = "refused";
        try {
            resolved = ros::names::resolve(name);
        } catch (const ros::Exception &) {
        }
        tell("resolved " + name + " = " + resolved);
    }
    ready();
    return stay();
}

// Says something at each level, again and again.
int say() {
    ready();
    while (ros::ok()) {
        ROS_DEBUG("this is Debug");
        ROS_INFO("this is Info");
        ROS_WARN("this is Warn");
        ROS_ERROR("this is Error");
        ROS_FATAL("this is Fatal");
        ros::spinOnce();
        ros::WallDuration(0.1).sleep();
    }
    tell("ended");
    return 0;
}

std::string digits(const ros::Time &time) {
    char text[32];
    std::snprintf(text, sizeof text, "%u.%09u", time.sec, time.nsec);
    return text;
}

// Says what time it is whenever that has changed, and when its timer calls.
int clock(ros::NodeHandle &node, const Keys &keys) {
    ros::Timer timer = node.createTimer(ros::Duration(keys.number("period", 1)),
                                        [](const ros::TimerEvent &event) { tell("tick " + digits(event.current_real)); });
    ready();
    ros::Time last(0, 1);
    while (ros::ok()) {
        const ros::Time now = ros::Time::now();
        if (now != last)
            tell("now " + digits(now));
        last = now;
        ros::spinOnce();
        ros::WallDuration(0.01).sleep();
    }
    tell("ended");
    return 0;
}

int sleep(const Keys &keys) {
    ready();
    ros::Time::waitForValid();
    tell("sleeps " + digits(ros::Time::now()));
    const bool is_over = ros::Duration(keys.number("time", 1)).sleep();
    tell(std::string("woke ") + (is_over ? "true " : "false ") + digits(ros::Time::now()));
    return stay();
}

// Simulated time: a step for each period of the wall clock.
int simulate(ros::NodeHandle &node, const Keys &keys) {
    ros::Publisher publisher = node.advertise<rosgraph_msgs::Clock>("/clock", 10);
    ready();
    ros::Time now(keys.number("from", 100));
    const ros::Duration step(keys.number("step", 0.1));
    ros::WallRate rate(keys.number("hz", 50));
    for (; ros::ok(); now += step) {
        rosgraph_msgs::Clock clock;
        clock.clock = now;
        publisher.publish(clock);
        ros::spinOnce();
        rate.sleep();
    }
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    const std::string role = argc > 1 ? argv[1] : "";
    const Keys keys(argc, argv);
    ros::init(argc, argv, keys.text("node", role), keys.is_set("anonymous") ? ros::init_options::AnonymousName : 0);
    ros::NodeHandle node;
    if (role == "publish")
        return keys.text("kind", "string") == "image" ? publish<sensor_msgs::Image>(node, keys) : publish<std_msgs::String>(node, keys);
    if (role == "subscribe")
        return subscribe(node, keys);
    if (role == "serve")
        return serve(node, keys);
    if (role == "call")
        return call(node, keys);
    if (role == "all")
        return all(node, keys);
    if (role == "again")
        return again(node, keys);
    if (role == "param")
        return params(keys);
    if (role == "cached")
        return cached();
    if (role == "names")
        return names(keys);
    if (role == "say")
        return say();
    if (role == "clock")
        return clock(node, keys);
    if (role == "sleep")
        return sleep(keys);
    if (role == "simulate")
        return simulate(node, keys);
    std::fprintf(stderr, "peer ROLE KEY=VALUE... [FROM:=TO...]\n");
    return 2;
}
