/* Writes and checks the bytes of a sample; see sample.h. */
#include "sample.h"

/*
 * Byte `position` of the noise: SplitMix64 of the position's eighth. The generator has no state, so that a
 * receiver checks any byte without making those before it.
 */
static unsigned char noise_at(size_t position)
{
    uint64_t z = (position / 8 + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned char)((z ^ (z >> 31)) >> (position % 8 * 8));
}

void put_u32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

uint32_t get_u32(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

void sample_fill(unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = noise_at(i);
}

void sample_stamp(unsigned char *bytes, struct sample_head head)
{
    put_u32(bytes, (uint32_t)head.capture_ns);
    put_u32(bytes + 4, (uint32_t)(head.capture_ns >> 32));
    put_u32(bytes + 8, head.camera);
    put_u32(bytes + 12, head.sequence);
}

struct sample_head sample_head_of(const unsigned char *bytes)
{
    struct sample_head head;
    head.capture_ns = get_u32(bytes) | (uint64_t)get_u32(bytes + 4) << 32;
    head.camera = get_u32(bytes + 8);
    head.sequence = get_u32(bytes + 12);
    return head;
}

bool sample_ends_well(const unsigned char *bytes, size_t size)
{
    return bytes[size - 1] == noise_at(size - 1);
}
