// Publishes messages on a topic.
#pragma once
#include <atomic>
#include <boost/enable_shared_from_this.hpp>
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <boost/weak_ptr.hpp>
#include <functional>
#include <ros/assert.h>
#include <ros/console.h>
#include <ros/detail/node.h>
#include <ros/detail/object.h>
#include <ros/message_traits.h>
#include <ros/serialization.h>
#include <string>

namespace ros {

// Copies publish on the same topic, which is published as long as one of them is there.
class Publisher {
    friend class NodeHandle;
    struct Shared;

public:
    Publisher() = default;

    // Subscribers of this node get this very message; it must not change any more. Nothing is copied, and nothing waits.
    template <typename M> void publish(const boost::shared_ptr<M> &message) const
    {
        typedef typename std::remove_const<M>::type Message;
        if (!message) return complain("publish: there is no message");
        if (!fits<Message>(*message)) return;
        typedef detail::ObjectOps<Message> Ops;
        auto *const object = new typename Ops::Pointer(message);
        if (!tk_publish_object(shared_->publisher, object, Ops::get())) complain(tk_last_error());
    }

    // The message is put into its wire form here, straight into the slot that others read.
    template <typename M> void publish(const M &message) const
    {
        if (!fits<M>(message)) return;
        const uint32_t len = serialization::serializationLength(message);
        uint8_t *bytes = nullptr;
        tk_loan *const loan = tk_loan_new(shared_->publisher, len, &bytes);
        if (loan == nullptr) return complain(tk_last_error());
        serialization::OStream stream(bytes, len);
        serialization::serialize(stream, message);
        if (!tk_loan_publish(loan)) complain(tk_last_error());
    }

    void shutdown()
    {
        if (shared_) shared_->end();
    }
    std::string getTopic() const { return is_valid() ? detail::take(tk_publisher_topic(shared_->publisher)) : std::string(); }
    uint32_t getNumSubscribers() const { return is_valid() && tk_node_is_ok(shared_->node) ? tk_publisher_subscribers(shared_->publisher) : 0; }
    bool isLatched() const
    {
        if (!is_valid()) throw Exception("Call to isLatched() on an invalid Publisher");
        return tk_publisher_is_latched(shared_->publisher);
    }

    operator void *() const { return is_valid() ? reinterpret_cast<void *>(1) : nullptr; }
    bool operator<(const Publisher &other) const { return shared_ < other.shared_; }
    bool operator==(const Publisher &other) const { return shared_ == other.shared_; }
    bool operator!=(const Publisher &other) const { return shared_ != other.shared_; }

    // A publisher that others may end: nothing keeps the topic published, nor does what it is locked to.
    class Weak {
    public:
        Weak() = default;
        explicit Weak(const Publisher &publisher) : shared_(publisher.shared_->shared_from_this()) {}
        Publisher lock() const
        {
            Publisher publisher;
            publisher.shared_ = shared_.lock();
            return publisher;
        }

    private:
        boost::weak_ptr<Shared> shared_;
    };

    // From NodeHandle::advertise. `on_end` is called before it ends: with the last of its copies, or by shutdown().
    Publisher(tk_publisher *publisher, std::string md5sum, std::string datatype, std::function<void()> on_end = nullptr)
    {
        const auto shared = boost::make_shared<Shared>(publisher, std::move(md5sum), std::move(datatype), std::move(on_end));
        // Ends with the last copy, in whose thread that is: no callback that is told of a subscriber makes it outlive that.
        shared_ = boost::shared_ptr<Shared>(shared.get(), [shared](Shared *ending) { ending->end(); });
    }

private:
    struct Shared : boost::enable_shared_from_this<Shared> {
        std::atomic<tk_publisher *> publisher;
        const tk_node *const node;
        const std::string md5sum, datatype;
        const std::function<void()> on_end;
        detail::Hold hold;

        Shared(tk_publisher *made, std::string sum, std::string type, std::function<void()> act)
            : publisher(made), node(detail::node()), md5sum(std::move(sum)), datatype(std::move(type)), on_end(std::move(act))
        {
        }
        void end()
        {
            if (publisher == nullptr) return;
            // First, as whoever is told may publish.
            if (on_end) on_end();
            if (tk_publisher *const ending = publisher.exchange(nullptr)) tk_publisher_free(ending);
            hold.release();
        }
    };

    bool is_valid() const { return shared_ && shared_->publisher != nullptr; }

    template <typename M> bool fits(const M &message) const
    {
        if (!is_valid()) {
            complain("Call to publish() on an invalid Publisher");
            return false;
        }
        const std::string md5sum = message_traits::md5sum(message);
        if (shared_->md5sum == "*" || md5sum == "*" || shared_->md5sum == md5sum) return true;
        ROS_ERROR("publish: %s is a topic of %s/%s, and the message is a %s/%s", getTopic().c_str(),
                  shared_->datatype.c_str(), shared_->md5sum.c_str(), message_traits::datatype(message), md5sum.c_str());
        return false;
    }
    void complain(const char *what) const { ROS_ERROR("%s", what); }

    boost::shared_ptr<Shared> shared_;
};
typedef std::vector<Publisher> V_Publisher;

} // namespace ros
