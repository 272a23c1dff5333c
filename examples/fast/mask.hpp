// Node mask: puts features and the picture they were found in together.
//
//   image           in   sensor_msgs/Image mono8
//   image_features  in   sensor_msgs/Image mono8, black where there is no feature
//   image_masked    out  sensor_msgs/Image mono8, the picture darkened, with a white square at each feature
//
// Prints a line for each frame: "frame SEQ corners COUNT checksum FNV-1a", the checksum that of the features, then of the
// masked picture. Two messages belong together if they have the same stamp, which every node carries through. So is seq, but
// over TCP each publisher numbers its messages itself: it is the camera's as long as no frame has been lost on the way.
//
// Parameters: frames (0: goes on; else ROS is shut down after so many); folder (for frame-SEQ.pgm; none: nothing is saved);
// queue_size (10).
#pragma once
#include <map>
#include <ros/ros.h>
#include <sensor_msgs/Image.h>
#include <string>

class Mask {
public:
    Mask(ros::NodeHandle node, ros::NodeHandle parameters);

private:
    struct Frame {
        sensor_msgs::ImageConstPtr image;
        sensor_msgs::ImageConstPtr features;
    };

    void on_image(const sensor_msgs::ImageConstPtr &image);
    void on_features(const sensor_msgs::ImageConstPtr &features);
    void finish(const ros::Time &stamp);
    void show(const sensor_msgs::Image &image, const sensor_msgs::Image &features);
    void count();

    int frames_;
    std::string folder_;
    unsigned queue_size_;
    int shown_ = 0;
    // Frames of which half has come; no more than queue_size of them.
    std::map<ros::Time, Frame> halves_;
    ros::Publisher image_masked_;
    ros::Subscriber image_;
    ros::Subscriber image_features_;
};
