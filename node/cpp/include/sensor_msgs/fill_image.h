// Makes an image of pixels that lie somewhere.
#pragma once
#include <cstring>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/image_encodings.h>
#include <string>

namespace sensor_msgs {

// step: bytes of each row, padding too. data: rows_arg * step_arg bytes.
static inline bool fillImage(Image &image, const std::string &encoding_arg, uint32_t rows_arg, uint32_t cols_arg,
                             uint32_t step_arg, const void *data_arg)
{
    image.encoding = encoding_arg;
    image.height = rows_arg;
    image.width = cols_arg;
    image.step = step_arg;
    image.is_bigendian = 0;
    image.data.resize(size_t{step_arg} * rows_arg);
    if (!image.data.empty()) std::memcpy(image.data.data(), data_arg, image.data.size());
    return true;
}

// No pixels any more, whatever the fields say.
static inline void clearImage(Image &image) { image.data.clear(); }

} // namespace sensor_msgs
