// The detector against OpenCV's, corner by corner: fast9_test SEED PPM...
//
// Same points, same order, same scores, with and without suppression: on photographs, on circles where every arc is known,
// and on pictures of chance that are small, wide, flat, steep, or have something between their rows.
#include "checks.hpp"
#include "fast9.hpp"
#include "ppm.hpp"
#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <random>

namespace {
// Beyond 0 to 255 OpenCV's answer depends on the processor: its vector code takes the threshold's low 8 bits.
const int THRESHOLDS[] = {0, 1, 2, 5, 10, 20, 40, 80, 127, 128, 200, 253, 254, 255};

// Ends where its last pixel does, so that a sanitizer sees who reads on.
struct Picture {
    Picture(int width, int height, int gap_bytes)
        : width(width), height(height), stride_bytes(width + gap_bytes),
          pixels(static_cast<std::size_t>(stride_bytes) * (height - 1) + width) {}
    GreyView view() const { return {pixels.data(), width, height, stride_bytes}; }
    std::uint8_t &at(int x, int y) { return pixels[static_cast<std::size_t>(y) * stride_bytes + x]; }

    int width, height, stride_bytes;
    std::vector<std::uint8_t> pixels;
};

std::vector<Corner> opencv(const Picture &picture, int threshold, bool suppression) {
    // Mat is not const, FAST only reads.
    const cv::Mat mat(picture.height, picture.width, CV_8UC1, const_cast<std::uint8_t *>(picture.pixels.data()),
                      static_cast<std::size_t>(picture.stride_bytes));
    std::vector<cv::KeyPoint> points;
    cv::FAST(mat, points, threshold, suppression, cv::FastFeatureDetector::TYPE_9_16);
    std::vector<Corner> corners;
    for (const cv::KeyPoint &point : points) {
        corners.push_back({static_cast<int>(point.pt.x), static_cast<int>(point.pt.y), static_cast<int>(point.response)});
    }
    return corners;
}

std::string text(const Corner &corner) {
    return std::to_string(corner.x) + "," + std::to_string(corner.y) + " score " + std::to_string(corner.score);
}

// Where two lists part; nothing if they are the same.
std::string difference(const std::vector<Corner> &ours, const std::vector<Corner> &theirs) {
    for (std::size_t at = 0; at < std::max(ours.size(), theirs.size()); ++at) {
        const std::string our = at < ours.size() ? text(ours[at]) : "none";
        const std::string their = at < theirs.size() ? text(theirs[at]) : "none";
        if (our != their) return "corner " + std::to_string(at) + " is " + our + ", expected " + their;
    }
    return "";
}

// Returns how many corners there are.
std::size_t compare(const Picture &picture, int threshold, bool suppression, const std::string &what) {
    std::vector<Corner> ours = {{1, 1, 1}};
    Fast9(threshold, suppression).detect(picture.view(), ours);
    const std::string parts = difference(ours, opencv(picture, threshold, suppression));
    check(parts.empty(), what + ", " + std::to_string(picture.width) + " x " + std::to_string(picture.height) + " + " +
                             std::to_string(picture.stride_bytes - picture.width) + ", threshold " +
                             std::to_string(threshold) + (suppression ? ", suppression: " : ": ") + parts);
    return ours.size();
}

std::size_t compare_both(const Picture &picture, int threshold, const std::string &what) {
    return compare(picture, threshold, false, what) + compare(picture, threshold, true, what);
}

void photographs_have_the_same_corners(const std::string &path) {
    const ColourPicture colour = read_ppm(path);
    Picture picture(colour.width, colour.height, 0);
    for (std::size_t at = 0; at < picture.pixels.size(); ++at) {
        const std::uint8_t *pixel = colour.pixels.data() + 3 * at;
        picture.pixels[at] = luma(pixel[0], pixel[1], pixel[2]);
    }
    for (int threshold : THRESHOLDS) {
        const std::size_t corners = compare_both(picture, threshold, path);
        check(threshold > 40 || corners > 100, path + " has corners at threshold " + std::to_string(threshold));
    }
}

// Nine are enough and eight are not, wherever they begin, and the score is the difference less one.
void arcs_of_nine_are_corners() {
    constexpr int X[] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
    for (int round = 0; round < 16 * 17 * 2; ++round) {
        const int begin = round % 16, length = round / 16 % 17, grey = round < 16 * 17 ? 131 : 69;
        Picture picture(7, 7, 0);
        picture.pixels.assign(picture.pixels.size(), 100);
        for (int k = begin; k < begin + length; ++k) picture.at(3 + X[k % 16], 3 - X[(k + 4) % 16]) = grey;
        std::vector<Corner> corners;
        Fast9(30, true).detect(picture.view(), corners);
        const bool found = corners.size() == 1 && text(corners[0]) == text({3, 3, 30});
        check(length >= 9 ? found : corners.empty(),
              "an arc of " + std::to_string(length) + " from " + std::to_string(begin) + ", grey " + std::to_string(grey));
        compare_both(picture, 30, "an arc");
        compare_both(picture, 31, "an arc");
    }
}

// Greys of few levels are often equal; corners beside each other then have equal scores.
void fill_with_noise(Picture &picture, std::mt19937 &chance, int levels) {
    const int step = 255 / (levels - 1);
    for (std::uint8_t &pixel : picture.pixels) pixel = static_cast<std::uint8_t>(chance() % levels * step);
}

void fill_with_boxes(Picture &picture, std::mt19937 &chance) {
    for (int box = 0; box < 12; ++box) {
        const int left = chance() % picture.width, top = chance() % picture.height, grey = chance() % 256;
        const int right = std::min<int>(picture.width, left + 1 + chance() % 20);
        const int bottom = std::min<int>(picture.height, top + 1 + chance() % 20);
        for (int y = top; y < bottom; ++y) std::fill(&picture.at(left, y), &picture.at(right - 1, y) + 1, grey);
    }
}

void fill_with_slopes(Picture &picture, std::mt19937 &chance) {
    const int across = chance() % 9, down = chance() % 9;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x) {
            picture.at(x, y) = static_cast<std::uint8_t>(x * across + y * down + chance() % 3);
        }
    }
}

void fill(Picture &picture, std::mt19937 &chance) {
    switch (chance() % 6) {
    case 0: return fill_with_noise(picture, chance, 256);
    case 1: return fill_with_noise(picture, chance, 2);
    case 2: return fill_with_noise(picture, chance, 4);
    case 3: return fill_with_slopes(picture, chance);
    default: fill_with_noise(picture, chance, 256); return fill_with_boxes(picture, chance);
    }
}

void pictures_of_chance_have_the_same_corners(std::mt19937 &chance) {
    std::size_t corners = 0;
    for (int round = 0; round < 6000; ++round) {
        const int width = 1 + chance() % (round % 8 == 0 ? 200 : 40), gap_bytes = chance() % 3 == 0 ? chance() % 20 : 0;
        Picture picture(width, 1 + chance() % 40, gap_bytes);
        fill(picture, chance);
        corners += compare_both(picture, THRESHOLDS[chance() % std::size(THRESHOLDS)], "picture " + std::to_string(round));
    }
    check(corners > 100'000, "pictures of chance have many corners: " + std::to_string(corners));
}

void small_pictures_have_none(std::mt19937 &chance) {
    for (int width = 1; width < 12; ++width) {
        for (int height = 1; height < 12; ++height) {
            Picture picture(width, height, width % 3);
            fill_with_noise(picture, chance, 2);
            const std::size_t corners = compare_both(picture, 0, "a small picture");
            check(corners == 0 || (width >= 7 && height >= 7), "no corners in less than 7 pixels");
        }
    }
}

void thresholds_beyond_the_greys_are_the_last_ones(std::mt19937 &chance) {
    Picture picture(60, 60, 0);
    fill_with_noise(picture, chance, 2);
    for (const auto &[beyond, last] : {std::pair(-1, 0), {-1000, 0}, {256, 255}, {1000, 255}}) {
        std::vector<Corner> ours, expected;
        Fast9(beyond, true).detect(picture.view(), ours);
        Fast9(last, true).detect(picture.view(), expected);
        check(difference(ours, expected).empty(), "threshold " + std::to_string(beyond) + " means " + std::to_string(last));
        check(expected.empty() == (last == 255), "corners of black and white with threshold " + std::to_string(last));
    }
}

void one_detector_sees_many_sizes(std::mt19937 &chance) {
    Fast9 detector(10, true);
    std::vector<Corner> corners;
    for (int round = 0; round < 200; ++round) {
        Picture picture(1 + chance() % 60, 1 + chance() % 20, 0);
        fill_with_noise(picture, chance, 256);
        detector.detect(picture.view(), corners);
        const std::string parts = difference(corners, opencv(picture, 10, true));
        check(parts.empty(), "one detector, picture " + std::to_string(round) + ": " + parts);
    }
}
} // namespace

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: fast9_test SEED PPM...\n");
        return 2;
    }
    std::mt19937 chance(static_cast<unsigned>(std::atol(argv[1])));
    arcs_of_nine_are_corners();
    small_pictures_have_none(chance);
    thresholds_beyond_the_greys_are_the_last_ones(chance);
    one_detector_sees_many_sizes(chance);
    pictures_of_chance_have_the_same_corners(chance);
    for (int at = 2; at < argc; ++at) photographs_have_the_same_corners(argv[at]);
    return outcome("fast9_test");
}
