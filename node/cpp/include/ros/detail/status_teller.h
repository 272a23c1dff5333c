// Tells a program of subscribers that come and go, in its own queue, until the publisher ends.
//
//   the node's thread ──on_change──► the program's queue ──call()──► the program's callback
//
// After end() nothing is called, and no other thread is in a callback (NODE-110).
#pragma once
#include <atomic>
#include <boost/enable_shared_from_this.hpp>
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <mutex>
#include <ros/callback_queue_interface.h>
#include <ros/detail/callers.h>
#include <ros/detail/node.h>
#include <ros/forwards.h>
#include <ros/publisher.h>
#include <ros/single_subscriber_publisher.h>
#include <string>
#include <utility>
#include <vector>

namespace ros {
namespace detail {

class StatusTeller : public boost::enable_shared_from_this<StatusTeller> {
public:
    StatusTeller(std::string topic, SubscriberStatusCallback on_come, SubscriberStatusCallback on_leave,
                 CallbackQueueInterface *queue, const VoidConstPtr &tracked)
        : topic_(std::move(topic)), on_come_(std::move(on_come)), on_leave_(std::move(on_leave)), queue_(queue),
          tracked_(tracked)
    {
    }

    // Whether there is anything to tell.
    bool is_wanted() const { return on_come_ || on_leave_; }

    // The publisher is known: what has come meanwhile is told now.
    void begin(const Publisher::Weak &publisher)
    {
        const std::lock_guard<std::mutex> lock(adding_);
        publisher_ = publisher;
        is_begun_ = true;
        for (const auto &call : early_) queue_->addCallback(call, id());
        early_.clear();
    }

    // Nobody is told any more, whatever waits, and no other thread is telling; the publisher may go.
    void end()
    {
        is_over_ = true;
        callers_.end(0);
        // The queue may go as well: nobody adds to it. Within a callback it stays, and may be locked.
        if (!callers_.wait(0)) const std::lock_guard<std::mutex> lock(adding_);
        // Of a node that has ended the queue may be gone already.
        if (!ThisNode::get().is_over()) queue_->removeByID(id());
    }

    // `self` points to a pointer to it, which is freed.
    static void on_change(void *self, const char *callerid, bool is_new)
    {
        (*static_cast<boost::shared_ptr<StatusTeller> *>(self))->tell(callerid, is_new ? Come : Leave);
    }
    static void free(void *self) { delete static_cast<boost::shared_ptr<StatusTeller> *>(self); }

private:
    enum What { Come, Leave };

    struct Call : CallbackInterface {
        const boost::shared_ptr<StatusTeller> teller;
        const What what;
        const std::string who;

        Call(const boost::shared_ptr<StatusTeller> &given, What happened, std::string subscriber)
            : teller(given), what(happened), who(std::move(subscriber))
        {
        }
        CallResult call() override
        {
            // Before the look: who ends it waits for this one, or it is seen here.
            const Callers::Call running(teller->callers_, 0);
            VoidConstPtr held;
            if (teller->is_over_ || !teller->tracked_.hold(held)) return Invalid;
            teller->callback(what)(SingleSubscriberPublisher(teller->topic_, who, teller->publisher_.lock()));
            return Success;
        }
    };

    const SubscriberStatusCallback &callback(What what) const { return what == Come ? on_come_ : on_leave_; }
    uint64_t id() const { return reinterpret_cast<uintptr_t>(this); }

    // In a thread of the node.
    void tell(const char *callerid, What what)
    {
        if (!callback(what)) return;
        const std::lock_guard<std::mutex> lock(adding_);
        if (is_over_) return;
        const auto call = boost::make_shared<Call>(shared_from_this(), what, callerid);
        if (is_begun_) queue_->addCallback(call, id());
        else early_.push_back(call);
    }

    const std::string topic_;
    const SubscriberStatusCallback on_come_, on_leave_;
    CallbackQueueInterface *const queue_;
    const Tracked tracked_;
    std::atomic<bool> is_over_{false};
    Callers callers_;
    // In the order in which they come and go.
    std::mutex adding_;
    bool is_begun_ = false;
    std::vector<CallbackInterfacePtr> early_;
    Publisher::Weak publisher_;
};

} // namespace detail
} // namespace ros
