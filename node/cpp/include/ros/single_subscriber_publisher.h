// What a callback is told of one who subscribes or leaves.
#pragma once
#include <ros/publisher.h>
#include <string>

namespace ros {

class SingleSubscriberPublisher {
public:
    SingleSubscriberPublisher(std::string topic, std::string subscriber, Publisher publisher)
        : topic_(std::move(topic)), subscriber_(std::move(subscriber)), publisher_(std::move(publisher))
    {
    }

    // To all subscribers: there is no way here to one alone. Who wants a first message sent to newcomers latches the topic.
    template <typename M> void publish(const boost::shared_ptr<M const> &message) const { publisher_.publish(message); }
    template <typename M> void publish(const boost::shared_ptr<M> &message) const { publisher_.publish(message); }
    template <typename M> void publish(const M &message) const { publisher_.publish(message); }

    std::string getTopic() const { return topic_; }
    std::string getSubscriberName() const { return subscriber_; }

private:
    std::string topic_, subscriber_;
    Publisher publisher_;
};

} // namespace ros
