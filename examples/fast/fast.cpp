#include "fast.hpp"
#include "features.hpp"
#include "image_message.hpp"
#include "parameters.hpp"

Fast::Fast(ros::NodeHandle node, ros::NodeHandle parameters)
    : node_(node),
      detector_(number_between(parameters, "threshold", 20, 0, 255), parameters.param("nonmax_suppression", true)),
      queue_size_(queue_size(parameters)), image_(node.advertise<sensor_msgs::Image>("image", queue_size_)),
      image_features_(node.advertise<sensor_msgs::Image>("image_features", queue_size_)),
      when_wanted_(node, {image_, image_features_}, [this] { start(); }) {}

void Fast::start() { input_data_ = node_.subscribe("input_data", queue_size_, &Fast::on_image, this); }

void Fast::on_image(const sensor_msgs::ImageConstPtr &image) {
    if (!is_grey(*image)) {
        ROS_WARN("fast: frame %u (%s, %zu bytes) is left out: not a whole mono8 image", image->header.seq,
                 image->encoding.c_str(), image->data.size());
        return;
    }
    detector_.detect(view_of(*image), corners_);
    const auto features = make_image(image->header, "mono8", 1, image->width, image->height);
    draw_features(corners_, canvas_of(*features));
    image_.publish(image);
    image_features_.publish(features);
}
