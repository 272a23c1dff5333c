// How a topic is subscribed to.
#pragma once
#include <ros/forwards.h>
#include <ros/message_traits.h>
#include <ros/subscription_callback_helper.h>
#include <ros/transport_hints.h>
#include <string>

namespace ros {

struct SubscribeOptions {
    SubscribeOptions() = default;
    SubscribeOptions(const std::string &topic, uint32_t queue_size, const std::string &md5sum, const std::string &datatype)
        : topic(topic), queue_size(queue_size), md5sum(md5sum), datatype(datatype)
    {
    }

    template <class P>
    void initByFullCallbackType(
        const std::string &topic_name, uint32_t size, const boost::function<void(P)> &callback,
        const boost::function<boost::shared_ptr<typename ParameterAdapter<P>::Message>()> &factory =
            DefaultMessageCreator<typename ParameterAdapter<P>::Message>())
    {
        typedef typename ParameterAdapter<P>::Message Message;
        topic = topic_name;
        queue_size = size;
        md5sum = message_traits::md5sum<Message>();
        datatype = message_traits::datatype<Message>();
        helper = boost::make_shared<SubscriptionCallbackHelperT<P>>(callback, factory);
    }

    template <class M>
    void init(const std::string &topic_name, uint32_t size,
              const boost::function<void(const boost::shared_ptr<M const> &)> &callback,
              const boost::function<boost::shared_ptr<M>()> &factory = DefaultMessageCreator<M>())
    {
        initByFullCallbackType<const boost::shared_ptr<M const> &>(topic_name, size, callback, factory);
    }

    template <class M>
    static SubscribeOptions create(const std::string &topic, uint32_t queue_size,
                                   const boost::function<void(const boost::shared_ptr<M const> &)> &callback,
                                   const VoidConstPtr &tracked_object, CallbackQueueInterface *queue)
    {
        SubscribeOptions options;
        options.init<M>(topic, queue_size, callback);
        options.tracked_object = tracked_object;
        options.callback_queue = queue;
        return options;
    }

    std::string topic;
    uint32_t queue_size = 1;
    std::string md5sum, datatype;
    SubscriptionCallbackHelperPtr helper;
    CallbackQueueInterface *callback_queue = nullptr;
    // Callbacks of one subscription are never called by two threads at once here, whatever this says.
    bool allow_concurrent_callbacks = false;
    VoidConstPtr tracked_object;
    TransportHints transport_hints;
};

} // namespace ros
