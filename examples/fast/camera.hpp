// Node camera: publishes pictures of a folder in place of a camera's, as soon as somebody subscribes.
//
//   image_raw  out  sensor_msgs/Image rgba8   320 x 240 pixels are 300 KB
//
// Parameters: folder (of *.ppm, taken in the order of their names and kept in memory; none: a test picture); rate (Hz, 10);
// loop (true: begins again after the last one); queue_size (10).
#pragma once
#include "ppm.hpp"
#include "when_wanted.hpp"
#include <cstdint>
#include <ros/ros.h>
#include <vector>

class Camera {
public:
    Camera(ros::NodeHandle node, ros::NodeHandle parameters);

private:
    void start();
    void on_frame(const ros::TimerEvent &);

    // The picture of this frame.
    ColourPicture picture() const;

    ros::NodeHandle node_;
    // None: test pictures.
    std::vector<ColourPicture> pictures_;
    ros::Duration period_;
    bool loop_;
    // Counts frames from 0, over all rounds.
    std::uint32_t frame_ = 0;
    ros::Publisher image_raw_;
    ros::Timer timer_;
    WhenWanted when_wanted_;
};
