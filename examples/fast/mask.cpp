#include "mask.hpp"
#include "checksum.hpp"
#include "features.hpp"
#include "image_message.hpp"
#include "parameters.hpp"
#include "ppm.hpp"
#include <cinttypes>
#include <cstdio>

Mask::Mask(ros::NodeHandle node, ros::NodeHandle parameters)
    : frames_(number_between(parameters, "frames", 0, 0, 1'000'000)), folder_(parameters.param("folder", std::string())),
      queue_size_(queue_size(parameters)),
      image_masked_(node.advertise<sensor_msgs::Image>("image_masked", queue_size_)),
      image_(node.subscribe("image", queue_size_, &Mask::on_image, this)),
      image_features_(node.subscribe("image_features", queue_size_, &Mask::on_features, this)) {}

void Mask::on_image(const sensor_msgs::ImageConstPtr &image) {
    halves_[image->header.stamp].image = image;
    finish(image->header.stamp);
}

void Mask::on_features(const sensor_msgs::ImageConstPtr &features) {
    halves_[features->header.stamp].features = features;
    finish(features->header.stamp);
}

// Shows a frame whose halves are both there. A half that waits longer than the queues are long has lost its other one.
void Mask::finish(const ros::Time &stamp) {
    const auto found = halves_.find(stamp);
    const Frame frame = found->second;
    if (frame.image && frame.features) {
        halves_.erase(found);
        show(*frame.image, *frame.features);
    } else if (halves_.size() > queue_size_) {
        halves_.erase(halves_.begin());
    }
}

void Mask::show(const sensor_msgs::Image &image, const sensor_msgs::Image &features) {
    if (frames_ != 0 && shown_ == frames_) return;
    const std::uint32_t seq = features.header.seq;
    if (!is_grey(image) || !is_grey(features) || image.width != features.width || image.height != features.height) {
        ROS_WARN("mask: frame %u is left out: not two whole mono8 images of one size", seq);
        return;
    }
    const auto masked = make_image(features.header, "mono8", 1, features.width, features.height);
    mask_features(view_of(image), view_of(features), canvas_of(*masked));
    image_masked_.publish(masked);
    std::printf("frame %u corners %zu checksum %016" PRIx64 "\n", seq, count_features(view_of(features)),
                fnv1a(view_of(*masked), fnv1a(view_of(features))));
    std::fflush(stdout);
    if (!folder_.empty()) write_pgm(folder_ + "/frame-" + std::to_string(seq) + ".pgm", view_of(*masked));
    count();
}

void Mask::count() {
    if (++shown_ != frames_) return;
    ROS_INFO("mask: that were %d frames", frames_);
    ros::shutdown();
}
