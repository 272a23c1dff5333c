/*
 * Cuts samples and puts them together again; see pieces.h. Sizes come from the command line, never from a
 * message.
 */
#include "pieces.h"

#include <string.h>

#include "sample.h"

#define ROOM (PIECE_BYTES - PIECE_HEAD_BYTES)

unsigned pieces_of(size_t sample_size)
{
    return (unsigned)((sample_size + ROOM - 1) / ROOM);
}

static size_t length_of(size_t size, unsigned piece)
{
    const size_t left = size - (size_t)piece * ROOM;
    return left < ROOM ? left : ROOM;
}

size_t piece_make(unsigned char *message, const unsigned char *sample, size_t size, uint32_t sequence, unsigned piece)
{
    const size_t length = length_of(size, piece);
    put_u32(message, sequence);
    put_u32(message + 4, piece);
    put_u32(message + 8, pieces_of(size));
    put_u32(message + 12, 0);
    memcpy(message + PIECE_HEAD_BYTES, sample + (size_t)piece * ROOM, length);
    return PIECE_HEAD_BYTES + length;
}

bool piece_take(struct assembly *assembly, const unsigned char *message, size_t length)
{
    if (length < PIECE_HEAD_BYTES)
        return false;
    const uint32_t sequence = get_u32(message);
    const unsigned piece = get_u32(message + 4);
    const unsigned pieces = pieces_of(assembly->size);
    if (piece == 0)
        *assembly = (struct assembly){assembly->sample, assembly->size, sequence, 0};
    if (sequence != assembly->sequence || piece != assembly->next || piece >= pieces
        || length != PIECE_HEAD_BYTES + length_of(assembly->size, piece))
        return false;
    memcpy(assembly->sample + (size_t)piece * ROOM, message + PIECE_HEAD_BYTES, length - PIECE_HEAD_BYTES);
    assembly->next++;
    return assembly->next == pieces;
}
