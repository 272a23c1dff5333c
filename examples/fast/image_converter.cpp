#include "image_converter.hpp"
#include "image_message.hpp"
#include "parameters.hpp"

namespace {
// Where in a pixel the colours stand.
struct Order {
    const char *encoding;
    int bytes;
    int red, green, blue;
};

constexpr Order ORDERS[] = {{"rgba8", 4, 0, 1, 2}, {"bgra8", 4, 2, 1, 0}, {"rgb8", 3, 0, 1, 2}, {"bgr8", 3, 2, 1, 0}};

const Order *order_of(const std::string &encoding) {
    for (const Order &order : ORDERS) {
        if (order.encoding == encoding) return &order;
    }
    return nullptr;
}

void convert_row(const std::uint8_t *colour, const Order &order, std::uint8_t *grey, int width) {
    for (int x = 0; x < width; ++x, colour += order.bytes) {
        grey[x] = luma(colour[order.red], colour[order.green], colour[order.blue]);
    }
}
} // namespace

ImageConverter::ImageConverter(ros::NodeHandle node, ros::NodeHandle parameters)
    : node_(node), queue_size_(queue_size(parameters)),
      input_data_(node.advertise<sensor_msgs::Image>("input_data", queue_size_)),
      when_wanted_(node, {input_data_}, [this] { start(); }) {}

void ImageConverter::start() {
    image_raw_ = node_.subscribe("image_raw", queue_size_, &ImageConverter::on_image, this);
}

void ImageConverter::on_image(const sensor_msgs::ImageConstPtr &colour) {
    const Order *order = order_of(colour->encoding);
    if (order == nullptr || !is_whole(*colour, order->bytes)) {
        ROS_WARN("image_converter: frame %u (%s, %zu bytes) is left out: not a whole rgba8, bgra8, rgb8 or bgr8 image",
                 colour->header.seq, colour->encoding.c_str(), colour->data.size());
        return;
    }
    const auto grey = make_image(colour->header, "mono8", 1, colour->width, colour->height);
    const GreyCanvas canvas = canvas_of(*grey);
    for (int y = 0; y < canvas.height; ++y) {
        const std::size_t row = static_cast<std::size_t>(y) * colour->step;
        convert_row(colour->data.data() + row, *order, canvas.row(y), canvas.width);
    }
    input_data_.publish(grey);
}
