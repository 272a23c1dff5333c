// Lengths of time (NODE-39): whole seconds and 0 to 999 999 999 ns more, so that -0.25 s is sec -1, nsec 750 000 000. Results
// that do not fit, -2^31 s to 2^31 s, throw std::runtime_error.
#pragma once
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <limits>
#include <ros/detail/clock.h>
#include <stdexcept>

namespace boost {
namespace posix_time {
class time_duration;
}
} // namespace boost

namespace ros {

// Carries whole seconds over, so that nsec is 0 to 999 999 999.
constexpr void normalizeSecNSecSigned(int64_t &sec, int64_t &nsec)
{
    int64_t whole = sec + nsec / detail::ns_in_second;
    int64_t rest = nsec % detail::ns_in_second;
    if (rest < 0) {
        rest += detail::ns_in_second;
        --whole;
    }
    if (whole < std::numeric_limits<int32_t>::min() || whole > std::numeric_limits<int32_t>::max()) {
        throw std::runtime_error("Duration is out of dual 32-bit range");
    }
    sec = whole;
    nsec = rest;
}

constexpr void normalizeSecNSecSigned(int32_t &sec, int32_t &nsec)
{
    int64_t whole = sec, rest = nsec;
    normalizeSecNSecSigned(whole, rest);
    sec = static_cast<int32_t>(whole);
    nsec = static_cast<int32_t>(rest);
}

namespace detail {

// Nanoseconds in the part of `seconds` after `whole`; may be a whole second.
inline int64_t rounded_ns(double seconds, double whole)
{
    return static_cast<int64_t>(std::round((seconds - whole) * 1e9));
}

// Seconds and nanoseconds as `sec.nnnnnnnnn`, decimal always; the stream's width and filling count for the seconds.
template <typename Seconds> std::ostream &print_time(std::ostream &os, Seconds sec, int64_t nsec)
{
    const std::ios_base::fmtflags flags = os.flags();
    const char fill = os.fill();
    os << std::dec << sec << '.' << std::right << std::setfill('0') << std::setw(9) << nsec;
    os.flags(flags);
    os.fill(fill);
    return os;
}

} // namespace detail

template <class T> class DurationBase {
public:
    int32_t sec, nsec;

    constexpr DurationBase() : sec(0), nsec(0) {}
    constexpr DurationBase(int32_t seconds, int32_t nanoseconds) : sec(seconds), nsec(nanoseconds)
    {
        normalizeSecNSecSigned(sec, nsec);
    }
    explicit DurationBase(double seconds) : DurationBase() { fromSec(seconds); }

    T operator+(const T &other) const { return from(toNSec() + other.toNSec()); }
    T operator-(const T &other) const { return from(toNSec() - other.toNSec()); }
    T operator-() const { return from(-toNSec()); }
    T operator*(double scale) const { return T(toSec() * scale); }
    T &operator+=(const T &other) { return own() = own() + other; }
    // Throws where -other does, as in roscpp.
    T &operator-=(const T &other) { return own() += -other; }
    T &operator*=(double scale) { return own() = own() * scale; }

    bool operator==(const DurationBase &other) const { return sec == other.sec && nsec == other.nsec; }
    bool operator!=(const DurationBase &other) const { return !(*this == other); }
    bool operator<(const DurationBase &other) const
    {
        return sec != other.sec ? sec < other.sec : nsec < other.nsec;
    }
    bool operator>(const DurationBase &other) const { return other < *this; }
    bool operator<=(const DurationBase &other) const { return !(*this > other); }
    bool operator>=(const DurationBase &other) const { return !(*this < other); }

    double toSec() const { return static_cast<double>(sec) + 1e-9 * static_cast<double>(nsec); }
    int64_t toNSec() const { return int64_t{sec} * detail::ns_in_second + nsec; }

    // Throws std::runtime_error if it does not fit or is no number.
    T &fromSec(double seconds)
    {
        if (!(seconds >= -2147483648.0 && seconds < 2147483648.0)) {
            throw std::runtime_error("Duration is out of dual 32-bit range");
        }
        const double whole = std::floor(seconds);
        return set(static_cast<int64_t>(whole), detail::rounded_ns(seconds, whole));
    }
    T &fromNSec(int64_t nanoseconds) { return set(0, nanoseconds); }

    bool isZero() const { return sec == 0 && nsec == 0; }

    // Needs <boost/date_time/posix_time/posix_time_types.hpp>, whose resolution may be microseconds.
    template <class Boost = boost::posix_time::time_duration> Boost toBoost() const
    {
        return Boost(0, 0, sec) + Boost(0, 0, 0, nsec / (detail::ns_in_second / Boost::ticks_per_second()));
    }

private:
    T &own() { return static_cast<T &>(*this); }

    static T from(int64_t nanoseconds) { return T().fromNSec(nanoseconds); }

    T &set(int64_t seconds, int64_t nanoseconds)
    {
        normalizeSecNSecSigned(seconds, nanoseconds);
        sec = static_cast<int32_t>(seconds);
        nsec = static_cast<int32_t>(nanoseconds);
        return own();
    }
};

class Rate;

// A length of the program's time, which may be simulated.
class Duration : public DurationBase<Duration> {
public:
    constexpr Duration() = default;
    constexpr Duration(int32_t seconds, int32_t nanoseconds) : DurationBase(seconds, nanoseconds) {}
    explicit Duration(double seconds) : DurationBase(seconds) {}
    explicit Duration(const Rate &rate); // one cycle

    // True if all of it went by; false if time went back before the start, or ros::Time::shutdown() was called. Throws
    // TimeNotInitializedException.
    bool sleep() const
    {
        detail::Clock &clock = detail::Clock::get();
        return clock.simulated() ? clock.sleep_simulated_for(toNSec()) : clock.sleep_system(toNSec());
    }
};

// A length of the system's time.
class WallDuration : public DurationBase<WallDuration> {
public:
    constexpr WallDuration() = default;
    constexpr WallDuration(int32_t seconds, int32_t nanoseconds) : DurationBase(seconds, nanoseconds) {}
    explicit WallDuration(double seconds) : DurationBase(seconds) {}
    explicit WallDuration(const Rate &rate); // one cycle

    // True if all of it went by, false if ros::Time::shutdown() was called.
    bool sleep() const { return detail::Clock::get().sleep_system(toNSec()); }
};

constexpr Duration DURATION_MAX(std::numeric_limits<int32_t>::max(), 999999999);
constexpr Duration DURATION_MIN(std::numeric_limits<int32_t>::min(), 0);

namespace detail {

template <class T> std::ostream &print_duration(std::ostream &os, const DurationBase<T> &value)
{
    if (value.sec >= 0 || value.nsec == 0) return print_time(os, value.sec, value.nsec);
    if (value.sec == -1) os << '-';
    return print_time(os, value.sec + 1, ns_in_second - value.nsec);
}

} // namespace detail

inline std::ostream &operator<<(std::ostream &os, const Duration &value) { return detail::print_duration(os, value); }
inline std::ostream &operator<<(std::ostream &os, const WallDuration &value) { return detail::print_duration(os, value); }

} // namespace ros
