/* What the command line of a peer says (PEER-1 to PEER-4). */
#ifndef TOKKYU_PEER_OPTIONS_H
#define TOKKYU_PEER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum role { ROLE_SEND, ROLE_RECEIVE };

/* The paper's conditions, numbered as on the command line. */
enum qos { QOS_RELIABLE_LAST_10 = 1, QOS_RELIABLE_LAST_1, QOS_RELIABLE_ALL, QOS_BEST_EFFORT_LAST_1 };

#define QOS_BIT(qos) (1u << (qos))

/*
 * A mode of a peer, the conditions it has there, as QOS_BITs, and the name of its one stream, or NULL where each
 * camera is a stream. A table of modes ends with an empty word.
 */
struct mode {
    const char *word;
    unsigned conditions;
    const char *stream;
};

struct options {
    enum role role;
    const struct mode *mode;
    bool tuned;
    enum qos qos;
    unsigned images;
    size_t size;
    uint64_t period_ns;
    unsigned samples;
    uint64_t start_at_ns;
    const char *own;
    const char *other;
    uint64_t rtt_us;
    uint64_t rate_kbit;
    uint64_t drain_ms;
    int priority;
    const char *records;
    const char *summary;
};

/* Most cameras a run can have; peers keep one connection or topic for each in tables of this length. */
#define MOST_IMAGES 64

/*
 * Reads the command line. On an error it says on standard error which flag is wrong and what could stand
 * there, and returns false; the program's exit code is then 2.
 */
bool options_read(struct options *options, const char *peer, const struct mode *modes, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
