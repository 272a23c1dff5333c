/*
 * The bytes of a picture on the wire: CDR, little endian.
 *
 *   0        4        8               8 + size
 *   | 0 1 0 0 | length | octets ...    |
 */
#include "picture_type.hpp"

#include <cstring>

#include "sample.h"

using eprosima::fastrtps::rtps::SerializedPayload_t;

namespace {
constexpr std::uint32_t HEAD_BYTES = 8;
constexpr unsigned char LITTLE_ENDIAN_CDR[4] = {0, 1, 0, 0};
} // namespace

PictureType::PictureType(std::uint32_t picture_size)
{
    setName("tokkyu::Picture");
    m_typeSize = HEAD_BYTES + picture_size;
    m_isGetKeyDefined = false;
}

bool PictureType::serialize(void *data, SerializedPayload_t *payload)
{
    const auto *picture = static_cast<const Picture *>(data);
    if (payload->max_size < HEAD_BYTES + picture->size)
        return false;
    std::memcpy(payload->data, LITTLE_ENDIAN_CDR, sizeof LITTLE_ENDIAN_CDR);
    put_u32(payload->data + 4, picture->size);
    std::memcpy(payload->data + HEAD_BYTES, picture->bytes, picture->size);
    payload->encapsulation = CDR_LE;
    payload->length = HEAD_BYTES + picture->size;
    return true;
}

bool PictureType::deserialize(SerializedPayload_t *payload, void *data)
{
    auto *picture = static_cast<Picture *>(data);
    if (payload->length < HEAD_BYTES || std::memcmp(payload->data, LITTLE_ENDIAN_CDR, sizeof LITTLE_ENDIAN_CDR) != 0)
        return false;
    const std::uint32_t size = get_u32(payload->data + 4);
    if (size > payload->length - HEAD_BYTES || size > m_typeSize - HEAD_BYTES)
        return false;
    std::memcpy(picture->bytes, payload->data + HEAD_BYTES, size);
    picture->size = size;
    return true;
}

std::function<std::uint32_t()> PictureType::getSerializedSizeProvider(void *data)
{
    const std::uint32_t size = HEAD_BYTES + static_cast<const Picture *>(data)->size;
    return [size] { return size; };
}
