// Corners as a picture: black, and each corner's pixel as bright as its score. Between the nodes fast and mask corners are
// pictures, as in the mROS paper: every ROS tool shows them, and they need no message type of their own.
#pragma once
#include "fast9.hpp"
#include "grey.hpp"
#include <cstddef>
#include <vector>

// A corner without a score is white. The canvas is as large as the picture that the corners are of.
void draw_features(const std::vector<Corner> &corners, const GreyCanvas &canvas);

std::size_t count_features(const GreyView &features);

// The picture at half its brightness, and on it a white square of 3 x 3 pixels at each feature. All three are of one size.
void mask_features(const GreyView &picture, const GreyView &features, const GreyCanvas &masked);
