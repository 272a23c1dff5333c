// Numbers in the bytes of a PointCloud2, whatever type its PointField says.
#pragma once
#include <cstdint>
#include <cstring>
#include <sensor_msgs/PointField.h>

namespace sensor_msgs {

// The type of a PointField's datatype, and back.
template <int point_field_type> struct pointFieldTypeAsType {};
template <typename T> struct typeAsPointFieldType {};

namespace detail {
template <int datatype> struct Datatype {
    static const uint8_t value = datatype;
};
} // namespace detail

template <> struct pointFieldTypeAsType<PointField::INT8> { typedef int8_t type; };
template <> struct pointFieldTypeAsType<PointField::UINT8> { typedef uint8_t type; };
template <> struct pointFieldTypeAsType<PointField::INT16> { typedef int16_t type; };
template <> struct pointFieldTypeAsType<PointField::UINT16> { typedef uint16_t type; };
template <> struct pointFieldTypeAsType<PointField::INT32> { typedef int32_t type; };
template <> struct pointFieldTypeAsType<PointField::UINT32> { typedef uint32_t type; };
template <> struct pointFieldTypeAsType<PointField::FLOAT32> { typedef float type; };
template <> struct pointFieldTypeAsType<PointField::FLOAT64> { typedef double type; };
template <> struct typeAsPointFieldType<int8_t> : detail::Datatype<PointField::INT8> {};
template <> struct typeAsPointFieldType<uint8_t> : detail::Datatype<PointField::UINT8> {};
template <> struct typeAsPointFieldType<int16_t> : detail::Datatype<PointField::INT16> {};
template <> struct typeAsPointFieldType<uint16_t> : detail::Datatype<PointField::UINT16> {};
template <> struct typeAsPointFieldType<int32_t> : detail::Datatype<PointField::INT32> {};
template <> struct typeAsPointFieldType<uint32_t> : detail::Datatype<PointField::UINT32> {};
template <> struct typeAsPointFieldType<float> : detail::Datatype<PointField::FLOAT32> {};
template <> struct typeAsPointFieldType<double> : detail::Datatype<PointField::FLOAT64> {};

namespace detail {

// Fields need not be aligned.
template <typename Stored, typename T> T read_field(const unsigned char *data)
{
    Stored stored;
    std::memcpy(&stored, data, sizeof stored);
    return static_cast<T>(stored);
}
template <typename Stored, typename T> void write_field(unsigned char *data, T value)
{
    const Stored stored = static_cast<Stored>(value);
    std::memcpy(data, &stored, sizeof stored);
}

} // namespace detail

template <int point_field_type, typename T> inline T readPointCloud2BufferValue(const unsigned char *data_ptr)
{
    return detail::read_field<typename pointFieldTypeAsType<point_field_type>::type, T>(data_ptr);
}

// Of a datatype that is none: 0.
template <typename T> inline T readPointCloud2BufferValue(const unsigned char *data_ptr, const unsigned char datatype)
{
    switch (datatype) {
    case PointField::INT8: return detail::read_field<int8_t, T>(data_ptr);
    case PointField::UINT8: return detail::read_field<uint8_t, T>(data_ptr);
    case PointField::INT16: return detail::read_field<int16_t, T>(data_ptr);
    case PointField::UINT16: return detail::read_field<uint16_t, T>(data_ptr);
    case PointField::INT32: return detail::read_field<int32_t, T>(data_ptr);
    case PointField::UINT32: return detail::read_field<uint32_t, T>(data_ptr);
    case PointField::FLOAT32: return detail::read_field<float, T>(data_ptr);
    case PointField::FLOAT64: return detail::read_field<double, T>(data_ptr);
    }
    return T();
}

template <int point_field_type, typename T> inline void writePointCloud2BufferValue(unsigned char *data_ptr, T value)
{
    detail::write_field<typename pointFieldTypeAsType<point_field_type>::type>(data_ptr, value);
}

// Of a datatype that is none nothing is written.
template <typename T>
inline void writePointCloud2BufferValue(unsigned char *data_ptr, const unsigned char datatype, T value)
{
    switch (datatype) {
    case PointField::INT8: return detail::write_field<int8_t>(data_ptr, value);
    case PointField::UINT8: return detail::write_field<uint8_t>(data_ptr, value);
    case PointField::INT16: return detail::write_field<int16_t>(data_ptr, value);
    case PointField::UINT16: return detail::write_field<uint16_t>(data_ptr, value);
    case PointField::INT32: return detail::write_field<int32_t>(data_ptr, value);
    case PointField::UINT32: return detail::write_field<uint32_t>(data_ptr, value);
    case PointField::FLOAT32: return detail::write_field<float>(data_ptr, value);
    case PointField::FLOAT64: return detail::write_field<double>(data_ptr, value);
    }
}

} // namespace sensor_msgs
