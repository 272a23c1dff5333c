// What was made with a handle, as long as it is there: it ends with the handle's shutdown().
#pragma once
#include <algorithm>
#include <boost/shared_ptr.hpp>
#include <boost/weak_ptr.hpp>
#include <functional>
#include <mutex>
#include <vector>

namespace ros {
namespace detail {

class Made {
public:
    template <typename Shared> void add(const boost::shared_ptr<Shared> &shared)
    {
        if (!shared) return;
        const boost::weak_ptr<Shared> weak = shared;
        const auto end = [weak] {
            if (const auto ending = weak.lock()) ending->end();
        };
        const std::lock_guard<std::mutex> lock(mutex_);
        // A handle may make any number, one after the other.
        const auto is_gone = [](const One &one) { return one.shared.expired(); };
        all_.erase(std::remove_if(all_.begin(), all_.end(), is_gone), all_.end());
        all_.push_back({weak, end});
    }

    void end()
    {
        std::vector<One> all;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            is_over_ = true;
            all.swap(all_);
        }
        // Not with the lock: it waits for callbacks, which may make more.
        for (const One &one : all) one.end();
    }

    bool is_over() const
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return is_over_;
    }

private:
    struct One {
        boost::weak_ptr<void> shared;
        std::function<void()> end;
    };

    mutable std::mutex mutex_;
    std::vector<One> all_;
    bool is_over_ = false;
};

} // namespace detail
} // namespace ros
