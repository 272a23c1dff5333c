// Arithmetic of times, durations and rates over many values, with what is thrown: roscpp's headers and ours are to print the same.
#include <boost/date_time/posix_time/posix_time_types.hpp>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <ros/duration.h>
#include <ros/rate.h>
#include <ros/time.h>
#include <type_traits>
#include <vector>

// What `what` gives, or what it throws.
template <class What> void line(const char *name, What what)
{
    std::cout << name << ": ";
    try {
        std::cout << what();
    } catch (const ros::TimeNotInitializedException &) {
        std::cout << "no clock";
    } catch (const std::runtime_error &error) {
        std::cout << "throws " << error.what();
    }
    std::cout << "\n";
}

// The values are told by the lines before.
#define SHOW(expression) line(#expression, [&] { return expression; })

static std::vector<double> numbers()
{
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> all{0, -0.0, 0.1, -0.1, 1, -1, 1.5, -1.5, 1e-9, -1e-9, 1e-10, -1e-10, 0.4999999999, 0.9999999996, -0.9999999996,
                            1.9999999999, 123456789.123456789, 2147483647, 2147483647.9999998, 2147483648, -2147483648, -2147483648.5,
                            -2147483649, 4294967295, 4294967295.9999995, 4294967296, 1e18, 1e300, -1e300, infinity, -infinity,
                            std::numeric_limits<double>::quiet_NaN()};
    uint64_t state = 7;
    for (int i = 0; i < 200; ++i) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        all.push_back(static_cast<double>(static_cast<int64_t>(state)) / std::pow(10.0, i % 19));
    }
    return all;
}

template <class D> std::vector<D> durations()
{
    const int32_t most = std::numeric_limits<int32_t>::max(), least = std::numeric_limits<int32_t>::min();
    std::vector<D> all;
    for (const int32_t sec : {0, 1, -1, 2, -2, 86400, -86400, most - 2, least + 2, most, least}) {
        for (const int32_t nsec : {0, 1, -1, 500000000, 999999999, 1000000000, -1000000000, 2000000001, most, least}) {
            std::cout << sec << "," << nsec << " ";
            line("D", [&] {
                all.push_back(D(sec, nsec));
                return all.back();
            });
        }
    }
    return all;
}

template <class T> std::vector<T> times()
{
    std::vector<T> all;
    for (const uint32_t sec : {0u, 1u, 2u, 86400u, 2147483647u, 2147483648u, 4294967291u, 4294967294u, 4294967295u}) {
        for (const uint32_t nsec : {0u, 1u, 500000000u, 999999999u, 1000000000u, 2000000001u, 4294967295u}) {
            std::cout << sec << "," << nsec << " ";
            line("T", [&] {
                all.push_back(T(sec, nsec));
                return all.back();
            });
        }
    }
    return all;
}

template <class A, class B> void compare(const A &a, const B &b)
{
    std::cout << (a == b) << (a != b) << (a < b) << (a > b) << (a <= b) << (a >= b) << "\n";
}

template <class D> void show_durations()
{
    const std::vector<D> all = durations<D>();
    for (const D &a : all) {
        std::cout << "a " << a << " " << a.sec << " " << a.nsec << " " << a.toNSec() << " " << std::setprecision(17) << a.toSec()
                  << std::setprecision(6) << a.isZero() << "\n";
        SHOW(-a);
        SHOW(a.toBoost().total_nanoseconds());
        for (const double scale : {0.0, 1.0, -1.0, 0.5, 1e9, -1e-9, 3.3}) SHOW(a * scale);
        for (const D &b : all) {
            compare(a, b);
            SHOW(a + b);
            SHOW(a - b);
            SHOW(D(a) += b);
            SHOW(D(a) -= b);
        }
        SHOW(D(a) *= 2);
    }
    for (const double seconds : numbers()) {
        std::cout << std::setprecision(17) << seconds << std::setprecision(6) << " ";
        SHOW(D(seconds));
        SHOW(D().fromSec(seconds));
    }
    for (const int64_t ns : {INT64_C(0), INT64_C(-1), INT64_C(2147483647999999999), INT64_C(2147483648000000000), INT64_C(-2147483648000000000),
                             INT64_C(-2147483648000000001), INT64_MAX, INT64_MIN, INT64_C(-1999999999)}) {
        SHOW(D().fromNSec(ns));
    }
}

template <class T, class D> void show_times()
{
    const std::vector<T> all = times<T>();
    const std::vector<D> lengths = durations<D>();
    for (const T &a : all) {
        std::cout << "a " << a << " " << a.sec << " " << a.nsec << " " << a.toNSec() << " " << std::setprecision(17) << a.toSec()
                  << std::setprecision(6) << a.isZero() << a.is_zero() << "\n";
        for (const T &b : all) {
            compare(a, b);
            SHOW(a - b);
        }
        for (const D &d : lengths) {
            SHOW(a + d);
            SHOW(a - d);
            SHOW(T(a) += d);
            SHOW(T(a) -= d);
        }
    }
    for (const double seconds : numbers()) {
        std::cout << std::setprecision(17) << seconds << std::setprecision(6) << " ";
        SHOW(T(seconds));
        SHOW(T().fromSec(seconds));
    }
    for (const uint64_t ns : {UINT64_C(0), UINT64_C(1), UINT64_C(4294967295999999999), UINT64_C(4294967296000000000), UINT64_MAX}) {
        SHOW(T().fromNSec(ns));
    }
}

static void show_normalized()
{
    for (const int64_t sec : {INT64_C(0), INT64_C(-1), INT64_C(4294967295), INT64_C(2147483647), INT64_C(-2147483648)}) {
        for (const int64_t nsec : {INT64_C(0), INT64_C(-1), INT64_C(1000000000), INT64_C(-1000000001), INT64_C(5999999999)}) {
            int64_t a = sec, b = nsec, c = sec, d = nsec;
            line("signed", [&] { return ros::normalizeSecNSecSigned(a, b), a; });
            line("unsigned", [&] { return ros::normalizeSecNSecUnsigned(c, d), c; });
            std::cout << b << " " << d << "\n";
        }
    }
}

static void show_boost()
{
    const boost::posix_time::ptime start(boost::gregorian::date(1970, 1, 1));
    for (const ros::Time &time : times<ros::Time>()) {
        SHOW((time.toBoost() - start).total_nanoseconds());
        SHOW(ros::Time::fromBoost(time.toBoost()));
        SHOW(ros::Time::fromBoost(time.toBoost() - start));
    }
}

// Only where nothing is waited for.
static void show_rate()
{
    SHOW(ros::Rate(10).expectedCycleTime());
    SHOW(ros::Rate(ros::Duration(2.5)).expectedCycleTime());
    SHOW(ros::WallRate(ros::Duration(2.5)).expectedCycleTime());
    SHOW(ros::WallRate(4).expectedCycleTime());
    SHOW(ros::WallRate(4).cycleTime());
    SHOW(ros::Duration(ros::Rate(4)));
    SHOW(ros::WallDuration(ros::Rate(4)));
    for (const double frequency : numbers()) SHOW(ros::Rate(frequency).expectedCycleTime());
    ros::Time::setNow(ros::Time(100, 0));
    ros::Rate rate(10);
    // On the dot, late, making up for it, late by a cycle and by more, and a reset.
    for (const uint32_t ms : {100u, 250u, 310u, 500u, 550u, 850u, 950u, 99000u, 99100u}) {
        ros::Time::setNow(ros::Time(100, 0) + ros::Duration(0, 1000000) * ms);
        SHOW(rate.sleep());
        SHOW(rate.cycleTime());
        if (ms == 950u) rate.reset();
    }
}

static void show_clock()
{
    using ros::Time;
    SHOW(Time::isSimTime());
    SHOW(Time::isSystemTime());
    SHOW(Time::useSystemTime());
    SHOW(Time::isValid());
    SHOW(Time::now().isZero());
    SHOW(ros::Duration(0.001).sleep());
    SHOW(Time::sleepUntil(Time(1, 0)));
    SHOW(ros::WallDuration(0.001).sleep());
    SHOW(ros::Rate(1).expectedCycleTime());
    SHOW(Time::waitForValid(ros::WallDuration(0.01)));
    Time::setNow(Time(5, 0));
    SHOW(Time::now());
    SHOW(Time::isValid());
    Time::init();
    SHOW(Time::isSimTime());
    SHOW(Time::isValid());
    SHOW(Time::waitForValid());
    const ros::WallTime wall = ros::WallTime::now();
    SHOW(Time::now().toSec() + 1e-6 >= wall.toSec() && wall.sec > 1600000000);
    SHOW(ros::Duration(0.001).sleep());
    SHOW(ros::Duration(0, 0).sleep());
    SHOW(Time::sleepUntil(Time::now() + ros::Duration(0.002)));
    SHOW(ros::WallTime::now() >= wall + ros::WallDuration(0.003));
    const ros::SteadyTime steady = ros::SteadyTime::now();
    SHOW(ros::SteadyTime::sleepUntil(steady + ros::WallDuration(0.002)));
    SHOW(ros::SteadyTime::now() >= steady + ros::WallDuration(0.002));
    SHOW(ros::SteadyTime::sleepUntil(steady));
    SHOW(ros::WallTime::sleepUntil(wall));
    SHOW(ros::WallRate(1000).sleep());
    Time::setNow(Time());
    SHOW(Time::isSimTime());
    SHOW(Time::isValid());
    SHOW(Time::now());
    SHOW(Time::waitForValid(ros::WallDuration(0.01)));
    Time::setNow(Time(7, 5));
    SHOW(Time::now());
    SHOW(Time::waitForValid());
    SHOW(ros::Duration(0, 0).sleep());
    SHOW(Time::sleepUntil(Time(7, 5)));
    Time::shutdown();
    SHOW(ros::Duration(1, 0).sleep());
    SHOW(ros::WallDuration(0.001).sleep());
    SHOW(Time::waitForValid());
    SHOW(ros::WallTime::sleepUntil(ros::WallTime::now() + ros::WallDuration(0.001)));
    SHOW(Time::now());
    Time::init();
    SHOW(ros::Duration(0.001).sleep());
}

int main()
{
    static_assert(sizeof(ros::Time) == 8 && sizeof(ros::Duration) == 8, "as on the wire");
    static_assert(!std::is_convertible<double, ros::Time>::value && !std::is_convertible<double, ros::Duration>::value, "explicit");
    static_assert(!std::is_convertible<ros::WallDuration, ros::Duration>::value, "other clocks");
    show_clock();
    std::cout << ros::TIME_MAX << " " << ros::TIME_MIN << " " << ros::DURATION_MAX << " " << ros::DURATION_MIN << "\n";
    show_durations<ros::Duration>();
    show_durations<ros::WallDuration>();
    show_times<ros::Time, ros::Duration>();
    show_times<ros::WallTime, ros::WallDuration>();
    show_times<ros::SteadyTime, ros::WallDuration>();
    show_normalized();
    show_boost();
    show_rate();
}
