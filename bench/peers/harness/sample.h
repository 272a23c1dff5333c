/*
 * The bytes of a sample (PEER-12): capture time, camera, sequence, then noise that no layer can compress.
 *
 *   0        8        12         16                    size
 *   | capture | camera | sequence | fixed generator ... |      little endian
 */
#ifndef TOKKYU_PEER_SAMPLE_H
#define TOKKYU_PEER_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sample_head {
    uint64_t capture_ns;
    uint32_t camera; /* from 1 */
    uint32_t sequence; /* from 0 */
};

/* Fills all of `bytes` once; the head is stamped over it for each tick. */
void sample_fill(unsigned char *bytes, size_t size);
void sample_stamp(unsigned char *bytes, struct sample_head head);
struct sample_head sample_head_of(const unsigned char *bytes);

/* Whether the last byte is the generator's: a sample that was cut or put together wrongly is seen by it. */
bool sample_ends_well(const unsigned char *bytes, size_t size);

/* Little endian numbers, which the peers' own headers use as well. */
void put_u32(unsigned char *bytes, uint32_t value);
uint32_t get_u32(const unsigned char *bytes);

#ifdef __cplusplus
}
#endif
#endif
