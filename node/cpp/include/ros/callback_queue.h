// Where callbacks wait for a thread. The node has one; programs may make more, for threads of their own.
#pragma once
#include <boost/shared_ptr.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <ros/callback_queue_interface.h>
#include <ros/detail/callers.h>
#include <ros/detail/calling.h>
#include <ros/detail/node.h>
#include <ros/duration.h>
#include <string>
#include <vector>

namespace ros {

class CallbackQueue : public CallbackQueueInterface {
public:
    explicit CallbackQueue(bool enabled = true) : queue_(tk_queue_new()), is_enabled_(enabled), is_global_(false) {}
    ~CallbackQueue() override
    {
        clear();
        tk_queue_free(queue_);
    }
    CallbackQueue(const CallbackQueue &) = delete;
    CallbackQueue &operator=(const CallbackQueue &) = delete;

    enum CallOneResult {
        Called,   // one was called
        TryAgain, // there is one that is not ready
        Disabled, // disable() was called, or the node is over
        Empty     // there is none
    };

    // Waits so long for one.
    CallOneResult callOne(WallDuration timeout = WallDuration())
    {
        // Before the look: disable() wakes the queue afterwards.
        const uint32_t wakes = tk_queue_wakes(raw());
        if (!is_enabled_) return Disabled;
        detail::Calling calling(raw());
        const bool called = tk_queue_call_one(raw(), nanos(timeout), wakes);
        calling.rethrow();
        if (called) return calling.is_to_try_again() ? TryAgain : Called;
        return is_enabled_ && !tk_queue_is_stopped(raw()) ? Empty : Disabled;
    }
    // Waits so long for one, then calls all that are due. What one of them throws is thrown; those behind it wait.
    void callAvailable(WallDuration timeout = WallDuration())
    {
        const uint32_t wakes = tk_queue_wakes(raw());
        if (!is_enabled_) return;
        detail::Calling calling(raw());
        if (timeout > WallDuration() && !tk_queue_call_one(raw(), nanos(timeout), wakes)) return;
        calling.rethrow();
        tk_queue_spin_once(raw());
        calling.rethrow();
    }

    // Calls it once, after what is due now.
    void addCallback(const CallbackInterfacePtr &callback, uint64_t owner_id = 0) override
    {
        const tk_node *const node = detail::node();
        if (node == nullptr || !is_enabled_) return;
        auto *const once = new Once{this, callback, owner_id, nullptr};
        // It may run before it is known here: it waits for the lock.
        std::lock_guard<std::recursive_mutex> lock(mutex_);
        const tk_timer_options options = {1, true, true, &Once::call, once, nullptr};
        once->timer = tk_timer_new(node, handle(), &options);
        waiting_.push_back(once);
    }
    // None of them is called any more, and none runs but in this thread (NODE-110).
    void removeByID(uint64_t owner_id) override
    {
        const auto is_of_owner = [owner_id](const Once &once) { return once.owner == owner_id; };
        remove(is_of_owner, [this, owner_id] { callers_->end(owner_id); });
        callers_->wait(owner_id);
    }
    // Forgets what waits: callbacks that were added, messages that have come, timers that are due, calls of services.
    void clear()
    {
        remove([](const Once &) { return true; }, [] {});
        tk_queue_discard(raw());
    }

    // Whether no callback waits.
    bool empty() { return !tk_queue_has_waiting(raw()); }
    bool isEmpty() { return empty(); }
    // From now on callbacks are called. What has come meanwhile is not.
    void enable()
    {
        if (is_enabled_) return;
        clear();
        is_enabled_ = true;
    }
    // Nothing is called, nor kept, until enable().
    void disable()
    {
        is_enabled_ = false;
        tk_queue_wake(raw());
    }
    bool isEnabled() { return is_enabled_; }

    // What things that are made with this queue are given; nullptr: the node's own queue.
    tk_queue *handle() const { return is_global_ ? nullptr : queue_; }

    // The queue itself, to wait at.
    tk_queue *raw() const
    {
        tk_queue *const own = is_global_ ? detail::ThisNode::get().queue() : nullptr;
        return own != nullptr ? own : queue_;
    }

    // The node's.
    static CallbackQueue &global()
    {
        static CallbackQueue *const queue = new CallbackQueue(Global());
        return *queue;
    }

private:
    struct Global {};
    explicit CallbackQueue(Global) : queue_(tk_queue_new()), is_enabled_(true), is_global_(true) {}

    struct Once {
        CallbackQueue *queue;
        CallbackInterfacePtr callback;
        uint64_t owner;
        tk_timer *timer;

        static void call(void *self, const tk_timer_event *)
        {
            Once *const once = static_cast<Once *>(self);
            const CallbackInterfacePtr callback = once->callback;
            CallbackQueue *const queue = once->queue;
            const uint64_t owner = once->owner;
            // The callback may end the queue.
            const auto callers = queue->callers_;
            // Before it is taken: whoever takes it away finds it in either place.
            const detail::Callers::Call running(*callers, owner);
            if (!queue->take(once)) return;
            detail::Calling::guard([&] {
                if (callback->ready() && callback->call() != CallbackInterface::TryAgain) return;
                queue->add_again(callback, running, owner);
                detail::Calling::try_again();
            });
        }
    };

    // Unless it was taken away while it ran.
    void add_again(const CallbackInterfacePtr &callback, const detail::Callers::Call &running, uint64_t owner)
    {
        std::lock_guard<std::recursive_mutex> lock(mutex_);
        if (!running.is_ended()) addCallback(callback, owner);
    }
    // Whether it was still there. Its timer ends within its own callback.
    bool take(Once *once)
    {
        {
            std::lock_guard<std::recursive_mutex> lock(mutex_);
            auto at = waiting_.begin();
            while (at != waiting_.end() && *at != once) ++at;
            if (at == waiting_.end()) return false;
            waiting_.erase(at);
        }
        tk_timer_free(once->timer);
        delete once;
        return true;
    }
    // `also` happens at the same time.
    template <typename Which, typename Also> void remove(Which which, Also also)
    {
        std::vector<Once *> removed;
        {
            std::lock_guard<std::recursive_mutex> lock(mutex_);
            also();
            for (auto at = waiting_.begin(); at != waiting_.end();) {
                if (which(**at)) {
                    removed.push_back(*at);
                    at = waiting_.erase(at);
                } else {
                    ++at;
                }
            }
        }
        for (Once *once : removed) {
            // Not with the lock: it waits for a callback that may be waiting for it.
            tk_timer_free(once->timer);
            delete once;
        }
    }

    static int64_t nanos(const WallDuration &time) { return time < WallDuration() ? -1 : time.toNSec(); }

    tk_queue *queue_;
    std::atomic<bool> is_enabled_;
    const bool is_global_;
    const std::shared_ptr<detail::Callers> callers_ = std::make_shared<detail::Callers>();
    std::recursive_mutex mutex_;
    std::vector<Once *> waiting_;
};
typedef boost::shared_ptr<CallbackQueue> CallbackQueuePtr;

} // namespace ros
