#include "camera.hpp"
#include "image_message.hpp"
#include "parameters.hpp"
#include "test_picture.hpp"

namespace {
std::vector<ColourPicture> pictures_of(const std::string &folder) {
    return folder.empty() ? std::vector<ColourPicture>() : read_ppm_folder(folder);
}
} // namespace

Camera::Camera(ros::NodeHandle node, ros::NodeHandle parameters)
    : node_(node), pictures_(pictures_of(parameters.param("folder", std::string()))),
      period_(1 / number_between(parameters, "rate", 10.0, 0.01, 1000.0)), loop_(parameters.param("loop", true)),
      image_raw_(node.advertise<sensor_msgs::Image>("image_raw", queue_size(parameters))),
      when_wanted_(node, {image_raw_}, [this] { start(); }) {}

void Camera::start() {
    const std::string pictures = pictures_.empty() ? "test" : std::to_string(pictures_.size());
    ROS_INFO("camera: %s pictures, one each %.3f s", pictures.c_str(), period_.toSec());
    timer_ = node_.createTimer(period_, &Camera::on_frame, this);
}

ColourPicture Camera::picture() const {
    return pictures_.empty() ? test_picture(frame_) : pictures_[frame_ % pictures_.size()];
}

void Camera::on_frame(const ros::TimerEvent &) {
    const ColourPicture picture = this->picture();
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
