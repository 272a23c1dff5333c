// How a topic is published.
#pragma once
#include <ros/forwards.h>
#include <ros/message_traits.h>
#include <string>

namespace ros {

struct AdvertiseOptions {
    AdvertiseOptions() = default;
    AdvertiseOptions(const std::string &topic, uint32_t queue_size, const std::string &md5sum, const std::string &datatype,
                     const std::string &message_definition,
                     const SubscriberStatusCallback &connect_cb = SubscriberStatusCallback(),
                     const SubscriberStatusCallback &disconnect_cb = SubscriberStatusCallback())
        : topic(topic), queue_size(queue_size), md5sum(md5sum), datatype(datatype), message_definition(message_definition),
          connect_cb(connect_cb), disconnect_cb(disconnect_cb)
    {
    }

    template <class M>
    void init(const std::string &topic_name, uint32_t size,
              const SubscriberStatusCallback &connect = SubscriberStatusCallback(),
              const SubscriberStatusCallback &disconnect = SubscriberStatusCallback())
    {
        topic = topic_name;
        queue_size = size;
        connect_cb = connect;
        disconnect_cb = disconnect;
        md5sum = message_traits::md5sum<M>();
        datatype = message_traits::datatype<M>();
        message_definition = message_traits::definition<M>();
        has_header = message_traits::hasHeader<M>();
    }

    template <class M>
    static AdvertiseOptions create(const std::string &topic, uint32_t queue_size, const SubscriberStatusCallback &connect_cb,
                                   const SubscriberStatusCallback &disconnect_cb, const VoidConstPtr &tracked_object,
                                   CallbackQueueInterface *queue)
    {
        AdvertiseOptions options;
        options.init<M>(topic, queue_size, connect_cb, disconnect_cb);
        options.tracked_object = tracked_object;
        options.callback_queue = queue;
        return options;
    }

    std::string topic;
    uint32_t queue_size = 0;
    std::string md5sum, datatype, message_definition;
    SubscriberStatusCallback connect_cb, disconnect_cb;
    CallbackQueueInterface *callback_queue = nullptr;
    VoidConstPtr tracked_object;
    bool latch = false;
    bool has_header = false;
};

} // namespace ros
