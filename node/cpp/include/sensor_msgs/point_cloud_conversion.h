// Clouds of the old form (PointCloud: points, and channels beside them) and of the new one (PointCloud2: fields of each point).
#pragma once
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <sensor_msgs/PointCloud.h>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/point_field_conversion.h>
#include <string>

namespace sensor_msgs {

// -1: there is none.
static inline int getPointCloud2FieldIndex(const PointCloud2 &cloud, const std::string &field_name)
{
    for (size_t at = 0; at < cloud.fields.size(); ++at) {
        if (cloud.fields[at].name == field_name) return static_cast<int>(at);
    }
    return -1;
}

// Fields x, y, z and one for each channel, FLOAT32 each. A channel with another number of values is left out of each point.
static inline bool convertPointCloudToPointCloud2(const PointCloud &input, PointCloud2 &output)
{
    output.header = input.header;
    output.height = 1;
    output.width = static_cast<uint32_t>(input.points.size());
    output.is_bigendian = false;
    output.is_dense = false;
    output.fields.resize(3 + input.channels.size());
    for (size_t at = 0; at < output.fields.size(); ++at) {
        PointField &field = output.fields[at];
        field.name = at < 3 ? std::string(1, "xyz"[at]) : input.channels[at - 3].name;
        field.offset = static_cast<uint32_t>(at * sizeof(float));
        field.datatype = PointField::FLOAT32;
        field.count = 1;
    }
    output.point_step = static_cast<uint32_t>(output.fields.size() * sizeof(float));
    output.row_step = output.point_step * output.width;
    output.data.assign(size_t{output.row_step}, 0);
    for (size_t point = 0; point < input.points.size(); ++point) {
        unsigned char *const at = output.data.data() + point * output.point_step;
        detail::write_field<float>(at, input.points[point].x);
        detail::write_field<float>(at + 4, input.points[point].y);
        detail::write_field<float>(at + 8, input.points[point].z);
        for (size_t channel = 0; channel < input.channels.size(); ++channel) {
            const auto &values = input.channels[channel].values;
            if (point < values.size()) detail::write_field<float>(at + 12 + 4 * channel, values[point]);
        }
    }
    return true;
}

// False if it has no x, y, z, or less data than its fields say.
static inline bool convertPointCloud2ToPointCloud(const PointCloud2 &input, PointCloud &output)
{
    const int x = getPointCloud2FieldIndex(input, "x"), y = getPointCloud2FieldIndex(input, "y"), z = getPointCloud2FieldIndex(input, "z");
    if (x < 0 || y < 0 || z < 0) {
        std::cerr << "convertPointCloud2ToPointCloud: the cloud has no x, y and z" << std::endl;
        return false;
    }
    const size_t count = size_t{input.width} * input.height;
    size_t point_bytes = 0;
    for (const PointField &field : input.fields) {
        static const uint8_t bytes[] = {8, 1, 1, 2, 2, 4, 4, 4, 8};
        const size_t end = size_t{field.offset} + bytes[field.datatype <= 8 ? field.datatype : 0];
        if (end > point_bytes) point_bytes = end;
    }
    if (point_bytes > input.point_step || input.data.size() < count * input.point_step) {
        std::cerr << "convertPointCloud2ToPointCloud: the cloud has less data than its fields say" << std::endl;
        return false;
    }
    output.header = input.header;
    output.points.resize(count);
    output.channels.clear();
    const auto value = [&](size_t point, int field) {
        const PointField &which = input.fields[static_cast<size_t>(field)];
        return readPointCloud2BufferValue<float>(input.data.data() + point * input.point_step + which.offset, which.datatype);
    };
    for (int field = 0; field < static_cast<int>(input.fields.size()); ++field) {
        if (field == x || field == y || field == z) continue;
        ChannelFloat32 channel;
        channel.name = input.fields[static_cast<size_t>(field)].name;
        for (size_t point = 0; point < count; ++point) channel.values.push_back(value(point, field));
        output.channels.push_back(channel);
    }
    for (size_t point = 0; point < count; ++point) {
        output.points[point].x = value(point, x);
        output.points[point].y = value(point, y);
        output.points[point].z = value(point, z);
    }
    return true;
}

} // namespace sensor_msgs
