// Begins when somebody listens. A node that subscribes to its input only when its output is wanted costs nothing before, and
// a chain of such nodes starts from its end: by the time that the camera is wanted no frame can be lost on the way.
#pragma once
#include <algorithm>
#include <functional>
#include <ros/ros.h>
#include <utility>
#include <vector>

class WhenWanted {
public:
    // Calls `begin` once, from the node's callback queue, when each publisher has a subscriber.
    WhenWanted(ros::NodeHandle node, std::vector<ros::Publisher> publishers, std::function<void()> begin)
        : publishers_(std::move(publishers)), begin_(std::move(begin)) {
        timer_ = node.createTimer(ros::Duration(0.05), &WhenWanted::look, this);
    }
    // The timer knows this object's address.
    WhenWanted(const WhenWanted &) = delete;
    WhenWanted &operator=(const WhenWanted &) = delete;

private:
    void look(const ros::TimerEvent &) {
        const auto wanted = [](const ros::Publisher &publisher) { return publisher.getNumSubscribers() > 0; };
        if (!std::all_of(publishers_.begin(), publishers_.end(), wanted)) return;
        timer_.stop();
        begin_();
    }

    std::vector<ros::Publisher> publishers_;
    std::function<void()> begin_;
    ros::Timer timer_;
};
