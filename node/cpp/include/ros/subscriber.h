// A subscription to a topic.
#pragma once
#include <atomic>
#include <boost/shared_ptr.hpp>
#include <ros/detail/carrier.h>
#include <ros/detail/node.h>
#include <string>
#include <vector>

namespace ros {

// Copies are the same subscription, which lasts as long as one of them is there. Afterwards its callback is not called.
class Subscriber {
    friend class NodeHandle;

public:
    Subscriber() = default;

    void shutdown()
    {
        if (shared_) shared_->end();
    }
    std::string getTopic() const { return shared_ ? shared_->topic : std::string(); }
    uint32_t getNumPublishers() const { return is_valid() ? tk_subscription_publishers(shared_->subscription) : 0; }

    operator void *() const { return is_valid() ? reinterpret_cast<void *>(1) : nullptr; }
    bool operator<(const Subscriber &other) const { return shared_ < other.shared_; }
    bool operator==(const Subscriber &other) const { return shared_ == other.shared_; }
    bool operator!=(const Subscriber &other) const { return shared_ != other.shared_; }

    // From NodeHandle::subscribe.
    explicit Subscriber(tk_subscription *subscription, const detail::CarrierPtr &carrier = nullptr)
        : shared_(new Shared(subscription, carrier))
    {
    }

private:
    struct Shared {
        std::atomic<tk_subscription *> subscription;
        // Also known afterwards.
        const std::string topic;

        // To a queue of the program's own class.
        const detail::CarrierPtr carrier;
        detail::Hold hold;

        Shared(tk_subscription *made, const detail::CarrierPtr &by)
            : subscription(made), topic(detail::take(tk_subscription_topic(made))), carrier(by)
        {
        }
        void end()
        {
            // It may be ended from within its callback as well.
            tk_subscription *const ending = subscription.exchange(nullptr);
            if (ending != nullptr) detail::end_by(carrier, [ending] { tk_subscription_free(ending); });
            hold.release();
        }
        ~Shared() { end(); }
    };

    bool is_valid() const { return shared_ && shared_->subscription != nullptr; }

    boost::shared_ptr<Shared> shared_;
};
typedef std::vector<Subscriber> V_Subscriber;

} // namespace ros
