// Others that ask this node to end (rosnode kill, the master when another node takes its name): what the program wants to be done then.
#pragma once
#include <functional>
#include <mutex>
#include <string>

namespace ros {
namespace detail {

class ShutdownCall {
public:
    typedef std::function<void(const std::string &caller, const std::string &reason)> Act;

    // Never destroyed: threads may use it while the process ends.
    static ShutdownCall &get()
    {
        static ShutdownCall *const call = new ShutdownCall;
        return *call;
    }

    // Nothing (Act()) is done instead of the node's end.
    void set(Act act)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        act_ = std::move(act);
        is_taken_ = true;
    }
    bool is_taken()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return is_taken_;
    }
    bool is_set()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return static_cast<bool>(act_);
    }

    // In the node's network thread. False: the node ends.
    static bool on_call(void *, const char *caller, const char *reason)
    {
        ShutdownCall &call = get();
        Act act;
        {
            std::lock_guard<std::mutex> lock(call.mutex_);
            if (!call.is_taken_) return false;
            act = call.act_;
        }
        // What it throws must not get into the runtime; it is asked to end, and may be asked again.
        try {
            if (act) act(caller, reason);
        } catch (...) {
        }
        return true;
    }

private:
    std::mutex mutex_;
    Act act_;
    bool is_taken_ = false;
};

} // namespace detail
} // namespace ros
