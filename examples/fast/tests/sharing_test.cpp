// Nodes in one process get the message that was published, and not a copy of it: sharing_test [NAME:=VALUE...]
//
// Camera, image_converter and fast run here with a node that looks at addresses. The image that leaves fast has gone through
// two topics and must be where the converter made it.
#include "camera.hpp"
#include "checks.hpp"
#include "fast.hpp"
#include "image_converter.hpp"
#include <map>
#include <ros/ros.h>

namespace {
constexpr int FRAMES = 5, QUEUE = 10;

class Watcher {
public:
    explicit Watcher(ros::NodeHandle node)
        : input_data_(node.subscribe("input_data", QUEUE, &Watcher::on_input, this)),
          image_(node.subscribe("image", QUEUE, &Watcher::on_image, this)),
          features_(node.subscribe("image_features", QUEUE, &Watcher::on_features, this)) {}

private:
    void on_input(const sensor_msgs::ImageConstPtr &image) {
        inputs_[image->header.stamp] = image;
        compare(image->header.stamp);
    }
    void on_image(const sensor_msgs::ImageConstPtr &image) {
        images_[image->header.stamp] = image;
        compare(image->header.stamp);
    }
    // Without somebody who wants features fast does not begin.
    void on_features(const sensor_msgs::ImageConstPtr &) {}

    // All messages are kept to the end: the address of one that is gone could be given to the next.
    void compare(const ros::Time &stamp) {
        if (!inputs_.count(stamp) || !images_.count(stamp) || seen_ == FRAMES) return;
        check(inputs_[stamp] == images_[stamp] && !images_[stamp]->data.empty(),
              "frame " + std::to_string(images_[stamp]->header.seq) + " is in one place");
        if (++seen_ == FRAMES) ros::shutdown();
    }

    int seen_ = 0;
    std::map<ros::Time, sensor_msgs::ImageConstPtr> inputs_, images_;
    ros::Subscriber input_data_, image_, features_;
};
} // namespace

int main(int argc, char **argv) {
    ros::init(argc, argv, "sharing_test");
    try {
        const ros::NodeHandle node;
        const Watcher watcher(node);
        const Fast fast(node, ros::NodeHandle("~fast"));
        const ImageConverter image_converter(node, ros::NodeHandle("~image_converter"));
        const Camera camera(node, ros::NodeHandle("~camera"));
        ros::spin();
    } catch (const std::exception &error) {
        check(false, error.what());
    }
    return outcome("sharing_test");
}
