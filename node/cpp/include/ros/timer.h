// Timers: by the node's time, by the wall's, by a steady one.
#pragma once
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <mutex>
#include <ros/callback_queue.h>
#include <ros/detail/carrier.h>
#include <ros/timer_options.h>

namespace ros {
namespace detail {

// Copies are the same timer, which runs as long as one of them is there.
template <typename T, typename Span, typename Event, typename Options, bool is_steady> class TimerOf {
public:
    TimerOf() = default;
    explicit TimerOf(const Options &options) : shared_(boost::make_shared<Shared>(options))
    {
        if (options.autostart) start();
    }

    // Runs from now on; nothing happens if it does.
    void start()
    {
        if (shared_) shared_->start();
    }
    // Its callback is not called any more, unless this is called from within it.
    void stop()
    {
        if (shared_) shared_->stop();
    }
    bool hasStarted() const { return shared_ && shared_->has_started(); }
    bool isValid() { return shared_ != nullptr; }
    bool isValid() const { return shared_ != nullptr; }
    // Whether its callback is due and not called yet.
    bool hasPending() { return shared_ && shared_->has_pending(); }
    // With `reset` the new period begins now, else it is counted from the last call.
    void setPeriod(const Span &period, bool reset = true)
    {
        if (shared_) shared_->set_period(period, reset);
    }

    operator void *() const { return shared_ ? reinterpret_cast<void *>(1) : nullptr; }
    bool operator<(const TimerOf &other) const { return shared_ < other.shared_; }
    bool operator==(const TimerOf &other) const { return shared_ == other.shared_; }
    bool operator!=(const TimerOf &other) const { return shared_ != other.shared_; }

private:
    struct Shared {
        Options options;
        Tracked tracked;
        std::recursive_mutex mutex;
        tk_timer *timer = nullptr;
        // To a queue of the program's own class; one for each run.
        CarrierPtr carrier;

        explicit Shared(const Options &given) : options(given), tracked(given.tracked_object)
        {
            options.tracked_object.reset();
        }
        ~Shared() { stop(); }

        void start()
        {
            std::lock_guard<std::recursive_mutex> lock(mutex);
            if (timer != nullptr || node() == nullptr) return;
            carrier = Carrier::of(options.callback_queue);
            const tk_timer_options wanted = {nanos(options.period), options.oneshot, is_steady, &Run::call, new Run{this, carrier}, &Run::free};
            timer = tk_timer_new(node(), queue_for(options.callback_queue, carrier), &wanted);
        }
        void stop()
        {
            tk_timer *ending;
            CarrierPtr by;
            {
                std::lock_guard<std::recursive_mutex> lock(mutex);
                ending = timer;
                timer = nullptr;
                by.swap(carrier);
            }
            // Not with the lock: it waits for a callback that may want it.
            if (ending != nullptr) end_by(by, [ending] { tk_timer_free(ending); });
        }
        bool has_started()
        {
            std::lock_guard<std::recursive_mutex> lock(mutex);
            return timer != nullptr;
        }
        bool has_pending()
        {
            std::lock_guard<std::recursive_mutex> lock(mutex);
            return timer != nullptr && tk_timer_has_waiting(timer);
        }
        void set_period(const Span &period, bool reset)
        {
            std::lock_guard<std::recursive_mutex> lock(mutex);
            options.period = period;
            if (timer != nullptr) tk_timer_set_period(timer, nanos(period), reset);
        }
        static uint64_t nanos(const Span &period) { return period > Span() ? static_cast<uint64_t>(period.toNSec()) : 1; }

        // What one run of the timer calls with.
        struct Run {
            Shared *shared;
            CarrierPtr carrier;

            static void call(void *self, const tk_timer_event *event)
            {
                auto *const run = static_cast<Run *>(self);
                act_by(run->carrier, [run, event] { run->shared->call(*event); });
            }
            static void free(void *self) { delete static_cast<Run *>(self); }
        };
        void call(const tk_timer_event &given)
        {
            VoidConstPtr held;
            if (!tracked.hold(held)) return;
            Event event;
            event.last_expected = at(given.last_expected);
            event.last_real = event.last_expired = at(given.last_real);
            event.current_expected = at(given.current_expected);
            event.current_real = event.current_expired = at(given.current_real);
            event.profile.last_duration.fromNSec(static_cast<int64_t>(given.last_duration));
            // The callback may stop the timer, and with it end what is copied here.
            const auto callback = options.callback;
            callback(event);
        }
        // A wall timer is driven by the monotonic clock, and tells the wall's time.
        static T at(uint64_t nanos)
        {
            T time;
            const int64_t ahead = nanos == 0 ? 0 : wall_ahead(static_cast<T *>(nullptr));
            time.fromNSec(nanos + static_cast<uint64_t>(ahead));
            return time;
        }
        static int64_t wall_ahead(void *) { return 0; }
        static int64_t wall_ahead(WallTime *)
        {
            return static_cast<int64_t>(WallTime::now().toNSec() - SteadyTime::now().toNSec());
        }
    };
    boost::shared_ptr<Shared> shared_;
};

} // namespace detail

// By ros::Time: wall or simulated.
typedef detail::TimerOf<Time, Duration, TimerEvent, TimerOptions, false> Timer;
// By the wall, simulated time or not. Its period is counted by the monotonic clock.
typedef detail::TimerOf<WallTime, WallDuration, WallTimerEvent, WallTimerOptions, true> WallTimer;
typedef detail::TimerOf<SteadyTime, WallDuration, SteadyTimerEvent, SteadyTimerOptions, true> SteadyTimer;

} // namespace ros
