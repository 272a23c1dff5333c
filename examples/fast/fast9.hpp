// FAST-9: corners of a grey picture. Rosten, Drummond: Machine learning for high-speed corner detection, ECCV 2006.
//
// Around a pixel lie 16 others on a circle of radius 3:
//
//          15  0  1
//       14           2          The pixel is a corner if nine or more of them in a row, around the circle, are all
//     13               3        brighter than it by more than the threshold, or all darker by more than the threshold.
//     12       p       4
//     11               5        Its score is the highest threshold with which it is still a corner.
//       10           6
//           9  8  7
//
// Corners, their order and their scores are those of OpenCV's cv::FAST with TYPE_9_16; tests compare.
#pragma once
#include "grey.hpp"
#include <array>
#include <cstdint>
#include <vector>

struct Corner {
    int x;
    int y;
    // 1 to 254; 0 without suppression, which alone needs scores.
    int score;
};

// Finds corners in one picture after the other. Time and memory are bounded by the picture's size, and memory is kept for
// the next picture: from the second one of a size on, only more corners than ever before take some.
class Fast9 {
public:
    // threshold: in grey levels; below 0 means 0, above 255 means 255, with which there are no corners.
    // nonmax_suppression: of corners side by side keep only one whose score is higher than those of its eight neighbours.
    Fast9(int threshold, bool nonmax_suppression);

    // Puts the picture's corners in place of what is in `corners`, row by row from the top, each from left to right.
    // There are none within 3 pixels of the edge.
    void detect(const GreyView &picture, std::vector<Corner> &corners);

private:
    // What is found in one row: where, and the score at each x, 0 where there is no corner.
    struct Row {
        std::vector<int> corners;
        std::vector<std::uint8_t> scores;

        void clear(int width);
    };

    void scan(const GreyView &picture, int y);
    void keep(int y, std::vector<Corner> &corners) const;
    bool is_peak(int x, int y) const;
    const Row &row(int y) const { return rows_[y % 3]; }

    bool nonmax_suppression_;
    // What a pixel on the circle is, by its difference from the centre + 255.
    std::array<std::uint8_t, 511> classes_;
    // The row that is scanned and the two above it: a peak is known when the row below is.
    std::array<Row, 3> rows_;
};
