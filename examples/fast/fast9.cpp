// Most pixels are no corners: two looks at opposite pixels of the circle turn nearly all of them away.
#include "fast9.hpp"
#include <algorithm>

namespace {
constexpr int RADIUS = 3;
constexpr int CIRCLE = 16;
constexpr int ARC = 9;

// Classes of pixels. They are bits: a look at several pixels ors and ands them.
constexpr std::uint8_t SIMILAR = 0, DARKER = 1, BRIGHTER = 2;

// Distances from the centre to the pixels of the circle, in bytes.
using Circle = std::array<std::ptrdiff_t, CIRCLE>;

Circle circle_of(std::ptrdiff_t stride_bytes) {
    constexpr int X[CIRCLE] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
    constexpr int Y[CIRCLE] = {-3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3};
    Circle circle;
    for (int k = 0; k < CIRCLE; ++k) circle[k] = Y[k] * stride_bytes + X[k];
    return circle;
}

// Classes that a corner here could have. Of each two opposite pixels, an arc of nine has one.
std::uint8_t possible(const std::uint8_t *centre, const Circle &circle, const std::uint8_t *classes) {
    const auto either = [&](int k) { return classes[centre[circle[k]]] | classes[centre[circle[k + CIRCLE / 2]]]; };
    int found = either(0) & either(4);
    if (found != SIMILAR) found &= either(2) & either(6);
    return static_cast<std::uint8_t>(found);
}

// True if ARC bits in a row are set, around the end of 16. After each step a bit says that 2, 4, 8, 9 from there on are.
bool has_arc(std::uint32_t bits) {
    static_assert(ARC == 9 && CIRCLE == 16);
    const std::uint32_t twice = bits | bits << CIRCLE;
    std::uint32_t runs = twice & twice >> 1;
    runs &= runs >> 2;
    runs &= runs >> 4;
    return (runs & twice >> 8 & 0xffff) != 0;
}

// DARKER or BRIGHTER for a corner, else SIMILAR. Two arcs of nine have no room on the circle, so it is not both.
std::uint8_t class_of(const std::uint8_t *centre, const Circle &circle, const std::uint8_t *classes) {
    if (possible(centre, circle, classes) == SIMILAR) return SIMILAR;
    std::uint32_t darker = 0, brighter = 0;
    for (int k = 0; k < CIRCLE; ++k) {
        const std::uint32_t found = classes[centre[circle[k]]];
        darker |= (found & DARKER) << k;
        brighter |= (found >> 1) << k;
    }
    if (has_arc(darker)) return DARKER;
    return has_arc(brighter) ? BRIGHTER : SIMILAR;
}

// One less than the largest difference that a whole arc has.
int score_of(const std::uint8_t *centre, const Circle &circle, std::uint8_t found) {
    const int sign = found == BRIGHTER ? 1 : -1;
    std::array<int, CIRCLE + ARC - 1> difference;
    for (int k = 0; k < CIRCLE; ++k) difference[k] = sign * (centre[circle[k]] - *centre);
    std::copy_n(difference.begin(), ARC - 1, difference.begin() + CIRCLE);

    // least[k] becomes the least of 2, 4, then 8 differences from k on. What stands to the right is of the step before.
    std::array<int, CIRCLE + ARC - 1> least = difference;
    for (int k = 0; k < CIRCLE + 6; ++k) least[k] = std::min(least[k], least[k + 1]);
    for (int k = 0; k < CIRCLE + 4; ++k) least[k] = std::min(least[k], least[k + 2]);
    for (int k = 0; k < CIRCLE; ++k) least[k] = std::min(least[k], least[k + 4]);
    int best = 0;
    for (int k = 0; k < CIRCLE; ++k) best = std::max(best, std::min(least[k], difference[k + ARC - 1]));
    return best - 1;
}
} // namespace

void Fast9::Row::clear(int width) {
    corners.clear();
    scores.assign(static_cast<std::size_t>(width), 0);
}

Fast9::Fast9(int threshold, bool nonmax_suppression) : nonmax_suppression_(nonmax_suppression) {
    threshold = std::clamp(threshold, 0, 255);
    for (int difference = -255; difference <= 255; ++difference) {
        const auto outside = difference < 0 ? DARKER : BRIGHTER;
        classes_[difference + 255] = std::abs(difference) > threshold ? outside : SIMILAR;
    }
}

void Fast9::detect(const GreyView &picture, std::vector<Corner> &corners) {
    corners.clear();
    if (picture.width <= 2 * RADIUS || picture.height <= 2 * RADIUS) return;
    for (Row &row : rows_) row.clear(picture.width);
    const int end = picture.height - RADIUS;
    for (int y = RADIUS; y < end; ++y) {
        scan(picture, y);
        keep(y - 1, corners);
    }
    rows_[end % 3].clear(picture.width);
    keep(end - 1, corners);
}

void Fast9::scan(const GreyView &picture, int y) {
    Row &found = rows_[y % 3];
    found.clear(picture.width);
    const Circle circle = circle_of(picture.stride_bytes);
    const std::uint8_t *pixels = picture.row(y);
    for (int x = RADIUS; x < picture.width - RADIUS; ++x) {
        const std::uint8_t *centre = pixels + x;
        // So that a pixel's grey is the index of its class.
        const std::uint8_t *classes = classes_.data() + 255 - *centre;
        const std::uint8_t corner = class_of(centre, circle, classes);
        if (corner == SIMILAR) continue;
        found.corners.push_back(x);
        if (nonmax_suppression_) found.scores[x] = static_cast<std::uint8_t>(score_of(centre, circle, corner));
    }
}

void Fast9::keep(int y, std::vector<Corner> &corners) const {
    for (int x : row(y).corners) {
        if (!nonmax_suppression_ || is_peak(x, y)) corners.push_back({x, y, row(y).scores[x]});
    }
}

// With threshold 0 a corner's score may be 0: such a one is no peak even alone, as in OpenCV.
bool Fast9::is_peak(int x, int y) const {
    const int score = row(y).scores[x];
    for (int beside = x - 1; beside <= x + 1; ++beside) {
        if (row(y - 1).scores[beside] >= score || row(y + 1).scores[beside] >= score) return false;
    }
    return row(y).scores[x - 1] < score && row(y).scores[x + 1] < score;
}
