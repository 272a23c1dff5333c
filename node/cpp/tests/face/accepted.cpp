// What roscpp finds ambiguous and these headers take: a lambda that captures nothing, for a message that the program names.
#include <ros/ros.h>
#include <std_msgs/String.h>

int main()
{
    ros::NodeHandle node;
    const ros::Subscriber one = node.subscribe<std_msgs::String>("t", 1, [](const std_msgs::String::ConstPtr &) {});
    const ros::Subscriber other = node.subscribe<std_msgs::String>("t", 1, [](const std_msgs::String::ConstPtr &) {}, ros::TransportHints());
}
