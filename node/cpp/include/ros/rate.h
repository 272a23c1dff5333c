// Loops at a fixed rate: each sleep() ends one cycle after the one before, whatever the loop's own work took.
#pragma once
#include <ros/duration.h>
#include <ros/time.h>

namespace ros {
namespace detail {

// The cycles of a loop, on the clock of `Time`.
template <class Time, class Duration> class Cycle {
public:
    // Waits for the end of the cycle. False if there is nothing left to wait for; a loop that is late by more than a cycle
    // begins anew from now, else it makes up for it.
    bool sleep()
    {
        const Time now = Time::now();
        Time end = start_ + expected_;
        // Time was set back: count from where it is now.
        if (now < start_) end = now + expected_;
        const Duration left = end - now;
        actual_ = now - start_;
        const bool late = left <= Duration();
        start_ = late && now > end + expected_ ? now : end;
        return !late && left.sleep();
    }

    // The cycle begins now.
    void reset() { start_ = Time::now(); }
    // How long the last cycle took until it called sleep().
    Duration cycleTime() const { return actual_; }
    Duration expectedCycleTime() const { return expected_; }

protected:
    explicit Cycle(const Duration &expected) : start_(Time::now()), expected_(expected) {}

private:
    Time start_;
    Duration expected_, actual_;
};

} // namespace detail

// By the program's time, which may be simulated. Throws TimeNotInitializedException, and std::runtime_error if a cycle is
// longer than a Duration.
class Rate : public detail::Cycle<Time, Duration> {
public:
    // `frequency` in cycles per second.
    Rate(double frequency) : Cycle(Duration(1.0 / frequency)) {}
    explicit Rate(const Duration &cycle) : Cycle(cycle) {}
};

// By the system's clock.
class WallRate : public detail::Cycle<WallTime, WallDuration> {
public:
    WallRate(double frequency) : Cycle(WallDuration(1.0 / frequency)) {}
    explicit WallRate(const Duration &cycle) : Cycle(WallDuration(cycle.sec, cycle.nsec)) {}
};

inline Duration::Duration(const Rate &rate) : Duration(rate.expectedCycleTime()) {}
inline WallDuration::WallDuration(const Rate &rate)
    : WallDuration(rate.expectedCycleTime().sec, rate.expectedCycleTime().nsec)
{
}

} // namespace ros
