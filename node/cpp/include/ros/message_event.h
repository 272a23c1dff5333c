// A message as it came: with the header of its connection and the time of its arrival. Many subscriptions share the message;
// who asks for one that it may change gets a copy.
#pragma once
#include <boost/function.hpp>
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <ros/datatypes.h>
#include <ros/macros.h>
#include <ros/message_traits.h>
#include <ros/time.h>
#include <string>
#include <type_traits>

namespace ros {

// Makes an empty message.
template <typename M> struct DefaultMessageCreator {
    boost::shared_ptr<M> operator()() { return boost::make_shared<M>(); }
};

template <typename M> ROS_DEPRECATED inline boost::shared_ptr<M> defaultMessageCreateFunction()
{
    return DefaultMessageCreator<M>()();
}

// `M` may be const: then nothing is ever copied.
template <typename M> class MessageEvent {
public:
    typedef typename std::add_const<M>::type ConstMessage;
    typedef typename std::remove_const<M>::type Message;
    typedef boost::shared_ptr<Message> MessagePtr;
    typedef boost::shared_ptr<ConstMessage> ConstMessagePtr;
    typedef boost::function<MessagePtr()> CreateFunction;

    MessageEvent() : need_copy_(true) {}
    MessageEvent(const MessageEvent<Message> &other) { share(other, other.nonConstWillCopy()); }
    MessageEvent(const MessageEvent<ConstMessage> &other) { share(other, other.nonConstWillCopy()); }
    MessageEvent(const MessageEvent<Message> &other, bool need_copy) { share(other, need_copy); }
    MessageEvent(const MessageEvent<ConstMessage> &other, bool need_copy) { share(other, need_copy); }
    MessageEvent(const MessageEvent<void const> &other, const CreateFunction &create)
        : message_(boost::static_pointer_cast<ConstMessage>(other.getConstMessage())),
          connection_header_(other.getConnectionHeaderPtr()), receipt_time_(other.getReceiptTime()),
          need_copy_(other.nonConstWillCopy()), create_(create)
    {
    }

    // One that came without a connection, now. Not explicit: message filters are given messages where events are expected.
    // Throws TimeNotInitializedException.
    MessageEvent(const ConstMessagePtr &message) : MessageEvent(message, ros::Time::now()) {}
    MessageEvent(const ConstMessagePtr &message, ros::Time receipt_time)
        : MessageEvent(message, boost::shared_ptr<M_string>(), receipt_time)
    {
    }
    MessageEvent(const ConstMessagePtr &message, const boost::shared_ptr<M_string> &connection_header,
                 ros::Time receipt_time)
        : MessageEvent(message, connection_header, receipt_time, true, DefaultMessageCreator<Message>())
    {
    }
    MessageEvent(const ConstMessagePtr &message, const boost::shared_ptr<M_string> &connection_header,
                 ros::Time receipt_time, bool need_copy, const CreateFunction &create)
        : message_(message), connection_header_(connection_header), receipt_time_(receipt_time), need_copy_(need_copy),
          create_(create)
    {
    }

    MessageEvent &operator=(const MessageEvent<Message> &other) { return share(other, other.nonConstWillCopy()); }
    MessageEvent &operator=(const MessageEvent<ConstMessage> &other) { return share(other, other.nonConstWillCopy()); }

    // The message; if `M` is not const and others may see it, a copy of it, made once.
    boost::shared_ptr<M> getMessage() const { return message_for(std::integral_constant<bool, may_copy>()); }
    // The message itself.
    const boost::shared_ptr<ConstMessage> &getConstMessage() const { return message_; }

    // Only where there is a connection.
    M_string &getConnectionHeader() const { return *connection_header_; }
    const boost::shared_ptr<M_string> &getConnectionHeaderPtr() const { return connection_header_; }

    // `callerid` of the connection; empty if that has none, `unknown_publisher` if there is no connection.
    const std::string &getPublisherName() const
    {
        static const std::string *const unknown = new std::string("unknown_publisher");
        static const std::string *const none = new std::string;
        if (!connection_header_) return *unknown;
        const auto found = connection_header_->find("callerid");
        return found == connection_header_->end() ? *none : found->second;
    }

    ros::Time getReceiptTime() const { return receipt_time_; }

    // Whether getMessage() copies if `M` is not const.
    bool nonConstWillCopy() const { return need_copy_; }
    // Whether getMessage() copies.
    bool getMessageWillCopy() const { return !std::is_const<M>::value && need_copy_; }

    const CreateFunction &getMessageFactory() const { return create_; }

    // By message, then time of arrival, then need of a copy.
    bool operator<(const MessageEvent &other) const
    {
        if (message_ != other.message_) return message_ < other.message_;
        if (receipt_time_ != other.receipt_time_) return receipt_time_ < other.receipt_time_;
        return need_copy_ < other.need_copy_;
    }
    bool operator==(const MessageEvent &other) const
    {
        return message_ == other.message_ && receipt_time_ == other.receipt_time_ && need_copy_ == other.need_copy_;
    }
    bool operator!=(const MessageEvent &other) const { return !(*this == other); }

private:
    static constexpr bool may_copy = !std::is_const<M>::value && !std::is_void<M>::value;

    // What `other` gives out is the message of this one, also if that is a copy.
    template <typename Other> MessageEvent &share(const MessageEvent<Other> &other, bool need_copy)
    {
        message_ = other.getMessage();
        copy_.reset();
        connection_header_ = other.getConnectionHeaderPtr();
        receipt_time_ = other.getReceiptTime();
        need_copy_ = need_copy;
        create_ = other.getMessageFactory();
        return *this;
    }

    boost::shared_ptr<M> message_for(std::false_type) const { return boost::const_pointer_cast<Message>(message_); }
    boost::shared_ptr<M> message_for(std::true_type) const
    {
        if (!need_copy_ || !message_) return boost::const_pointer_cast<Message>(message_);
        if (!copy_) {
            copy_ = create_();
            *copy_ = *message_;
        }
        return copy_;
    }

    ConstMessagePtr message_;
    mutable MessagePtr copy_;
    boost::shared_ptr<M_string> connection_header_;
    ros::Time receipt_time_;
    bool need_copy_;
    CreateFunction create_;
};

} // namespace ros
