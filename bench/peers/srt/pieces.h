/*
 * A sample as messages of SRT's live mode, each at most 1316 bytes with a head of ours (PEER-12).
 *
 *   0          4       8       12     16                1316
 *   | sequence | piece | pieces | 0    | bytes of the sample |     little endian
 *
 * Live mode keeps the order and leaves out what came too late, so one sample is put together at a time: a
 * piece that is not the next one ends it.
 */
#ifndef TOKKYU_PEER_SRT_PIECES_H
#define TOKKYU_PEER_SRT_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIECE_HEAD_BYTES 16
#define PIECE_BYTES 1316

unsigned pieces_of(size_t sample_size);

/* Makes one message of a sample and returns its length. `message` has room for PIECE_BYTES. */
size_t piece_make(unsigned char *message, const unsigned char *sample, size_t size, uint32_t sequence, unsigned piece);

/* A sample that is being put together. */
struct assembly {
    unsigned char *sample;
    size_t size;
    uint32_t sequence;
    unsigned next;
};

/* Takes one message; true when the sample in `assembly` has become whole by it. */
bool piece_take(struct assembly *assembly, const unsigned char *message, size_t length);

#endif
