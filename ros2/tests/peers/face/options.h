// What the command line asks for; the same for every peer. README.md says what each flag means.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum type { TYPE_STRING, TYPE_IMAGE, TYPE_TWIST };

struct options {
    bool publish;
    const char *topic;  // as ROS 2 says it, without "rt/"
    const char *prefix; // what stands before it in DDS
    enum type type;
    int domain;
    const char *interface;
    bool reliable, transient_local, keep_all, manual_liveliness;
    int depth;
    int64_t deadline_ms, lifespan_ms, lease_ms; // 0: infinite
    int64_t count;                              // -1: no end (subscribe)
    int limit;                                  // 0: none (subscribe)
    int64_t period_ms, slow_ms;
    size_t size;
    uint64_t seed;
    int wait_readers;
    bool wait_line, stay;
    const char *user_data; // NULL: none
};

// Ends the program with exit code 2, and a line that names the flag, if the command line is not of the face.
struct options options_of(int argc, char **argv);

// The name of the type in DDS: ROS 2 puts `dds_` before it and `_` behind it.
const char *dds_type_name(enum type type);

// Prefix, slash and topic: by the prefix ROS 2 tells topics from services.
void dds_topic_name(const struct options *options, char *name, size_t room);

#ifdef __cplusplus
}
#endif
