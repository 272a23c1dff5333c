// The publisher's and the subscriber's rounds, the same whatever DDS is below.
#pragma once
#include "content.h"
#ifdef __cplusplus
extern "C" {
#endif

enum written { WRITTEN, WOULD_BLOCK, NOT_WRITTEN };
typedef enum written (*write_fn)(void *writer, const struct message *message);

// Waits up to so long; true if all readers have all that was written.
typedef bool (*acknowledged_fn)(void *writer, int patience_ms);

// Publishes messages 0 to count - 1, one each period, then sees to it that they arrive. False if a write failed.
bool publish_rounds(const struct options *options, write_fn write, acknowledged_fn acknowledged, void *writer,
                    int64_t *sent);

enum taken { TAKEN, NOTHING_THERE, NOT_TAKEN };
typedef enum taken (*take_fn)(void *reader, const struct options *options);

// Takes one sample after the other until --count are taken or the program is to end. False if taking failed.
bool subscribe_rounds(const struct options *options, take_fn take, void *reader, int64_t *received);

// What a take_fn tells of the sample it has.
void tell_of_sample(const struct options *options, const struct message *message, int64_t source_ns);

#ifdef __cplusplus
}
#endif
