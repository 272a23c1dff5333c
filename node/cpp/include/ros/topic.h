// One message of a topic, without a subscription of one's own.
#pragma once
#include <ros/callback_queue.h>
#include <ros/node_handle.h>

namespace ros {
namespace topic {

// The next message, so long at most (0: as long as the node runs); empty: there was none.
template <class M>
boost::shared_ptr<M const> waitForMessage(const std::string &topic, NodeHandle &node_handle, Duration timeout = Duration(0))
{
    CallbackQueue queue;
    boost::shared_ptr<M const> message;
    SubscribeOptions options;
    options.init<M>(topic, 1, [&message](const boost::shared_ptr<M const> &heard) { message = heard; });
    options.callback_queue = &queue;
    const Subscriber subscriber = node_handle.subscribe(options);
    const WallTime end = WallTime::now() + WallDuration(timeout.toSec());
    while (!message && ros::ok()) {
        if (timeout <= Duration(0)) {
            tk_queue_call_one(queue.raw(), -1, tk_queue_wakes(queue.raw()));
            continue;
        }
        const WallDuration left = end - WallTime::now();
        if (left <= WallDuration(0)) break;
        queue.callOne(left);
    }
    return message;
}
template <class M> boost::shared_ptr<M const> waitForMessage(const std::string &topic)
{
    NodeHandle node;
    return waitForMessage<M>(topic, node, Duration(0));
}
template <class M> boost::shared_ptr<M const> waitForMessage(const std::string &topic, Duration timeout)
{
    NodeHandle node;
    return waitForMessage<M>(topic, node, timeout);
}

} // namespace topic
} // namespace ros
