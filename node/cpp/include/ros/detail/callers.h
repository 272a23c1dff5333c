// Threads that are within callbacks, and whose these are: who takes those of an owner away waits for what runs.
#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace ros {
namespace detail {

class Callers {
public:
    // Within a callback, as long as it lives.
    class Call {
    public:
        Call(Callers &callers, uint64_t owner) : callers_(callers), owner_(owner)
        {
            const std::lock_guard<std::mutex> lock(callers_.mutex_);
            callers_.calls_.push_back(this);
        }
        ~Call()
        {
            const std::lock_guard<std::mutex> lock(callers_.mutex_);
            callers_.calls_.erase(std::find(callers_.calls_.begin(), callers_.calls_.end(), this));
            callers_.changed_.notify_all();
        }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;

        // Whether its owner's callbacks were taken away since it began.
        bool is_ended() const
        {
            const std::lock_guard<std::mutex> lock(callers_.mutex_);
            return is_ended_;
        }

    private:
        friend class Callers;

        bool is_of(uint64_t owner) const { return is_ended_ && owner_ == owner; }

        Callers &callers_;
        const uint64_t owner_;
        const std::thread::id thread_ = std::this_thread::get_id();
        bool is_ended_ = false;
        // It waits for the others itself.
        bool is_waiting_ = false;
    };

    Callers() = default;
    Callers(const Callers &) = delete;
    Callers &operator=(const Callers &) = delete;

    // Those that run now are the last ones.
    void end(uint64_t owner)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (Call *const call : calls_) call->is_ended_ |= call->owner_ == owner;
    }

    // Until no other thread is in one that was ended. Two that each end the owner from within one do not wait for each
    // other. Gives whether this thread is in one.
    bool wait(uint64_t owner)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        const std::thread::id self = std::this_thread::get_id();
        bool is_within = false;
        for (Call *const call : calls_) {
            if (!call->is_of(owner) || call->thread_ != self) continue;
            is_within = call->is_waiting_ = true;
        }
        if (is_within) changed_.notify_all();
        changed_.wait(lock, [&] {
            return std::none_of(calls_.begin(), calls_.end(), [&](const Call *call) {
                return call->is_of(owner) && call->thread_ != self && !(is_within && call->is_waiting_);
            });
        });
        return is_within;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Call *> calls_;
};

} // namespace detail
} // namespace ros
