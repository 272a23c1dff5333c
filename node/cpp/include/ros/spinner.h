// Threads that call callbacks.
#pragma once
#include <boost/shared_ptr.hpp>
#include <cstdint>
#include <ros/callback_queue.h>
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
} // namespace detail

class SingleThreadedSpinner : public Spinner {
public:
    void spin(CallbackQueue *queue = nullptr) override
    {
        detail::ThisNode::get().start();
        tk_queue_spin(detail::or_global(queue).raw());
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
            detail::ThisNode::get().start();
            is_stopped = false;
            for (uint32_t at = 0; at < count; ++at) {
                threads.emplace_back([this] {
                    while (!is_stopped && !tk_queue_is_stopped(queue.raw())) tk_queue_call_one(queue.raw(), -1);
                });
            }
        }
        void stop()
        {
            std::lock_guard<std::mutex> lock(mutex);
            is_stopped = true;
            for (std::thread &thread : threads) {
                // Each waits by itself.
                tk_queue_wake(queue.raw());
                if (thread.get_id() == std::this_thread::get_id()) thread.detach();
                else thread.join();
            }
            threads.clear();
        }

        const uint32_t count;
        CallbackQueue &queue;
        std::mutex mutex;
        std::atomic<bool> is_stopped{true};
        std::vector<std::thread> threads;
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
