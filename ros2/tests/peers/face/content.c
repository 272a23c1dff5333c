#define _GNU_SOURCE
#include "content.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes of every message are taken round this ring of noise, from a place that differs with n. Its length is a prime, so
// that no part of a message is equal to the part one fragment further.
enum { RING = 65521 };
static uint8_t ring[RING];
static char letters[RING];
static uint64_t seeded;

// splitmix64 (Steele, Lea, Flood 2014), the number at that place of its sequence.
static uint64_t noise(uint64_t from, uint64_t place) {
    uint64_t z = from + (place + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// The number of that field of message n. Message 0 begins behind what the ring was filled with.
static uint64_t field(int64_t n, int which) { return noise(seeded, 8192 + (uint64_t)n * 16 + (uint64_t)which); }

void content_seed(uint64_t seed) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    seeded = seed;
    for (int i = 0; i < RING; i++) {
        ring[i] = (uint8_t)(noise(seed, (uint64_t)i / 8) >> (i % 8 * 8));
        letters[i] = alphabet[ring[i] & 63];
    }
}

static void fill(void *to, const void *from, size_t start, size_t bytes) {
    for (size_t done = 0; done < bytes; start = 0) {
        size_t run = RING - start < bytes - done ? RING - start : bytes - done;
        memcpy((uint8_t *)to + done, (const uint8_t *)from + start, run);
        done += run;
    }
}

static void *room(size_t bytes) {
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static char *some_text(const char *begin, size_t start, size_t length) {
    size_t begun = strlen(begin);
    if (length < begun) length = begun;
    char *text = room(length + 1);
    memcpy(text, begin, begun);
    fill(text + begun, letters, start, length - begun);
    text[length] = 0;
    return text;
}

static struct image image_make(int64_t n, size_t size) {
    static const char *encodings[] = {"rgb8", "bgr8", "mono8", "16UC1", "yuv422"};
    struct image image = {
        .sec = (int32_t)n,
        .nanosec = (uint32_t)(field(n, 1) % 1000000000),
        // Its length differs, so that what follows is aligned in every way.
        .frame_id = some_text("camera_", field(n, 2) % RING, 7 + field(n, 3) % 24),
        .height = (uint32_t)field(n, 4),
        .width = (uint32_t)field(n, 5),
        .encoding = some_text(encodings[field(n, 6) % 5], 0, 0),
        .is_bigendian = (uint8_t)(field(n, 7) & 1),
        .step = (uint32_t)field(n, 8),
        .data = room(size + 1),
        .data_bytes = size,
    };
    fill(image.data, ring, field(n, 0) % RING, size);
    return image;
}

struct message message_make(enum type type, int64_t n, size_t size) {
    struct message message = {.type = type};
    if (type == TYPE_STRING) {
        char begin[32];
        snprintf(begin, sizeof begin, "n=%lld ", (long long)n);
        message.text = some_text(begin, field(n, 0) % RING, size);
    } else if (type == TYPE_IMAGE) {
        message.image = image_make(n, size);
    } else {
        message.twist[0] = (double)n;
        for (int i = 1; i < 6; i++) message.twist[i] = (double)((int64_t)field(n, i) >> 11) / 1048576;
    }
    return message;
}

void message_free(struct message *message) {
    free(message->text);
    free(message->image.frame_id);
    free(message->image.encoding);
    free(message->image.data);
    memset(message, 0, sizeof *message);
}

int64_t message_n(const struct message *message) {
    if (message->type == TYPE_IMAGE) return message->image.sec;
    if (message->type == TYPE_TWIST) {
        double n = message->twist[0];
        return n >= 0 && n <= INT32_MAX ? (int64_t)n : -1;
    }
    long long n;
    return sscanf(message->text, "n=%lld ", &n) == 1 && n >= 0 ? n : -1;
}

static bool image_same(const struct image *a, const struct image *b) {
    return a->sec == b->sec && a->nanosec == b->nanosec && strcmp(a->frame_id, b->frame_id) == 0 &&
           a->height == b->height && a->width == b->width && strcmp(a->encoding, b->encoding) == 0 &&
           a->is_bigendian == b->is_bigendian && a->step == b->step && a->data_bytes == b->data_bytes &&
           (a->data_bytes == 0 || memcmp(a->data, b->data, a->data_bytes) == 0);
}

bool message_same(const struct message *received, int64_t n, size_t size) {
    if (n < 0) return false;
    struct message right = message_make(received->type, n, size);
    bool same = received->type == TYPE_STRING  ? strcmp(received->text, right.text) == 0
                : received->type == TYPE_IMAGE ? image_same(&received->image, &right.image)
                                               : memcmp(received->twist, right.twist, sizeof right.twist) == 0;
    message_free(&right);
    return same;
}

size_t message_bytes(const struct message *message) {
    if (message->type == TYPE_STRING) return strlen(message->text);
    return message->type == TYPE_IMAGE ? message->image.data_bytes : sizeof message->twist;
}
