// What the chain is to print and save, from the detector alone, without ROS:
// expected FOLDER FRAMES THRESHOLD SUPPRESSION [SAVE]
//
//   expected pictures/camera 12 20 1          frames 0 to 11 of a camera that goes round in this folder
//   expected pictures/camera 12 20 1 saved    and the masked pictures into the folder saved
//   expected '' 12 20 1                       of a camera without a folder
#include "checksum.hpp"
#include "features.hpp"
#include "ppm.hpp"
#include "test_picture.hpp"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace {
struct Grey {
    explicit Grey(const ColourPicture &like) : width(like.width), height(like.height), pixels(like.pixels.size() / 3) {}
    GreyCanvas canvas() { return {pixels.data(), width, height, width}; }

    int width, height;
    std::vector<std::uint8_t> pixels;
};

Grey grey_of(const ColourPicture &picture) {
    Grey grey(picture);
    const std::uint8_t *colour = picture.pixels.data();
    for (std::uint8_t &pixel : grey.pixels) {
        pixel = luma(colour[0], colour[1], colour[2]);
        colour += 3;
    }
    return grey;
}

void expect_frame(int frame, const ColourPicture &picture, Fast9 &detector, const char *save) {
    Grey grey = grey_of(picture), features(picture), masked(picture);
    std::vector<Corner> corners;
    detector.detect(grey.canvas().view(), corners);
    draw_features(corners, features.canvas());
    mask_features(grey.canvas().view(), features.canvas().view(), masked.canvas());
    std::printf("frame %d corners %zu checksum %016" PRIx64 "\n", frame, corners.size(),
                fnv1a(masked.canvas().view(), fnv1a(features.canvas().view())));
    if (save != nullptr) write_pgm(std::string(save) + "/frame-" + std::to_string(frame) + ".pgm", masked.canvas().view());
}
} // namespace

int main(int argc, char **argv) {
    if (argc != 5 && argc != 6) {
        std::fprintf(stderr, "usage: expected FOLDER FRAMES THRESHOLD SUPPRESSION(0|1) [SAVE]\n");
        return 2;
    }
    try {
        std::vector<ColourPicture> pictures;
        if (argv[1][0] != '\0') pictures = read_ppm_folder(argv[1]);
        Fast9 detector(std::atoi(argv[3]), std::atoi(argv[4]) != 0);
        for (int frame = 0; frame < std::atoi(argv[2]); ++frame) {
            const ColourPicture picture = pictures.empty() ? test_picture(frame) : pictures[frame % pictures.size()];
            expect_frame(frame, picture, detector, argv[5]);
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "expected: %s\n", error.what());
        return 1;
    }
    return 0;
}
