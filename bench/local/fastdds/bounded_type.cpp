// CDR of an array of octets: four bytes that name the encoding, and the octets. See bounded_type.hpp.
#include "bounded_type.hpp"

#include <cstring>

using eprosima::fastrtps::rtps::SerializedPayload_t;

namespace local {
namespace {
constexpr std::uint32_t HEAD_BYTES = SerializedPayload_t::representation_header_size;
constexpr std::uint8_t LITTLE_ENDIAN_CDR[HEAD_BYTES] = {0, 1, 0, 0};
} // namespace

BoundedType::BoundedType(std::uint32_t bytes) : bytes_(bytes)
{
    setName("tokkyu_local::Sample");
    m_typeSize = HEAD_BYTES + bytes;
    m_isGetKeyDefined = false;
    auto_fill_type_object(false);
    auto_fill_type_information(false);
}

bool BoundedType::serialize(void *sample, SerializedPayload_t *payload)
{
    if (payload->max_size < m_typeSize)
        return false;
    std::memcpy(payload->data, LITTLE_ENDIAN_CDR, HEAD_BYTES);
    std::memcpy(payload->data + HEAD_BYTES, sample, bytes_);
    payload->encapsulation = CDR_LE;
    payload->length = m_typeSize;
    return true;
}

bool BoundedType::deserialize(SerializedPayload_t *payload, void *sample)
{
    if (payload->length != m_typeSize)
        return false;
    std::memcpy(sample, payload->data + HEAD_BYTES, bytes_);
    return true;
}

std::function<std::uint32_t()> BoundedType::getSerializedSizeProvider(void *)
{
    return [size = m_typeSize] { return size; };
}

void *BoundedType::createData()
{
    return new std::uint8_t[bytes_];
}

void BoundedType::deleteData(void *sample)
{
    delete[] static_cast<std::uint8_t *>(sample);
}

} // namespace local
