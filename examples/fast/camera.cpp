#include "camera.hpp"
#include "image_message.hpp"
#include "parameters.hpp"

Camera::Camera(ros::NodeHandle node, ros::NodeHandle parameters)
    : node_(node), pictures_(read_ppm_folder(parameters.param("folder", std::string(".")))),
      period_(1 / number_between(parameters, "rate", 10.0, 0.01, 1000.0)), loop_(parameters.param("loop", true)),
      image_raw_(node.advertise<sensor_msgs::Image>("image_raw", queue_size(parameters))),
      when_wanted_(node, {image_raw_}, [this] { start(); }) {}

void Camera::start() {
    ROS_INFO("camera: %zu pictures, one each %.3f s", pictures_.size(), period_.toSec());
    timer_ = node_.createTimer(period_, &Camera::on_frame, this);
}

void Camera::on_frame(const ros::TimerEvent &) {
    const ColourPicture &picture = pictures_[frame_ % pictures_.size()];
    std_msgs::Header header;
    header.seq = frame_;
    header.stamp = ros::Time::now();
    header.frame_id = "camera";
    const auto image = make_image(header, "rgba8", 4, picture.width, picture.height);
    auto to = image->data.begin();
    for (auto from = picture.pixels.begin(); from != picture.pixels.end(); from += 3) {
        to = std::copy_n(from, 3, to);
        *to++ = 255;
    }
    image_raw_.publish(image);
    if (++frame_ == pictures_.size() && !loop_) {
        ROS_INFO("camera: that was the last picture");
        timer_.stop();
    }
}
