/* The clock and the schedule of a run; see ticks.h. */
#include "ticks.h"

#include <errno.h>
#include <time.h>

/* What the receiver waits beyond the sender's time: what was sent last is still on its way. */
#define RECEIVER_STAYS_NS (500 * NS_PER_MS)

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
