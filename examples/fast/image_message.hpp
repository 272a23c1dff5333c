// sensor_msgs/Image as rows of pixels. A message comes from another process: whether it holds what it says is looked at
// before anybody reads its pixels.
#pragma once
#include "grey.hpp"
#include <boost/make_shared.hpp>
#include <cstdint>
#include <sensor_msgs/Image.h>
#include <std_msgs/Header.h>
#include <string>

// A message with room for its pixels, all 0. It is published as a pointer: subscribers in this process get this message, and
// not a copy. Nobody may write to it after that.
inline sensor_msgs::ImagePtr make_image(const std_msgs::Header &header, const std::string &encoding, int bytes_per_pixel,
                                        int width, int height) {
    const auto image = boost::make_shared<sensor_msgs::Image>();
    image->header = header;
    image->encoding = encoding;
    image->width = static_cast<std::uint32_t>(width);
    image->height = static_cast<std::uint32_t>(height);
    image->step = static_cast<std::uint32_t>(width * bytes_per_pixel);
    image->data.resize(static_cast<std::size_t>(image->step) * image->height);
    return image;
}

// True if all its rows are there. Sides are at most 16384 pixels, so that sizes fit in an int.
inline bool is_whole(const sensor_msgs::Image &image, unsigned bytes_per_pixel) {
    constexpr std::uint32_t MAX_SIDE = 1 << 14;
    return image.width <= MAX_SIDE && image.height <= MAX_SIDE && image.step >= image.width * bytes_per_pixel &&
           image.data.size() >= static_cast<std::uint64_t>(image.step) * image.height;
}

inline bool is_grey(const sensor_msgs::Image &image) { return image.encoding == "mono8" && is_whole(image, 1); }

// Of a message that is_grey.
inline GreyView view_of(const sensor_msgs::Image &image) {
    return {image.data.data(), static_cast<int>(image.width), static_cast<int>(image.height),
            static_cast<std::ptrdiff_t>(image.step)};
}

inline GreyCanvas canvas_of(sensor_msgs::Image &image) {
    return {image.data.data(), static_cast<int>(image.width), static_cast<int>(image.height),
            static_cast<std::ptrdiff_t>(image.step)};
}
