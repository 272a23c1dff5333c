// From a message event to what a callback wants of it.
#pragma once
#include <boost/shared_ptr.hpp>
#include <ros/message_event.h>
#include <type_traits>

namespace ros {

// A message itself: `M const &`, or `M`.
template <typename P> struct ParameterAdapter {
    typedef typename std::remove_const<typename std::remove_reference<P>::type>::type Message;
    typedef ros::MessageEvent<Message const> Event;
    typedef P Parameter;
    static const bool is_const = true;
    static Parameter getParameter(const Event &event) { return *event.getMessage(); }
};

template <typename M> struct ParameterAdapter<const boost::shared_ptr<M const> &> {
    typedef typename std::remove_const<M>::type Message;
    typedef ros::MessageEvent<Message const> Event;
    typedef const boost::shared_ptr<Message const> Parameter;
    static const bool is_const = true;
    static Parameter getParameter(const Event &event) { return event.getMessage(); }
};

// One that the callback may change: a copy, if others have it too.
template <typename M> struct ParameterAdapter<const boost::shared_ptr<M> &> {
    typedef typename std::remove_const<M>::type Message;
    typedef ros::MessageEvent<Message const> Event;
    typedef boost::shared_ptr<Message> Parameter;
    static const bool is_const = false;
    static Parameter getParameter(const Event &event) { return ros::MessageEvent<Message>(event).getMessage(); }
};

template <typename M> struct ParameterAdapter<const M &> {
    typedef typename std::remove_const<M>::type Message;
    typedef ros::MessageEvent<Message const> Event;
    typedef const M &Parameter;
    static const bool is_const = true;
    static Parameter getParameter(const Event &event) { return *event.getMessage(); }
};

template <typename M> struct ParameterAdapter<boost::shared_ptr<M const>> {
    typedef typename std::remove_const<M>::type Message;
    typedef ros::MessageEvent<Message const> Event;
    typedef boost::shared_ptr<Message const> Parameter;
    static const bool is_const = true;
    static Parameter getParameter(const Event &event) { return event.getMessage(); }
};

template <typename M> struct ParameterAdapter<boost::shared_ptr<M>> {
    typedef typename std::remove_const<M>::type Message;
    typedef ros::MessageEvent<Message const> Event;
    typedef boost::shared_ptr<Message> Parameter;
    static const bool is_const = false;
    static Parameter getParameter(const Event &event) { return ros::MessageEvent<Message>(event).getMessage(); }
};

template <typename M> struct ParameterAdapter<const ros::MessageEvent<M const> &> {
    typedef typename std::remove_const<M>::type Message;
    typedef ros::MessageEvent<Message const> Event;
    typedef const ros::MessageEvent<Message const> &Parameter;
    static const bool is_const = true;
    static Parameter getParameter(const Event &event) { return event; }
};

template <typename M> struct ParameterAdapter<const ros::MessageEvent<M> &> {
    typedef typename std::remove_const<M>::type Message;
    typedef ros::MessageEvent<Message const> Event;
    typedef ros::MessageEvent<Message> Parameter;
    static const bool is_const = false;
    static Parameter getParameter(const Event &event) { return ros::MessageEvent<Message>(event); }
};

} // namespace ros
