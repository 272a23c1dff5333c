// The content of message n: a pure function of type, seed, n and size, the same in every peer (python/content.py is the
// other place that knows it). A byte that is lost, doubled or moved shows.
#pragma once
#include "options.h"
#ifdef __cplusplus
extern "C" {
#endif

struct image {
    int32_t sec;
    uint32_t nanosec;
    char *frame_id;
    uint32_t height, width;
    char *encoding;
    uint8_t is_bigendian;
    uint32_t step;
    uint8_t *data;
    size_t data_bytes;
};

// All that can be in a message of the three types. Who makes one owns its pointers.
struct message {
    enum type type;
    char *text;      // String: data
    struct image image;
    double twist[6]; // Twist: linear x y z, angular x y z
};

// To be called once, before the others.
void content_seed(uint64_t seed);

struct message message_make(enum type type, int64_t n, size_t size);
void message_free(struct message *message);

// The n that is inside a message, or -1 if none is.
int64_t message_n(const struct message *message);

// Every field and every byte is what the seed says of message n.
bool message_same(const struct message *received, int64_t n, size_t size);

// How long the part is that --size sets the length of; 48 for Twist.
size_t message_bytes(const struct message *message);

#ifdef __cplusplus
}
#endif
