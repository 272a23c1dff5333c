// The node of this process: what ros::init said of it, and when it begins and ends.
//
//   init ──► NOT STARTED ──first NodeHandle, start──► RUNNING ──last NodeHandle or what it made, shutdown, signal, rosnode kill──► OVER
//                                                        └──────────────first NodeHandle, start──────────────────────┘
#pragma once
#include <algorithm>
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

    void init(std::vector<std::string> arguments, std::string name, uint32_t options)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        arguments_ = std::move(arguments);
        name_ = std::move(name);
        options_ = options;
        is_initialized_ = true;
    }

    bool is_initialized() const { return is_initialized_; }
    bool is_started() const { return node_ != nullptr && !is_over(); }
    bool is_over() const { return is_over_ || (node_ != nullptr && !tk_node_is_ok(node_)); }
    // The last one that was started. Never freed: what was made with it may still ask it something.
    const tk_node *node() const { return node_; }
    // Its queue; nullptr before it is started.
    tk_queue *queue() const { return queue_; }

    // A spinner begins: it starts the node, unless that is over. Only a program begins anew.
    void begin_to_spin()
    {
        if (!is_over()) start();
    }

    // Makes the node, if there is none that runs. Throws what is wrong with its name or its environment.
    void start()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (is_started()) return;
        std::vector<const char *> arguments;
        for (const std::string &argument : arguments_) arguments.push_back(argument.c_str());
        // It was ended from outside, and is still at the master.
        if (node_ != nullptr) tk_node_shutdown(node_);
        tk_node *const node = tk_node_new(name_.c_str(), arguments.data(), arguments.size(), 0);
        if (node == nullptr) throw Exception(tk_last_error());
        // A pipe or a connection that is closed is an error where it is written, and no end of the program.
        std::signal(SIGPIPE, SIG_IGN);
        Time::init();
        tk_node_on_simulated_time(node, &ThisNode::on_time, nullptr);
        {
            std::lock_guard<std::mutex> over(over_mutex_);
            is_told_ = is_down_ = false;
        }
        queue_ = tk_node_queue(node);
        node_ = node;
        is_over_ = false;
        tk_node_on_end(node, &ThisNode::on_end, this);
        tk_node_on_shutdown_call(node, &ShutdownCall::on_call, nullptr);
        if (!(options_ & NoSigintHandler)) end_on_interrupt();
    }

    // The same for what is asked before there is a NodeHandle: the last one ends it nevertheless.
    void start_early()
    {
        if (is_started()) return;
        is_started_by_handle_ = true;
        start();
    }

    // Whether there are arguments `_PARAM:=VALUE` for a node that was not started yet.
    bool is_to_set_parameters() const
    {
        const auto sets = [](const std::string &argument) { return argument.size() > 1 && argument[0] == '_' && argument[1] != '_'; };
        return is_initialized_ && node_ == nullptr && !is_over_ && std::any_of(arguments_.begin(), arguments_.end(), sets);
    }

    // Ends it. What waits for that goes on.
    void shutdown()
    {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            if (is_over_) return;
            is_over_ = true;
        }
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
        if (handles_++ == 0 && !is_started()) {
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
        if (interrupt_end() < 0 && ::pipe(ends) == 0) listen_for_interrupts(ends);
        std::signal(SIGINT, &ThisNode::on_interrupt);
    }
    void listen_for_interrupts(const int ends[2])
    {
        interrupt_end() = ends[1];
        std::thread([this, end = ends[0]] {
            char byte;
            while (::read(end, &byte, 1) == 1) shutdown();
        }).detach();
    }

    std::mutex mutex_;
    std::mutex over_mutex_;
    std::condition_variable over_;
    bool is_told_ = false, is_down_ = false;
    std::vector<std::string> arguments_;
    std::string name_;
    uint32_t options_ = 0;
    std::atomic<tk_node *> node_{nullptr};
    std::atomic<tk_queue *> queue_{nullptr};
    std::atomic<bool> is_initialized_{false}, is_over_{false};
    std::atomic<int> handles_{0};
    bool is_started_by_handle_ = false;
};

// What a handle has made keeps the node as a handle does, until it has ended.
class Hold {
public:
    Hold() { ThisNode::get().add_handle(); }
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;
    ~Hold() { release(); }
    void release()
    {
        if (is_held_.exchange(false)) ThisNode::get().remove_handle();
    }

private:
    std::atomic<bool> is_held_{true};
};

// nullptr before ros::start.
inline const tk_node *node() { return ThisNode::get().node(); }

} // namespace detail
} // namespace ros
