// Node image_converter: makes less of a picture before it leaves the device. Corners need no colour, and grey is a quarter
// of it.
//
//   image_raw   in   sensor_msgs/Image rgba8, bgra8, rgb8 or bgr8   320 x 240 pixels are 300 KB
//   input_data  out  sensor_msgs/Image mono8                        and now 75 KB
//
// Parameters: queue_size (10).
#pragma once
#include "when_wanted.hpp"
#include <ros/ros.h>
#include <sensor_msgs/Image.h>

class ImageConverter {
public:
    ImageConverter(ros::NodeHandle node, ros::NodeHandle parameters);

private:
    void start();
    void on_image(const sensor_msgs::ImageConstPtr &colour);

    ros::NodeHandle node_;
    unsigned queue_size_;
    ros::Publisher input_data_;
    ros::Subscriber image_raw_;
    WhenWanted when_wanted_;
};
