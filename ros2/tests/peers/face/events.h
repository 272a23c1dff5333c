// What happened, as lines of JSON on standard output: one object a line, flushed at once, from whatever thread.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

// A writer that a subscriber met, as discovery tells of it. Durations of 0: infinite.
struct writer_seen {
    const char *type, *reliability, *durability, *liveliness;
    int64_t deadline_ms, lifespan_ms, lease_ms;
    const uint8_t *user_data;
    size_t user_data_bytes;
};

// When a sample was in this program's hands: the clock that DDS source timestamps are of.
int64_t wall_ns(void);

void say_ready(void);
void say_matched(int count);
void say_sent(int64_t n, size_t bytes);
void say_received(int64_t n, size_t bytes, bool same, int64_t source_ns, int64_t received_ns);
void say_incompatible(const char *policy);
void say_deadline_missed(int64_t total);
void say_liveliness(int alive, int not_alive);
void say_writer(const struct writer_seen *writer);
void say_end(bool publish, int64_t count);

#ifdef __cplusplus
}
#endif
