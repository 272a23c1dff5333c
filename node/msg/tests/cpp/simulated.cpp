// Sleeping in simulated time: one thread sleeps, the other sets the time, step by step, until the first is back. What is printed does not depend on which
// of them is faster.
#include <atomic>
#include <functional>
#include <iostream>
#include <ros/rate.h>
#include <ros/time.h>
#include <thread>

using ros::Duration;
using ros::Time;

// What `sleep` returned while the time was `before_ns`, then `first_ns`, and then went on by `step_ns` at a time.
static bool while_time_goes(int64_t before_ns, int64_t first_ns, int64_t step_ns, const std::function<bool()> &sleep)
{
    const auto set = [](int64_t ns) { Time::setNow(Time().fromNSec(static_cast<uint64_t>(ns))); };
    set(before_ns);
    std::atomic<bool> begins{false}, back{false};
    bool result = false;
    std::thread sleeper([&] {
        begins = true;
        result = sleep();
        back = true;
    });
    // It most likely sleeps then; right is what comes out in any case.
    while (!begins) std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    for (int64_t ns = first_ns; !back; ns += step_ns) {
        set(ns);
        std::this_thread::yield();
    }
    sleeper.join();
    return result;
}

static bool in_time(const Time &from, const Time &to) { return Time::now() >= from && Time::now() < to; }

int main()
{
    Time::init();
    const int64_t second = 1000000000;

    const int64_t step = 20000, start = 10 * second, great = 4000000 * second;
    std::cout << "a second: " << while_time_goes(start, start, step, [] { return Duration(1, 0).sleep(); })
              << in_time(Time(11, 0), Time(300, 0)) << "\n";
    std::cout << "until: " << while_time_goes(start, start, step, [] { return Time::sleepUntil(Time(11, 0)); })
              << in_time(Time(11, 0), Time(300, 0)) << "\n";
    std::cout << "back: " << while_time_goes(great, great, -second, [] { return Duration(2000000, 0).sleep(); }) << "\n";
    std::cout << "until, back: " << while_time_goes(great, great, -second, [] { return Time::sleepUntil(Time(4100000, 0)); })
              << "\n";
    // From no time at all: the length counts from the first time that comes.
    std::cout << "first: " << while_time_goes(0, start, step, [] { return Duration(1, 0).sleep(); })
              << in_time(Time(11, 0), Time(300, 0)) << "\n";

    std::cout << "valid: ";
    Time::setNow(Time());
    std::thread waits([] { std::cout << Time::waitForValid() << Time::isValid() << "\n"; });
    Time::setNow(Time(3, 0));
    waits.join();

    // The rate began at 1000; then time was set back to 10, and a cycle counts from there.
    Time::setNow(Time(1000, 0));
    ros::Rate rate(10);
    std::cout << "rate, back: " << while_time_goes(start, start, step, [&] { return rate.sleep(); })
              << in_time(Time(10, 100000000), Time(500, 0)) << "\n";
    std::cout << "rate: " << while_time_goes(start, start, step, [&] {
        rate.reset();
        rate.sleep();
        // The other thread may have been far ahead.
        return rate.sleep() || Time::now() > Time(10, 200000000);
    }) << in_time(Time(10, 200000000), Time(500, 0)) << "\n";

    // Whether it comes before or after the sleep begins.
    Time::setNow(Time(10, 0));
    std::thread stopped([] { std::cout << "stopped: " << Duration(1000, 0).sleep() << "\n"; });
    Time::shutdown();
    stopped.join();
}
