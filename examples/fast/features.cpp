#include "features.hpp"
#include <algorithm>

namespace {
constexpr std::uint8_t BLACK = 0, WHITE = 255;

void draw_square(int x, int y, const GreyCanvas &canvas) {
    const int left = std::max(x - 1, 0), right = std::min(x + 1, canvas.width - 1);
    const int top = std::max(y - 1, 0), bottom = std::min(y + 1, canvas.height - 1);
    for (int row = top; row <= bottom; ++row) std::fill(canvas.row(row) + left, canvas.row(row) + right + 1, WHITE);
}
} // namespace

void draw_features(const std::vector<Corner> &corners, const GreyCanvas &canvas) {
    for (int y = 0; y < canvas.height; ++y) std::fill_n(canvas.row(y), canvas.width, BLACK);
    for (const Corner &corner : corners) {
        canvas.row(corner.y)[corner.x] = corner.score > 0 ? static_cast<std::uint8_t>(corner.score) : WHITE;
    }
}

std::size_t count_features(const GreyView &features) {
    std::ptrdiff_t black = 0;
    for (int y = 0; y < features.height; ++y) {
        black += std::count(features.row(y), features.row(y) + features.width, BLACK);
    }
    return static_cast<std::size_t>(features.width) * features.height - black;
}

void mask_features(const GreyView &picture, const GreyView &features, const GreyCanvas &masked) {
    for (int y = 0; y < masked.height; ++y) {
        std::transform(picture.row(y), picture.row(y) + masked.width, masked.row(y), [](int grey) { return grey / 2; });
    }
    for (int y = 0; y < masked.height; ++y) {
        for (int x = 0; x < masked.width; ++x) {
            if (features.row(y)[x] != BLACK) draw_square(x, y, masked);
        }
    }
}
