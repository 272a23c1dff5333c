// Grey pictures in somebody else's memory, 8 bits for each pixel, and how grey a colour is.
#pragma once
#include <cstddef>
#include <cstdint>

// To be read. Row y begins stride_bytes * y after data; what stands between two rows is not looked at.
struct GreyView {
    const std::uint8_t *data;
    int width;
    int height;
    std::ptrdiff_t stride_bytes;

    const std::uint8_t *row(int y) const { return data + y * stride_bytes; }
};

// To be written.
struct GreyCanvas {
    std::uint8_t *data;
    int width;
    int height;
    std::ptrdiff_t stride_bytes;

    std::uint8_t *row(int y) const { return data + y * stride_bytes; }
    GreyView view() const { return {data, width, height, stride_bytes}; }
};

// Luma of ITU-R BT.601, 0.299 R + 0.587 G + 0.114 B, rounded. The weights are 16-bit fractions that add up to 1:
// white stays 255.
inline std::uint8_t luma(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
    constexpr std::uint32_t RED = 19595, GREEN = 38470, BLUE = 7471, HALF = 1u << 15;
    static_assert(RED + GREEN + BLUE == 1u << 16);
    return static_cast<std::uint8_t>((RED * red + GREEN * green + BLUE * blue + HALF) >> 16);
}
