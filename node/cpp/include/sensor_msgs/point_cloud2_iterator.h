// Points of a PointCloud2: what fields they have, how many there are, and a field of one after the other.
#pragma once
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/PointField.h>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace sensor_msgs {

class PointCloud2Modifier {
public:
    explicit PointCloud2Modifier(PointCloud2 &cloud_msg) : cloud_(cloud_msg) {}

    size_t size() const { return cloud_.point_step == 0 ? 0 : cloud_.data.size() / cloud_.point_step; }
    void reserve(size_t size) { cloud_.data.reserve(size * cloud_.point_step); }

    // So many points: in one row, or one column if the cloud is one.
    void resize(size_t size)
    {
        cloud_.data.resize(size * cloud_.point_step);
        const uint32_t count = static_cast<uint32_t>(size);
        if (cloud_.height != 1 && cloud_.width == 1) {
            cloud_.height = count;
            return;
        }
        cloud_.height = 1;
        cloud_.width = count;
        cloud_.row_step = count * cloud_.point_step;
    }
    void clear()
    {
        cloud_.data.clear();
        if (cloud_.height != 1 && cloud_.width == 1) {
            cloud_.height = 0;
            return;
        }
        if (cloud_.height != 1) cloud_.height = 0;
        cloud_.width = cloud_.row_step = 0;
    }

    // Of each field its name (const char *), how many numbers it has and their datatype (int): one behind the other.
    void setPointCloud2Fields(int n_fields, ...)
    {
        cloud_.fields.clear();
        uint32_t offset = 0;
        va_list given;
        va_start(given, n_fields);
        for (int at = 0; at < n_fields; ++at) {
            const char *const name = va_arg(given, const char *);
            const int count = va_arg(given, int);
            offset = add(name, count, va_arg(given, int), offset);
        }
        va_end(given);
        set_step(offset);
    }

    // Each "xyz", or "rgb", or "rgba" (const char *): 16 bytes each. Throws std::runtime_error at another.
    void setPointCloud2FieldsByString(int n_fields, ...)
    {
        cloud_.fields.clear();
        uint32_t offset = 0;
        std::string wrong;
        va_list given;
        va_start(given, n_fields);
        for (int at = 0; at < n_fields && wrong.empty(); ++at) {
            const std::string name = va_arg(given, const char *);
            uint32_t end = offset;
            if (name == "xyz") {
                for (const char *const axis : {"x", "y", "z"}) end = add(axis, 1, PointField::FLOAT32, end);
            } else if (name == "rgb" || name == "rgba") {
                add(name, 1, PointField::FLOAT32, offset);
            } else {
                wrong = "Field " + name + " does not exist";
            }
            offset += 4 * sizeof(float);
        }
        va_end(given);
        if (!wrong.empty()) throw std::runtime_error(wrong);
        set_step(offset);
    }

private:
    static uint32_t bytes_of(int datatype)
    {
        switch (datatype) {
        case PointField::INT8:
        case PointField::UINT8: return 1;
        case PointField::INT16:
        case PointField::UINT16: return 2;
        case PointField::INT32:
        case PointField::UINT32:
        case PointField::FLOAT32: return 4;
        case PointField::FLOAT64: return 8;
        }
        throw std::runtime_error("PointField of type " + std::to_string(datatype) + " does not exist");
    }

    // Where the next one begins.
    uint32_t add(const std::string &name, int count, int datatype, uint32_t offset)
    {
        PointField field;
        field.name = name;
        field.count = static_cast<uint32_t>(count);
        field.datatype = static_cast<uint8_t>(datatype);
        field.offset = offset;
        cloud_.fields.push_back(field);
        return offset + field.count * bytes_of(datatype);
    }

    void set_step(uint32_t bytes)
    {
        cloud_.point_step = bytes;
        cloud_.row_step = cloud_.width * bytes;
        cloud_.data.resize(size_t{cloud_.height} * cloud_.row_step);
    }

    PointCloud2 &cloud_;
};

namespace detail {

// Where a field is in a point. `r`, `g`, `b` and `a` are bytes of `rgb` or `rgba`, unless they are fields themselves.
inline uint32_t offset_of(const PointCloud2 &cloud, const std::string &name)
{
    for (const PointField &field : cloud.fields) {
        if (field.name == name) return field.offset;
    }
    const size_t at = name.size() == 1 ? std::string("bgra").find(name) : std::string::npos;
    for (const PointField &field : cloud.fields) {
        if (at == std::string::npos || (field.name != "rgb" && field.name != "rgba")) continue;
        return field.offset + static_cast<uint32_t>(cloud.is_bigendian ? 3 - at : at);
    }
    throw std::runtime_error("Field " + name + " does not exist");
}

// Valid while the cloud's data stay where they are.
template <typename T, typename Own> class PointIterator {
    typedef typename std::conditional<std::is_const<T>::value, const unsigned char, unsigned char>::type Byte;
    typedef typename std::conditional<std::is_const<T>::value, const PointCloud2, PointCloud2>::type Cloud;

public:
    PointIterator() = default;
    // Throws std::runtime_error if there is no such field.
    PointIterator(Cloud &cloud, const std::string &field_name) : step_(cloud.point_step)
    {
        const uint32_t offset = offset_of(cloud, field_name);
        if (cloud.data.empty()) return;
        at_ = cloud.data.data() + offset;
        end_ = cloud.data.data() + cloud.data.size() / step_ * step_ + offset;
    }

    T &operator*() const { return *reinterpret_cast<T *>(at_); }
    // The numbers that lie there: [1] and [2] of a field `x` are `y` and `z` if they follow.
    T &operator[](size_t i) const { return reinterpret_cast<T *>(at_)[i]; }

    Own &operator++() { return own() += 1; }
    Own operator++(int)
    {
        const Own before = own();
        ++*this;
        return before;
    }
    Own &operator+=(int points)
    {
        at_ += static_cast<ptrdiff_t>(points) * step_;
        return own();
    }
    Own operator+(int points) const
    {
        Own moved = static_cast<const Own &>(*this);
        moved += points;
        return moved;
    }
    bool operator==(const Own &other) const { return at_ == other.at_; }
    bool operator!=(const Own &other) const { return at_ != other.at_; }

    // Behind the last point.
    Own end() const
    {
        Own last = static_cast<const Own &>(*this);
        last.at_ = end_;
        return last;
    }

private:
    Own &own() { return static_cast<Own &>(*this); }

    uint32_t step_ = 0;
    Byte *at_ = nullptr, *end_ = nullptr;
};

} // namespace detail

template <typename T> class PointCloud2Iterator : public detail::PointIterator<T, PointCloud2Iterator<T>> {
public:
    using detail::PointIterator<T, PointCloud2Iterator<T>>::PointIterator;
};

template <typename T> class PointCloud2ConstIterator : public detail::PointIterator<const T, PointCloud2ConstIterator<T>> {
public:
    using detail::PointIterator<const T, PointCloud2ConstIterator<T>>::PointIterator;
};

} // namespace sensor_msgs
