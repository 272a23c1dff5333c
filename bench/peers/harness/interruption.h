/*
 * How the main thread waits: for a time, for SIGTERM or SIGINT (PEER-4), or for the run's last sample.
 *
 * All three signals are blocked in every thread and taken by the main thread alone, so no handler runs
 * anywhere and no library call is interrupted.
 */
#ifndef TOKKYU_PEER_INTERRUPTION_H
#define TOKKYU_PEER_INTERRUPTION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum wait_end { WAIT_TIME_IS_UP, WAIT_INTERRUPTED, WAIT_ALL_ARRIVED };

/* Call it before any thread is made: threads inherit what is blocked. */
void interruption_prepare(void);

/* The main thread's only way to wait. */
enum wait_end wait_until_ns(uint64_t when_ns);

/* Ends the wait of the main thread, from any thread. */
void tell_all_arrived(void);

#ifdef __cplusplus
}
#endif
#endif
