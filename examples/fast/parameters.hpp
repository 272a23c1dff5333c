// Numbers from the parameter server, refused where they are out of range. The error names parameter and range.
#pragma once
#include <ros/ros.h>
#include <sstream>
#include <stdexcept>
#include <string>

template <typename Number>
Number number_between(const ros::NodeHandle &parameters, const std::string &name, Number unless_set, Number low,
                      Number high) {
    const Number number = parameters.param(name, unless_set);
    // Written so that what is not a number (NaN) is refused too.
    if (number >= low && number <= high) return number;
    std::ostringstream why;
    why << "parameter " << parameters.getNamespace() << '/' << name << " is " << number << "; give " << low << " to "
        << high;
    throw std::invalid_argument(why.str());
}

// How many messages may wait at each publisher and subscriber. When more come the oldest are lost.
inline unsigned queue_size(const ros::NodeHandle &parameters) {
    return static_cast<unsigned>(number_between(parameters, "queue_size", 10, 1, 1000));
}
