// The node of this process: what ros::init said of it, and when it begins and ends.
//
//   init ──► NOT STARTED ──first NodeHandle, start──► RUNNING ──last NodeHandle, shutdown, signal, rosnode kill──► OVER
#pragma once
#include <atomic>
#include <boost/shared_ptr.hpp>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <ros/detail/shutdown_call.h>
#include <ros/exception.h>
#include <ros/time.h>
#include <string>
#include <thread>
#include <tokkyu/node.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ros {
namespace detail {

// A text of the C interface, which frees it.
inline std::string take(char *text)
{
    std::string taken = text ? text : "";
    tk_text_free(text);
    return taken;
}

// There is one in a process, and it is never destroyed: threads may still use it while the process ends.
class ThisNode {
public:
    static ThisNode &get()
    {
        static ThisNode *const node = new ThisNode;
        return *node;
    }

    // May be called again before the node is started: the last one counts.
    void init(std::vector<std::string> arguments, std::string name, uint32_t options)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        arguments_ = std::move(arguments);
        name_ = std::move(name);
        options_ = options;
        is_initialized_ = true;
        is_over_ = false;
    }

    bool is_initialized() const { return is_initialized_; }
    bool is_started() const { return node_ != nullptr && !is_over_; }
    bool is_over() const { return is_over_ || (node_ != nullptr && !tk_node_is_ok(node_)); }
    const tk_node *node() const { return node_; }

    // Makes the node, if there is none. Throws what is wrong with its name or its environment.
    void start()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (node_ != nullptr || is_over_) return;
        std::vector<const char *> arguments;
        for (const std::string &argument : arguments_) arguments.push_back(argument.c_str());
        tk_node *const node = tk_node_new(name_.c_str(), arguments.data(), arguments.size(), 0);
        if (node == nullptr) throw Exception(tk_last_error());
        Time::init();
        tk_node_on_simulated_time(node, &ThisNode::on_time, nullptr);
        node_ = node;
        tk_node_on_end(node, &ThisNode::on_end, this);
        tk_node_on_shutdown_call(node, &ShutdownCall::on_call, nullptr);
        if (!(options_ & NoSigintHandler)) end_on_interrupt();
    }

    // Ends it. What waits for that goes on.
    void shutdown()
    {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            if (is_over_) return;
            is_over_ = true;
        }
        // Not freed: handles that are still there may ask it something.
        if (node_ != nullptr) tk_node_shutdown(node_);
        else on_end(this);
        std::lock_guard<std::mutex> lock(over_mutex_);
        is_down_ = true;
        over_.notify_all();
    }

    void wait_for_shutdown()
    {
        std::unique_lock<std::mutex> lock(over_mutex_);
        over_.wait(lock, [this] { return is_told_; });
    }

    // NodeHandles, the first of which starts the node and the last of which ends it, unless somebody called start().
    void add_handle()
    {
        if (handles_++ == 0 && node_ == nullptr) {
            is_started_by_handle_ = true;
            start();
        }
    }
    void remove_handle()
    {
        if (--handles_ != 0 || !is_started_by_handle_) return;
        shutdown();
        // Another thread may be about it (an interrupt): the program must not end before the master is told, which takes a second at most.
        std::unique_lock<std::mutex> lock(over_mutex_);
        over_.wait_for(lock, std::chrono::seconds(2), [this] { return is_down_; });
    }

    enum { NoSigintHandler = 1 };

private:
    ThisNode() = default;

    // Whoever ends it: the program, a signal, rosnode kill. Sleeps end with it.
    static void on_end(void *self)
    {
        auto *const node = static_cast<ThisNode *>(self);
        Time::shutdown();
        std::lock_guard<std::mutex> lock(node->over_mutex_);
        node->is_told_ = true;
        node->over_.notify_all();
    }

    static void on_time(void *, uint64_t nanos)
    {
        Time now;
        now.fromNSec(nanos);
        Time::setNow(now);
    }

    // A handler of signals may do next to nothing: it wakes a thread that ends the node.
    static int &interrupt_end()
    {
        static int end = -1;
        return end;
    }
    static void on_interrupt(int)
    {
        const char byte = 0;
        if (::write(interrupt_end(), &byte, 1) < 0) return;
    }
    void end_on_interrupt()
    {
        int ends[2];
        if (::pipe(ends) != 0) return;
        interrupt_end() = ends[1];
        std::thread([this, end = ends[0]] {
            char byte;
            while (::read(end, &byte, 1) == 1) shutdown();
        }).detach();
        std::signal(SIGINT, &ThisNode::on_interrupt);
    }

    std::mutex mutex_;
    std::mutex over_mutex_;
    std::condition_variable over_;
    bool is_told_ = false, is_down_ = false;
    std::vector<std::string> arguments_;
    std::string name_;
    uint32_t options_ = 0;
    std::atomic<tk_node *> node_{nullptr};
    std::atomic<bool> is_initialized_{false}, is_over_{false};
    std::atomic<int> handles_{0};
    bool is_started_by_handle_ = false;
};

// nullptr before ros::start.
inline const tk_node *node() { return ThisNode::get().node(); }

} // namespace detail
} // namespace ros
