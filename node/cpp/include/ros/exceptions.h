// What is thrown when a program asks for what cannot be.
#pragma once
#include <ros/exception.h>
#include <string>

namespace ros {

// ros::init was given a name that no node can have.
class InvalidNodeNameException : public Exception {
public:
    InvalidNodeNameException(const std::string &name, const std::string &reason)
        : Exception("no node can be named [" + name + "]: " + reason)
    {
    }
};

// Not a name of the graph (NODE-46).
class InvalidNameException : public Exception {
public:
    InvalidNameException(const std::string &what) : Exception(what) {}
};

// A topic is subscribed to a second time, in another way.
class ConflictingSubscriptionException : public Exception {
public:
    ConflictingSubscriptionException(const std::string &what) : Exception(what) {}
};

// An argument that makes no sense.
class InvalidParameterException : public Exception {
public:
    InvalidParameterException(const std::string &what) : Exception(what) {}
};

// No port of the network.
class InvalidPortException : public Exception {
public:
    InvalidPortException(const std::string &what) : Exception(what) {}
};

} // namespace ros
