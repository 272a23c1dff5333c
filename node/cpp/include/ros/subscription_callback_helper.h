// Calls a program's callback with a sample, in the form that it wants.
#pragma once
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <map>
#include <ros/console.h>
#include <ros/detail/object.h>
#include <ros/exception.h>
#include <ros/forwards.h>
#include <ros/message_event.h>
#include <ros/parameter_adapter.h>
#include <ros/serialization.h>

namespace ros {

class SubscriptionCallbackHelper {
public:
    virtual ~SubscriptionCallbackHelper() {}
    virtual void call(tk_delivery *delivery) = 0;
    virtual const std::type_info &getTypeInfo() = 0;
    virtual bool isConst() = 0;
    virtual bool hasHeader() = 0;
};
typedef boost::shared_ptr<SubscriptionCallbackHelper> SubscriptionCallbackHelperPtr;

template <typename P> class SubscriptionCallbackHelperT : public SubscriptionCallbackHelper {
public:
    typedef ParameterAdapter<P> Adapter;
    typedef typename Adapter::Message Message;
    typedef typename Adapter::Event Event;
    typedef boost::function<void(typename Adapter::Parameter)> Callback;
    typedef boost::function<boost::shared_ptr<Message>()> Create;

    explicit SubscriptionCallbackHelperT(const Callback &callback, const Create &create = DefaultMessageCreator<Message>())
        : callback_(callback), create_(create)
    {
    }

    void call(tk_delivery *delivery) override
    {
        const boost::shared_ptr<M_string> header = header_of(delivery);
        // An object is the publisher's, and others have it too; what was read here nobody else has.
        if (const auto *const object = detail::ObjectOps<Message>::of(delivery)) {
            return hand_over(Event(*object, header, Time::now(), true, create_));
        }
        const boost::shared_ptr<Message> message = create_();
        serialization::PreDeserializeParams<Message> before{message, header};
        serialization::PreDeserialize<Message>::notify(before);
        size_t len = 0;
        const uint8_t *const bytes = tk_delivery_wire(delivery, &len);
        try {
            serialization::IStream stream(const_cast<uint8_t *>(bytes), static_cast<uint32_t>(len));
            serialization::deserialize(stream, *message);
            if (stream.getLength() > 0) throw Exception(std::to_string(stream.getLength()) + " bytes follow after the last field");
        } catch (const std::exception &error) {
            ROS_ERROR("%s from %s: %s", (*header)["topic"].c_str(), (*header)["callerid"].c_str(), error.what());
            return;
        }
        hand_over(Event(message, header, Time::now(), false, create_));
    }
    const std::type_info &getTypeInfo() override { return typeid(Message); }
    bool isConst() override { return Adapter::is_const; }
    bool hasHeader() override { return message_traits::hasHeader<Message>(); }

private:
    void hand_over(const Event &event) { callback_(Adapter::getParameter(event)); }

    // Made once for each connection. Nobody tells when one is gone: beyond so many the oldest is forgotten, and made again should it still be there.
    static constexpr size_t remembered_headers = 64;
    const boost::shared_ptr<M_string> &header_of(tk_delivery *delivery)
    {
        boost::shared_ptr<M_string> &header = headers_[tk_delivery_link(delivery)];
        if (!header) {
            if (headers_.size() > remembered_headers) forget_oldest(header);
            header = boost::make_shared<M_string>();
            (*header)["callerid"] = detail::take(tk_delivery_field(delivery, TK_CALLERID));
            (*header)["topic"] = detail::take(tk_delivery_field(delivery, TK_TOPIC));
            (*header)["type"] = detail::take(tk_delivery_field(delivery, TK_TYPE));
            (*header)["md5sum"] = detail::take(tk_delivery_field(delivery, TK_MD5SUM));
            (*header)["message_definition"] = detail::take(tk_delivery_field(delivery, TK_DEFINITION));
            (*header)["latching"] = detail::take(tk_delivery_field(delivery, TK_LATCHING));
        }
        return header;
    }

    // Links are numbered as they come. Not the one that is just made.
    void forget_oldest(const boost::shared_ptr<M_string> &made)
    {
        auto oldest = headers_.begin();
        if (&oldest->second == &made) ++oldest;
        headers_.erase(oldest);
    }

    Callback callback_;
    Create create_;
    std::map<uint32_t, boost::shared_ptr<M_string>> headers_;
};

} // namespace ros
