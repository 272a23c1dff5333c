// Points in time (NODE-39): seconds and nanoseconds, both without sign, since 1970 (Time, WallTime) or since some start
// (SteadyTime, simulated time). Results that do not fit, 0 s to 2^32 s, throw std::runtime_error.
#pragma once
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <ros/duration.h>
#include <ros/exception.h>
#include <ros/detail/clock.h>
#include <ros/platform.h>
#include <stdexcept>
#include <type_traits>

namespace boost {
namespace posix_time {
class ptime;
}
} // namespace boost

namespace ros {

// Carries whole seconds over, so that nsec is 0 to 999 999 999.
constexpr void normalizeSecNSec(uint64_t &sec, uint64_t &nsec)
{
    const uint64_t carried = nsec / detail::ns_in_second;
    const uint64_t most = std::numeric_limits<uint32_t>::max();
    if (sec > most || carried > most - sec) throw std::runtime_error("Time is out of dual 32-bit range");
    sec += carried;
    nsec %= detail::ns_in_second;
}

constexpr void normalizeSecNSec(uint32_t &sec, uint32_t &nsec)
{
    uint64_t whole = sec, rest = nsec;
    normalizeSecNSec(whole, rest);
    sec = static_cast<uint32_t>(whole);
    nsec = static_cast<uint32_t>(rest);
}

constexpr void normalizeSecNSecUnsigned(int64_t &sec, int64_t &nsec)
{
    int64_t whole = sec + nsec / detail::ns_in_second;
    int64_t rest = nsec % detail::ns_in_second;
    if (rest < 0) {
        rest += detail::ns_in_second;
        --whole;
    }
    if (whole < 0 || whole > std::numeric_limits<uint32_t>::max()) {
        throw std::runtime_error("Time is out of dual 32-bit range");
    }
    sec = whole;
    nsec = rest;
}

template <class T, class D> class TimeBase {
public:
    uint32_t sec, nsec;

    constexpr TimeBase() : sec(0), nsec(0) {}
    constexpr TimeBase(uint32_t seconds, uint32_t nanoseconds) : sec(seconds), nsec(nanoseconds)
    {
        normalizeSecNSec(sec, nsec);
    }
    explicit TimeBase(double seconds) : TimeBase() { fromSec(seconds); }

    D operator-(const T &other) const { return D().fromNSec(signed_ns() - other.signed_ns()); }
    T operator+(const D &length) const { return from(signed_ns() + length.toNSec()); }
    // Throws where -length does, as in roscpp.
    T operator-(const D &length) const { return *this + -length; }
    T &operator+=(const D &length) { return own() = own() + length; }
    T &operator-=(const D &length) { return own() = own() - length; }

    bool operator==(const TimeBase &other) const { return sec == other.sec && nsec == other.nsec; }
    bool operator!=(const TimeBase &other) const { return !(*this == other); }
    bool operator<(const TimeBase &other) const { return sec != other.sec ? sec < other.sec : nsec < other.nsec; }
    bool operator>(const TimeBase &other) const { return other < *this; }
    bool operator<=(const TimeBase &other) const { return !(*this > other); }
    bool operator>=(const TimeBase &other) const { return !(*this < other); }

    double toSec() const { return static_cast<double>(sec) + 1e-9 * static_cast<double>(nsec); }
    uint64_t toNSec() const { return static_cast<uint64_t>(signed_ns()); }

    // Throws std::runtime_error if it does not fit or is no number.
    T &fromSec(double seconds)
    {
        if (!(seconds >= 0.0 && seconds < 4294967296.0)) throw std::runtime_error("Time is out of dual 32-bit range");
        const double whole = std::floor(seconds);
        return set(static_cast<uint64_t>(whole), static_cast<uint64_t>(detail::rounded_ns(seconds, whole)));
    }
    T &fromNSec(uint64_t nanoseconds) { return set(0, nanoseconds); }

    bool isZero() const { return sec == 0 && nsec == 0; }
    bool is_zero() const { return isZero(); }

    // Needs <boost/date_time/posix_time/posix_time_types.hpp>, whose resolution may be microseconds.
    template <class Boost = boost::posix_time::ptime> Boost toBoost() const
    {
        typedef typename Boost::time_duration_type Since;
        const Since since(0, 0, sec, nsec / (detail::ns_in_second / Since::ticks_per_second()));
        return Boost(typename Boost::date_type(1970, 1, 1), since);
    }

private:
    T &own() { return static_cast<T &>(*this); }

    // Fits: 2^32 s are less than 2^63 ns.
    int64_t signed_ns() const { return int64_t{sec} * detail::ns_in_second + nsec; }

    static T from(int64_t nanoseconds)
    {
        int64_t seconds = 0;
        normalizeSecNSecUnsigned(seconds, nanoseconds);
        return T(static_cast<uint32_t>(seconds), static_cast<uint32_t>(nanoseconds));
    }

    T &set(uint64_t seconds, uint64_t nanoseconds)
    {
        normalizeSecNSec(seconds, nanoseconds);
        sec = static_cast<uint32_t>(seconds);
        nsec = static_cast<uint32_t>(nanoseconds);
        return own();
    }
};

// The program's time: the system's clock, or what was set.
class Time : public TimeBase<Time, Duration> {
    // boost's classes are only declared here. Its lengths have classes of their own for units: boost::posix_time::seconds.
    template <class Given, class Expected>
    using IfA = typename std::enable_if<std::is_base_of<Expected, Given>::value, int>::type;

public:
    constexpr Time() = default;
    constexpr Time(uint32_t seconds, uint32_t nanoseconds) : TimeBase(seconds, nanoseconds) {}
    explicit Time(double seconds) : TimeBase(seconds) {}

    // Throws TimeNotInitializedException.
    static Time now() { return Time().fromNSec(static_cast<uint64_t>(detail::Clock::get().now_ns())); }

    // True if `end` has come; false if time went back before the start, or shutdown() was called.
    static bool sleepUntil(const Time &end)
    {
        detail::Clock &clock = detail::Clock::get();
        const Time start = now();
        if (end <= start) return true;
        if (!clock.simulated()) return clock.sleep_system((end - start).toNSec());
        return clock.sleep_simulated(static_cast<int64_t>(start.toNSec()), static_cast<int64_t>(end.toNSec()));
    }

    // The system's clock from now on.
    static void init() { detail::Clock::get().init(); }
    // Ends all sleeps, also those that begin later, until init().
    static void shutdown() { detail::Clock::get().stop(); }
    // Simulated time from now on; zero: there is none yet.
    static void setNow(const Time &now) { detail::Clock::get().simulate(static_cast<int64_t>(now.toNSec())); }

    static bool useSystemTime() { return !detail::Clock::get().simulated(); }
    static bool isSimTime() { return detail::Clock::get().simulated(); }
    static bool isSystemTime() { return !isSimTime(); }

    // False while time is simulated and none was set.
    static bool isValid() { return detail::Clock::get().valid(); }
    // Until it is valid; false if shutdown() was called.
    static bool waitForValid() { return waitForValid(WallDuration()); }
    // At most `timeout`, without limit if that is not above zero; false if it is not valid then, or shutdown() was called.
    static bool waitForValid(const WallDuration &timeout)
    {
        return detail::Clock::get().wait_valid(timeout.toNSec());
    }

    // From boost::posix_time::ptime.
    template <class Boost, IfA<Boost, boost::posix_time::ptime> = 0> static Time fromBoost(const Boost &time)
    {
        return fromBoost(time - Boost(typename Boost::date_type(1970, 1, 1)));
    }
    // From boost::posix_time::time_duration since 1970.
    template <class Boost, IfA<Boost, boost::posix_time::time_duration> = 0> static Time fromBoost(const Boost &since)
    {
        int64_t seconds = since.total_seconds();
        int64_t nanoseconds = since.fractional_seconds() * (detail::ns_in_second / Boost::ticks_per_second());
        normalizeSecNSecUnsigned(seconds, nanoseconds);
        return Time(static_cast<uint32_t>(seconds), static_cast<uint32_t>(nanoseconds));
    }
};

constexpr Time TIME_MAX(std::numeric_limits<uint32_t>::max(), 999999999);
constexpr Time TIME_MIN(0, 1);

namespace detail {

// A clock of the system, of time `T`.
template <class T, clockid_t which> struct SystemClock {
    static T now() { return T().fromNSec(static_cast<uint64_t>(system_ns(which))); }

    // True if `end` has come, false if ros::Time::shutdown() was called.
    static bool sleepUntil(const T &end)
    {
        const T start = now();
        return end <= start || (end - start).sleep();
    }

    static bool isSystemTime() { return true; }
};

} // namespace detail

// The system's clock of the day, simulated time or not.
class WallTime : public TimeBase<WallTime, WallDuration>, public detail::SystemClock<WallTime, CLOCK_REALTIME> {
public:
    constexpr WallTime() = default;
    constexpr WallTime(uint32_t seconds, uint32_t nanoseconds) : TimeBase(seconds, nanoseconds) {}
    explicit WallTime(double seconds) : TimeBase(seconds) {}
};

// The system's clock that is never set.
class SteadyTime : public TimeBase<SteadyTime, WallDuration>, public detail::SystemClock<SteadyTime, CLOCK_MONOTONIC> {
public:
    constexpr SteadyTime() = default;
    constexpr SteadyTime(uint32_t seconds, uint32_t nanoseconds) : TimeBase(seconds, nanoseconds) {}
    explicit SteadyTime(double seconds) : TimeBase(seconds) {}
};

inline std::ostream &operator<<(std::ostream &os, const Time &value)
{
    return detail::print_time(os, value.sec, value.nsec);
}

inline std::ostream &operator<<(std::ostream &os, const WallTime &value)
{
    return detail::print_time(os, value.sec, value.nsec);
}

inline std::ostream &operator<<(std::ostream &os, const SteadyTime &value)
{
    return detail::print_time(os, value.sec, value.nsec);
}

} // namespace ros
