// A picture for a camera that has no folder: a slope of colours, and over it squares that move, whose corners FAST finds.
#pragma once
#include "ppm.hpp"
#include <cstdint>

// 320 x 240 pixels. The same for the same frame; after 320 frames it begins again.
inline ColourPicture test_picture(std::uint32_t frame) {
    constexpr int WIDTH = 320, HEIGHT = 240, CELL = 40, SQUARE = 16;
    ColourPicture picture{WIDTH, HEIGHT, std::vector<std::uint8_t>(std::size_t{WIDTH} * HEIGHT * 3)};
    std::uint8_t *pixel = picture.pixels.data();
    for (int y = 0; y < HEIGHT; ++y) {
        for (int x = 0; x < WIDTH; ++x, pixel += 3) {
            const int moved = (x + static_cast<int>(frame % WIDTH)) % WIDTH;
            const bool is_square = moved % CELL < SQUARE && y % CELL < SQUARE;
            // Where neighbours are as good as one another none of them is a corner: there is a grain.
            const int grain = (moved * 31 + y * 17 + moved * y) % 16;
            const int grey = 240 - moved / CELL * 8 - y / CELL * 12 + grain;
            pixel[0] = static_cast<std::uint8_t>(is_square ? grey : x / 4 + grain);
            pixel[1] = static_cast<std::uint8_t>(is_square ? grey : y / 4 + grain);
            pixel[2] = static_cast<std::uint8_t>(is_square ? grey : (x + y) / 8 + grain);
        }
    }
    return picture;
}
