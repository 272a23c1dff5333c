// Node fast: finds the corners of a grey picture.
//
//   input_data      in   sensor_msgs/Image mono8
//   image           out  the same messages, as they came: in one process not even copied
//   image_features  out  sensor_msgs/Image mono8, black, with a pixel as bright as its score for each corner
//
// Parameters: threshold (grey levels, 20); nonmax_suppression (true); queue_size (10).
#pragma once
#include "fast9.hpp"
#include "when_wanted.hpp"
#include <ros/ros.h>
#include <sensor_msgs/Image.h>
#include <vector>

class Fast {
public:
    Fast(ros::NodeHandle node, ros::NodeHandle parameters);

private:
    void start();
    void on_image(const sensor_msgs::ImageConstPtr &image);

    ros::NodeHandle node_;
    Fast9 detector_;
    // Kept for its memory.
    std::vector<Corner> corners_;
    unsigned queue_size_;
    ros::Publisher image_;
    ros::Publisher image_features_;
    ros::Subscriber input_data_;
    WhenWanted when_wanted_;
};
