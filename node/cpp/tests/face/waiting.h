// Spins until something is so; gives up after ten seconds, which the printed lines then show.
#pragma once
#include <ros/init.h>
#include <ros/time.h>

namespace check {

template <typename Condition> bool spin_until(Condition is_so)
{
    const ros::WallTime end = ros::WallTime::now() + ros::WallDuration(10);
    while (!is_so() && ros::WallTime::now() < end) {
        ros::spinOnce();
        ros::WallDuration(0.002).sleep();
    }
    return is_so();
}

} // namespace check
