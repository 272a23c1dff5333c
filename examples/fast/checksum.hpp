// FNV-1a with 64 bits (Fowler, Noll, Vo): tells pictures that differ by chance apart. Not for what somebody may forge.
#pragma once
#include "grey.hpp"
#include <cstdint>

constexpr std::uint64_t FNV_BEGIN = 0xcbf29ce484222325;

// Of a picture's pixels, without what stands between its rows; goes on from the checksum of what came before.
inline std::uint64_t fnv1a(const GreyView &picture, std::uint64_t before = FNV_BEGIN) {
    constexpr std::uint64_t PRIME = 0x100000001b3;
    std::uint64_t sum = before;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x) sum = (sum ^ picture.row(y)[x]) * PRIME;
    }
    return sum;
}
