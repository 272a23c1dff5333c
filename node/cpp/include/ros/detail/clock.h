// The one place where a program's time comes from (NODE-39), for ros::Time, the sleeps and the rates.
//
//              init                       simulate
//   no clock ────────► the system's clock ────────► simulated time        stop: sleeps end, until init
//                                         ◄────────
//                                           init
//
// Reading takes no lock: no thread waits for another one. Sleeping by the system's clock takes none either; sleeping in
// simulated time waits for the next time that is set, nothing polls.
#pragma once
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <ros/exception.h>
#include <ros/macros.h>

namespace ros {

class ROS_HELPER_EXPORT TimeNotInitializedException : public Exception {
public:
    TimeNotInitializedException()
        : Exception("ros::Time has no clock yet; make a ros::NodeHandle or call ros::start(), or, without a node, "
                    "ros::Time::init()")
    {
    }
};

namespace detail {

constexpr int64_t ns_in_second = 1000000000;

// Nanoseconds of one of the system's clocks.
inline int64_t system_ns(clockid_t which)
{
    timespec now;
    clock_gettime(which, &now);
    return int64_t{now.tv_sec} * ns_in_second + now.tv_nsec;
}

// One for the program and its libraries; if it opens them itself (dlopen), it is to be linked with -rdynamic. Never
// destroyed: threads may sleep while the program ends.
class ROS_HELPER_EXPORT Clock {
public:
    static Clock &get()
    {
        static Clock *const clock = new Clock;
        return *clock;
    }

    void init()
    {
        set([this] {
            stopped_ = false;
            simulated_ = false;
            known_ = true;
        });
    }

    void stop()
    {
        set([this] { stopped_ = true; });
    }

    // Simulated time from now on, in nanoseconds; 0: it is simulated, but no time has come yet.
    void simulate(int64_t now_ns)
    {
        set([this, now_ns] {
            simulated_ns_ = now_ns;
            simulated_ = true;
        });
    }

    bool simulated() const { return simulated_; }
    bool stopped() const { return stopped_; }
    bool valid() const { return !simulated_ || simulated_ns_ != 0; }

    // Since 1970, or since whenever simulated time began. Throws TimeNotInitializedException.
    int64_t now_ns() const
    {
        if (!known_) throw TimeNotInitializedException();
        return simulated_ ? int64_t{simulated_ns_} : system_ns(CLOCK_REALTIME);
    }

    // Until there is a time, at most `limit_ns`; 0 or less: however long it takes. False: there is none, or stopped.
    bool wait_valid(int64_t limit_ns)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        const auto there = [this] { return valid() || stopped_; };
        if (limit_ns > 0) {
            changed_.wait_for(lock, std::chrono::nanoseconds(limit_ns), there);
        } else {
            changed_.wait(lock, there);
        }
        return valid() && !stopped_;
    }

    // By the system's clock, which may be set meanwhile without effect. False if stopped.
    bool sleep_system(int64_t length_ns) const
    {
        const int64_t end_ns = system_ns(CLOCK_MONOTONIC) + std::max<int64_t>(length_ns, 0);
        timespec end;
        end.tv_sec = static_cast<time_t>(end_ns / ns_in_second);
        end.tv_nsec = static_cast<long>(end_ns % ns_in_second);
        while (!stopped_ && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) {}
        return !stopped_;
    }

    // Until simulated time, now `start_ns`, is `end_ns`. False if it went back before `start_ns`, if time is not simulated
    // any more, or if stopped.
    bool sleep_simulated(int64_t start_ns, int64_t end_ns)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return over() || simulated_ns_ < start_ns || simulated_ns_ >= end_ns; });
        return !over() && simulated_ns_ >= start_ns;
    }

    // For `length_ns` of simulated time. If no time has come yet, they count from the first that comes. False also if
    // nothing was waited for, as in roscpp.
    bool sleep_simulated_for(int64_t length_ns)
    {
        int64_t start_ns = now_ns();
        const bool waits = start_ns == 0 || length_ns > 0;
        if (start_ns == 0) start_ns = first_ns();
        return waits && sleep_simulated(start_ns, start_ns + length_ns);
    }

private:
    Clock() = default;

    template <class Change> void set(Change change)
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            change();
        }
        changed_.notify_all();
    }

    bool over() const { return stopped_ || !simulated_; }

    int64_t first_ns()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return over() || simulated_ns_ != 0; });
        return simulated_ns_;
    }

    std::atomic<bool> known_{false};
    std::atomic<bool> stopped_{false};
    std::atomic<bool> simulated_{true};
    std::atomic<int64_t> simulated_ns_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
};

} // namespace detail
} // namespace ros
