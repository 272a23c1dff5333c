/* CLOCK_MONOTONIC and the ticks of a run on it (PEER-10). Both ends are on one machine, so on one clock. */
#ifndef TOKKYU_PEER_TICKS_H
#define TOKKYU_PEER_TICKS_H

#include <stdint.h>

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

uint64_t now_ns(void);

/* Sleeps to an absolute time; returns at once if it has passed. */
void sleep_until_ns(uint64_t when_ns);

/*
 * Waits for ticks as exactly as the timer allows, for one thread. A timer wakes a thread 5 to 100 us late; so
 * it is set earlier by what it was late of late, at most 150 us, and the rest is waited out awake: the rule
 * of the programs that peers are compared with (PEER-10).
 */
struct alarm {
    uint64_t early_ns;
};

struct alarm alarm_new(void);

/* Waits until an absolute time; returns at once if it has passed. */
void alarm_wait(struct alarm *alarm, uint64_t when_ns);

/* The capture time of every camera's sample `sequence`. */
uint64_t tick_ns(const struct options *options, unsigned sequence);

/* When this end gives up (PEER-20): the sender after its drain, the receiver 500 ms later. */
uint64_t end_ns(const struct options *options);

#ifdef __cplusplus
}
#endif
#endif
