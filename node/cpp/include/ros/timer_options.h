// How timers are made, and what their callbacks are told. The three kinds differ in whose time they go by.
#pragma once
#include <ros/duration.h>
#include <ros/forwards.h>
#include <ros/time.h>

namespace ros {

namespace detail {

template <typename T, typename Span> struct TimerEventOf {
    T last_expected, last_real;       // the call before
    T current_expected, current_real; // this one
    T last_expired, current_expired;  // as current_real, for those who know roscpp's
    struct {
        WallDuration last_duration; // of the callback before
    } profile;
};

template <typename Span, typename Callback> struct TimerOptionsOf {
    TimerOptionsOf() = default;
    TimerOptionsOf(Span period, const Callback &callback, CallbackQueueInterface *queue, bool oneshot = false,
                   bool autostart = true)
        : period(period), callback(callback), callback_queue(queue), oneshot(oneshot), autostart(autostart)
    {
    }

    Span period = Span(0.1);
    Callback callback;
    CallbackQueueInterface *callback_queue = nullptr;
    VoidConstPtr tracked_object;
    bool oneshot = false;
    bool autostart = true;
};

} // namespace detail

struct TimerEvent : detail::TimerEventOf<Time, Duration> {};
struct WallTimerEvent : detail::TimerEventOf<WallTime, WallDuration> {};
struct SteadyTimerEvent : detail::TimerEventOf<SteadyTime, WallDuration> {};

typedef detail::TimerOptionsOf<Duration, TimerCallback> TimerOptions;
typedef detail::TimerOptionsOf<WallDuration, WallTimerCallback> WallTimerOptions;
typedef detail::TimerOptionsOf<WallDuration, SteadyTimerCallback> SteadyTimerOptions;

} // namespace ros
