/* The clock and the schedule of a run; see ticks.h. */
#include "ticks.h"

#include <errno.h>
#include <time.h>

/* What the receiver waits beyond the sender's time: what was sent last is still on its way. */
#define RECEIVER_STAYS_NS (500 * NS_PER_MS)
/* Longest time a thread is awake before its tick. */
#define EARLIEST_NS (150 * NS_PER_US)

uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void sleep_until_ns(uint64_t when_ns)
{
    const struct timespec when = {(time_t)(when_ns / NS_PER_S), (long)(when_ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
        ;
}

struct alarm alarm_new(void)
{
    return (struct alarm){EARLIEST_NS};
}

/* The timer was `late_ns`: at once as early as that, and less early by little and little. */
static void woken(struct alarm *alarm, uint64_t late_ns)
{
    if (late_ns > alarm->early_ns)
        alarm->early_ns = late_ns < EARLIEST_NS ? late_ns : EARLIEST_NS;
    else
        alarm->early_ns = (alarm->early_ns * 7 + late_ns) / 8;
}

void alarm_wait(struct alarm *alarm, uint64_t when_ns)
{
    if (now_ns() + alarm->early_ns < when_ns) {
        const uint64_t until = when_ns - alarm->early_ns;
        sleep_until_ns(until);
        woken(alarm, now_ns() - until);
    }
    while (now_ns() < when_ns)
        ;
}

uint64_t tick_ns(const struct options *options, unsigned sequence)
{
    return options->start_at_ns + sequence * options->period_ns;
}

uint64_t end_ns(const struct options *options)
{
    const uint64_t last = tick_ns(options, options->samples - 1);
    const uint64_t sender = last + options->drain_ms * NS_PER_MS;
    return options->role == ROLE_SEND ? sender : sender + RECEIVER_STAYS_NS;
}
