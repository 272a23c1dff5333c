// The one thing the main thread waits for: DDS's threads and the thread that watches standard input and SIGTERM ring,
// the main thread sleeps until what it needs is there. Nothing polls.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

// First of all, before any library makes a thread: all threads made later leave SIGTERM to ours.
void bell_hang(void);

void bell_ring_data(void);
void bell_ring_readers(int matched);

// Each is true if what it waits for came, false if the program is to end.
bool bell_wait_data(void);
bool bell_wait_readers(int matched);
bool bell_wait_line(void);
bool bell_wait_until(int64_t monotonic_ns);
void bell_wait_end(void);
bool bell_ended(void);

int64_t monotonic_ns(void);

#ifdef __cplusplus
}
#endif
