// The headers of sensor_msgs that are written by hand.
#include "check.h"
#include <cstdio>
#include <sensor_msgs/distortion_models.h>
#include <sensor_msgs/fill_image.h>
#include <sensor_msgs/image_encodings.h>
#include <sensor_msgs/point_cloud2_iterator.h>
#include <sensor_msgs/point_cloud_conversion.h>
#include <sensor_msgs/point_field_conversion.h>

using check::show;
using namespace sensor_msgs;

namespace {

void encodings()
{
    using namespace image_encodings;
    std::vector<std::string> all = {RGB8, RGBA8, RGB16, RGBA16, BGR8, BGRA8, BGR16, BGRA16, MONO8, MONO16, YUV422, BAYER_RGGB8, BAYER_BGGR8,
                                    BAYER_GBRG8, BAYER_GRBG8, BAYER_RGGB16, BAYER_BGGR16, BAYER_GBRG16, BAYER_GRBG16, TYPE_8UC1, TYPE_8SC4,
                                    TYPE_64FC2, "8UC", "8U", "32F", "8UC12", "16SC0", "8FC1", "64UC1", "9UC1", "8UCx", "8UC1x", "x8UC1", "8", "",
                                    "C1", "jpeg", "rgb", "RGB8", "bayer", "mono", "bayer_xxxx8", "8UC99", "8UC123", "8UC 2"};
    for (const std::string &prefix : ABSTRACT_ENCODING_PREFIXES) {
        for (const char channels : {'1', '2', '3', '4'}) all.push_back(prefix + channels);
    }
    for (const std::string &one : all) {
        std::cout << one << ": " << isColor(one) << isMono(one) << isBayer(one) << hasAlpha(one) << std::endl;
        check::attempt<std::runtime_error>("  channels", [&] { return numChannels(one); });
        check::attempt<std::runtime_error>("  bits", [&] { return bitDepth(one); });
    }
    show("models", std::vector<std::string>{distortion_models::PLUMB_BOB, distortion_models::RATIONAL_POLYNOMIAL, distortion_models::EQUIDISTANT});
}

void images()
{
    Image image;
    const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
    show("filled", fillImage(image, "mono8", 2, 3, 4, bytes));
    std::cout << image << std::endl;
    clearImage(image);
    std::cout << image << std::endl;
}

void show_form(const char *label, const PointCloud2 &cloud)
{
    std::cout << label << ": " << cloud.width << 'x' << cloud.height << " step " << cloud.point_step << " row " << cloud.row_step << " bytes "
              << cloud.data.size();
    for (const auto &field : cloud.fields) {
        std::cout << ' ' << field.name << '@' << field.offset << ':' << int(field.datatype) << 'x' << field.count;
    }
    std::cout << std::endl;
}

void sizes(PointCloud2 cloud, uint32_t width, uint32_t height)
{
    PointCloud2Modifier modifier(cloud);
    cloud.width = width;
    cloud.height = height;
    modifier.setPointCloud2FieldsByString(1, "xyz");
    show_form("fields are set", cloud);
    modifier.resize(6);
    show_form("resized", cloud);
    show("size", modifier.size());
    modifier.reserve(20);
    modifier.clear();
    show_form("cleared", cloud);
}

void fields()
{
    PointCloud2 cloud;
    for (const auto &size : std::vector<std::pair<uint32_t, uint32_t>>{{0, 0}, {4, 1}, {1, 4}, {2, 3}, {1, 1}}) sizes(cloud, size.first, size.second);
    PointCloud2Modifier modifier(cloud);
    cloud.width = 3;
    cloud.height = 1;
    modifier.setPointCloud2Fields(4, "x", 1, PointField::FLOAT32, "t", 1, PointField::FLOAT64, "k", 3, PointField::UINT16, "b", 1, PointField::INT8);
    show_form("by hand", cloud);
    modifier.setPointCloud2FieldsByString(3, "xyz", "rgba", "rgb");
    show_form("by names", cloud);
    check::attempt<std::runtime_error>("no such name", [&] {
        modifier.setPointCloud2FieldsByString(2, "xyz", "uvw");
        return 0;
    });
}

template <typename Iterator> void walk(const char *label, Iterator iterator)
{
    std::cout << label << ':';
    for (; iterator != iterator.end(); ++iterator) std::cout << ' ' << +*iterator;
    std::cout << std::endl;
}

void points(bool is_bigendian)
{
    PointCloud2 cloud;
    cloud.height = 1;
    cloud.is_bigendian = is_bigendian;
    PointCloud2Modifier modifier(cloud);
    modifier.setPointCloud2FieldsByString(2, "xyz", "rgb");
    modifier.resize(4);
    PointCloud2Iterator<float> x(cloud, "x");
    PointCloud2Iterator<uint8_t> r(cloud, "r"), g(cloud, "g"), b(cloud, "b"), a(cloud, "a");
    for (int at = 0; x != x.end(); ++x, ++r, ++g, ++b, ++a, ++at) {
        x[0] = at + 0.5f;
        x[1] = at + 10.f;
        x[2] = at + 20.f;
        *r = at;
        *g = at + 100;
        *b = at + 200;
        *a = at + 50;
    }
    const PointCloud2 &seen = cloud;
    for (const char *const name : {"x", "y", "z", "rgb"}) walk(name, PointCloud2ConstIterator<float>(seen, name));
    for (const char *const name : {"r", "g", "b", "a"}) walk(name, PointCloud2ConstIterator<uint8_t>(seen, name));
    PointCloud2ConstIterator<float> z(seen, "z");
    z += 2;
    show("the third", *z);
    show("the fourth", *(z + 1));
    show("its rest", z[0]);
    for (const uint8_t byte : cloud.data) std::cout << int(byte) << ' ';
    std::cout << std::endl;
    check::attempt<std::runtime_error>("no such field", [&] { return *PointCloud2Iterator<float>(cloud, "i"); });
    PointCloud2 other = cloud;
    PointCloud2Modifier(other).setPointCloud2FieldsByString(1, "xyz");
    check::attempt<std::runtime_error>("no color", [&] { return +*PointCloud2Iterator<uint8_t>(other, "r"); });
}

template <int datatype, typename T> void number(T value)
{
    unsigned char bytes[8] = {};
    writePointCloud2BufferValue<T>(bytes, datatype, value);
    std::cout << datatype << ": " << readPointCloud2BufferValue<double>(bytes, datatype);
    std::cout << ' ' << readPointCloud2BufferValue<datatype, double>(bytes);
    writePointCloud2BufferValue<datatype, int>(bytes, 7);
    std::cout << ' ' << readPointCloud2BufferValue<int>(bytes, datatype);
    typedef typename pointFieldTypeAsType<datatype>::type Stored;
    std::cout << ' ' << sizeof(Stored) << ' ' << int(typeAsPointFieldType<Stored>::value) << std::endl;
}

void numbers()
{
    number<PointField::INT8>(-5);
    number<PointField::UINT8>(250);
    number<PointField::INT16>(-300);
    number<PointField::UINT16>(60000);
    number<PointField::INT32>(-70000);
    number<PointField::UINT32>(4000000000u);
    number<PointField::FLOAT32>(1.5f);
    number<PointField::FLOAT64>(2.25);
}

void conversions()
{
    PointCloud cloud;
    cloud.header.frame_id = "lidar";
    cloud.points.resize(3);
    for (size_t at = 0; at < 3; ++at) {
        cloud.points[at].x = at;
        cloud.points[at].y = at + 0.5f;
        cloud.points[at].z = -1.f * at;
    }
    cloud.channels.resize(2);
    cloud.channels[0].name = "intensity";
    cloud.channels[0].values = {1, 2, 3};
    cloud.channels[1].name = "ring";
    cloud.channels[1].values = {4, 5, 6};
    PointCloud2 converted;
    show("to the new form", convertPointCloudToPointCloud2(cloud, converted));
    std::cout << converted << std::endl;
    show("ring", getPointCloud2FieldIndex(converted, "ring"));
    show("none", getPointCloud2FieldIndex(converted, "none"));
    PointCloud back;
    show("and back", convertPointCloud2ToPointCloud(converted, back));
    std::cout << back << std::endl;
}

} // namespace

int main()
{
    encodings();
    images();
    fields();
    points(false);
    points(true);
    numbers();
    conversions();
}
