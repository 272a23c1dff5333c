// Threads that call callbacks.
#pragma once
#include <boost/shared_ptr.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <ros/callback_queue.h>
#include <ros/console.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ros {

class Spinner {
public:
    virtual ~Spinner() {}
    // Until the node is over.
    virtual void spin(CallbackQueue *queue = nullptr) = 0;
};

namespace detail {
inline CallbackQueue &or_global(CallbackQueue *queue) { return queue ? *queue : CallbackQueue::global(); }

// Calls callbacks until the node is over or `is_over` says so. Throws what one of them throws.
template <typename IsOver> void call_until(CallbackQueue &queue, const IsOver &is_over)
{
    tk_queue *const raw = queue.raw();
    Calling calling(raw);
    for (;;) {
        // Before the look: who stops or disables it wakes the queue afterwards.
        const uint32_t wakes = tk_queue_wakes(raw);
        if (is_over() || tk_queue_is_stopped(raw)) return;
        if (queue.isEnabled()) tk_queue_call_one(raw, -1, wakes);
        else WallDuration(0.01).sleep();
        calling.rethrow();
    }
}

// Which queues have spinners, of which one that is a single thread is to be alone. As long as it lives.
class Spinning {
public:
    enum Kind { Single, Many };

    // Throws std::runtime_error: the queue has a spinner that does not go with this one.
    Spinning(CallbackQueue &queue, Kind kind) : queue_(&queue)
    {
        const std::thread::id thread = kind == Single ? std::this_thread::get_id() : std::thread::id();
        const std::lock_guard<std::mutex> lock(mutex());
        const auto found = all().insert({queue_, {thread, 0}}).first;
        if (found->second.thread != thread) {
            const char *const text = "a callback queue is spun by a single thread and by others too; use one AsyncSpinner or "
                                     "MultiThreadedSpinner with as many threads as you want";
            ROS_FATAL("%s", text);
            throw std::runtime_error(text);
        }
        ++found->second.count;
    }
    ~Spinning()
    {
        const std::lock_guard<std::mutex> lock(mutex());
        const auto found = all().find(queue_);
        if (--found->second.count == 0) all().erase(found);
    }
    Spinning(const Spinning &) = delete;
    Spinning &operator=(const Spinning &) = delete;

private:
    struct Spinners {
        std::thread::id thread; // of those that are single; none: of others
        int count;
    };
    static std::mutex &mutex()
    {
        static std::mutex *const mutex = new std::mutex;
        return *mutex;
    }
    static std::map<CallbackQueue *, Spinners> &all()
    {
        static auto *const all = new std::map<CallbackQueue *, Spinners>;
        return *all;
    }

    CallbackQueue *const queue_;
};
} // namespace detail

class SingleThreadedSpinner : public Spinner {
public:
    void spin(CallbackQueue *queue = nullptr) override
    {
        detail::ThisNode::get().begin_to_spin();
        CallbackQueue &wanted = detail::or_global(queue);
        const detail::Spinning spinning(wanted, detail::Spinning::Single);
        detail::call_until(wanted, [] { return false; });
    }
};

// Runs in threads of its own, from start() to stop().
class AsyncSpinner {
public:
    // 0 threads: as many as there are processors.
    explicit AsyncSpinner(uint32_t thread_count) : AsyncSpinner(thread_count, nullptr) {}
    AsyncSpinner(uint32_t thread_count, CallbackQueue *queue) : shared_(new Shared(thread_count, queue)) {}

    bool canStart() { return true; }
    void start() { shared_->start(); }
    void stop() { shared_->stop(); }

private:
    struct Shared {
        Shared(uint32_t count, CallbackQueue *queue)
            : count(count ? count : std::max(1U, std::thread::hardware_concurrency())), queue(detail::or_global(queue))
        {
        }
        ~Shared() { stop(); }

        void start()
        {
            std::lock_guard<std::mutex> lock(mutex);
            if (!threads.empty()) return;
            detail::ThisNode::get().begin_to_spin();
            spinning.reset(new detail::Spinning(queue, detail::Spinning::Many));
            is_stopped = false;
            for (uint32_t at = 0; at < count; ++at) {
                // What a callback throws ends the program, as in roscpp: there is nobody to catch it.
                threads.emplace_back([this] { detail::call_until(queue, [this] { return is_stopped.load(); }); });
            }
        }
        void stop()
        {
            std::lock_guard<std::mutex> lock(mutex);
            is_stopped = true;
            tk_queue_wake(queue.raw());
            for (std::thread &thread : threads) {
                if (thread.get_id() == std::this_thread::get_id()) thread.detach();
                else thread.join();
            }
            threads.clear();
            spinning.reset();
        }

        const uint32_t count;
        CallbackQueue &queue;
        std::mutex mutex;
        std::atomic<bool> is_stopped{true};
        std::vector<std::thread> threads;
        std::unique_ptr<detail::Spinning> spinning;
    };
    boost::shared_ptr<Shared> shared_;
};
typedef boost::shared_ptr<AsyncSpinner> AsyncSpinnerPtr;

class MultiThreadedSpinner : public Spinner {
public:
    // 0 threads: as many as there are processors.
    explicit MultiThreadedSpinner(uint32_t thread_count = 0) : thread_count_(thread_count) {}
    void spin(CallbackQueue *queue = nullptr) override
    {
        AsyncSpinner spinner(thread_count_, queue);
        spinner.start();
        detail::ThisNode::get().wait_for_shutdown();
    }

private:
    uint32_t thread_count_;
};

} // namespace ros
