// Names for Image::encoding, and what they say of a pixel.
#pragma once
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace sensor_msgs {
namespace image_encodings {

const std::string RGB8 = "rgb8";
const std::string RGBA8 = "rgba8";
const std::string RGB16 = "rgb16";
const std::string RGBA16 = "rgba16";
const std::string BGR8 = "bgr8";
const std::string BGRA8 = "bgra8";
const std::string BGR16 = "bgr16";
const std::string BGRA16 = "bgra16";
const std::string MONO8 = "mono8";
const std::string MONO16 = "mono16";

// Whatever the channels mean: bits, kind of number (U, S, F) and channels, as OpenCV names them.
const std::string TYPE_8UC1 = "8UC1";
const std::string TYPE_8UC2 = "8UC2";
const std::string TYPE_8UC3 = "8UC3";
const std::string TYPE_8UC4 = "8UC4";
const std::string TYPE_8SC1 = "8SC1";
const std::string TYPE_8SC2 = "8SC2";
const std::string TYPE_8SC3 = "8SC3";
const std::string TYPE_8SC4 = "8SC4";
const std::string TYPE_16UC1 = "16UC1";
const std::string TYPE_16UC2 = "16UC2";
const std::string TYPE_16UC3 = "16UC3";
const std::string TYPE_16UC4 = "16UC4";
const std::string TYPE_16SC1 = "16SC1";
const std::string TYPE_16SC2 = "16SC2";
const std::string TYPE_16SC3 = "16SC3";
const std::string TYPE_16SC4 = "16SC4";
const std::string TYPE_32SC1 = "32SC1";
const std::string TYPE_32SC2 = "32SC2";
const std::string TYPE_32SC3 = "32SC3";
const std::string TYPE_32SC4 = "32SC4";
const std::string TYPE_32FC1 = "32FC1";
const std::string TYPE_32FC2 = "32FC2";
const std::string TYPE_32FC3 = "32FC3";
const std::string TYPE_32FC4 = "32FC4";
const std::string TYPE_64FC1 = "64FC1";
const std::string TYPE_64FC2 = "64FC2";
const std::string TYPE_64FC3 = "64FC3";
const std::string TYPE_64FC4 = "64FC4";

// One color for each pixel, in squares of four.
const std::string BAYER_RGGB8 = "bayer_rggb8";
const std::string BAYER_BGGR8 = "bayer_bggr8";
const std::string BAYER_GBRG8 = "bayer_gbrg8";
const std::string BAYER_GRBG8 = "bayer_grbg8";
const std::string BAYER_RGGB16 = "bayer_rggb16";
const std::string BAYER_BGGR16 = "bayer_bggr16";
const std::string BAYER_GBRG16 = "bayer_gbrg16";
const std::string BAYER_GRBG16 = "bayer_grbg16";

// UYVY, 8 bits each: two channels.
const std::string YUV422 = "yuv422";

const std::string ABSTRACT_ENCODING_PREFIXES[] = {"8UC", "8SC", "16UC", "16SC", "32SC", "32FC", "64FC"};

namespace detail {

inline bool ends(const std::string &text, const std::string &with)
{
    return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}

// Bits and channels of what is named as OpenCV does: a kind and how many of it, or only the kind, which is one. False: it is not.
inline bool abstract(const std::string &encoding, int &bits, int &channels)
{
    for (const std::string &kind : ABSTRACT_ENCODING_PREFIXES) {
        if (encoding.compare(0, kind.size(), kind) != 0) continue;
        bits = std::atoi(kind.c_str());
        channels = encoding == kind ? 1 : std::atoi(encoding.c_str() + kind.size());
        return channels > 0;
    }
    return false;
}

[[noreturn]] inline void unknown(const std::string &encoding)
{
    throw std::runtime_error("Unknown encoding " + encoding);
}

} // namespace detail

static inline bool hasAlpha(const std::string &encoding)
{
    return encoding == RGBA8 || encoding == BGRA8 || encoding == RGBA16 || encoding == BGRA16;
}

static inline bool isColor(const std::string &encoding)
{
    return encoding == RGB8 || encoding == BGR8 || encoding == RGB16 || encoding == BGR16 || hasAlpha(encoding);
}

static inline bool isMono(const std::string &encoding) { return encoding == MONO8 || encoding == MONO16; }

static inline bool isBayer(const std::string &encoding)
{
    for (const std::string *const known : {&BAYER_RGGB8, &BAYER_BGGR8, &BAYER_GBRG8, &BAYER_GRBG8, &BAYER_RGGB16, &BAYER_BGGR16,
                                           &BAYER_GBRG16, &BAYER_GRBG16}) {
        if (encoding == *known) return true;
    }
    return false;
}

// Numbers of each pixel. Throws std::runtime_error if nobody knows.
static inline int numChannels(const std::string &encoding)
{
    if (isMono(encoding) || isBayer(encoding)) return 1;
    if (hasAlpha(encoding)) return 4;
    if (isColor(encoding)) return 3;
    if (encoding == YUV422) return 2;
    int bits = 0, channels = 0;
    if (!detail::abstract(encoding, bits, channels)) detail::unknown(encoding);
    return channels;
}

// Bits of each of these numbers. Throws std::runtime_error if nobody knows.
static inline int bitDepth(const std::string &encoding)
{
    if (isMono(encoding) || isBayer(encoding) || isColor(encoding)) return detail::ends(encoding, "16") ? 16 : 8;
    if (encoding == YUV422) return 8;
    int bits = 0, channels = 0;
    if (!detail::abstract(encoding, bits, channels)) detail::unknown(encoding);
    return bits;
}

} // namespace image_encodings
} // namespace sensor_msgs
