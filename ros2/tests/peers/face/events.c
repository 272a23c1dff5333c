#define _GNU_SOURCE
#include "events.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

// One vprintf is one line: the stream's lock keeps lines of two threads apart.
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    va_list values;
    va_start(values, format);
    flockfile(stdout);
    vprintf(format, values);
    fflush(stdout);
    funlockfile(stdout);
    va_end(values);
}

int64_t wall_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void say_ready(void) { say("{\"event\":\"ready\"}\n"); }

void say_matched(int count) { say("{\"event\":\"matched\",\"count\":%d}\n", count); }

void say_sent(int64_t n, size_t bytes) { say("{\"event\":\"sent\",\"n\":%" PRId64 ",\"bytes\":%zu}\n", n, bytes); }

void say_received(int64_t n, size_t bytes, bool same, int64_t source_ns, int64_t received_ns) {
    say("{\"event\":\"received\",\"n\":%" PRId64 ",\"bytes\":%zu,\"same\":%s,\"source_ns\":%" PRId64
        ",\"received_ns\":%" PRId64 "}\n",
        n, bytes, same ? "true" : "false", source_ns, received_ns);
}

void say_incompatible(const char *policy) { say("{\"event\":\"incompatible_qos\",\"policy\":\"%s\"}\n", policy); }

void say_deadline_missed(int64_t total) { say("{\"event\":\"deadline_missed\",\"total\":%" PRId64 "}\n", total); }

void say_liveliness(int alive, int not_alive) {
    say("{\"event\":\"liveliness\",\"alive\":%d,\"not_alive\":%d}\n", alive, not_alive);
}

// Whatever bytes a foreign writer has in its user data, the line stays JSON: what is not plain ASCII is escaped.
static void escape(const uint8_t *bytes, size_t count, char *text, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < count && used + 7 < room; i++) {
        bool plain = bytes[i] >= 0x20 && bytes[i] < 0x7f && bytes[i] != '"' && bytes[i] != '\\';
        used += (size_t)snprintf(text + used, room - used, plain ? "%c" : "\\u%04x", bytes[i]);
    }
    text[used] = 0;
}

static const char *duration(int64_t ms, char *text, size_t room) {
    if (ms == 0) return "null";
    snprintf(text, room, "%" PRId64, ms);
    return text;
}

void say_writer(const struct writer_seen *w) {
    char deadline[24], lifespan[24], lease[24], user_data[4096] = "";
    if (w->user_data != NULL) escape(w->user_data, w->user_data_bytes, user_data, sizeof user_data);
    say("{\"event\":\"writer\",\"type\":\"%s\",\"reliability\":\"%s\",\"durability\":\"%s\",\"deadline_ms\":%s,"
        "\"lifespan_ms\":%s,\"liveliness\":\"%s\",\"lease_ms\":%s,\"user_data\":\"%s\"}\n",
        w->type, w->reliability, w->durability, duration(w->deadline_ms, deadline, sizeof deadline),
        duration(w->lifespan_ms, lifespan, sizeof lifespan), w->liveliness,
        duration(w->lease_ms, lease, sizeof lease), user_data);
}

void say_end(bool publish, int64_t count) {
    say("{\"event\":\"end\",\"%s\":%" PRId64 "}\n", publish ? "sent" : "received", count);
}
