// Says what it hears. Builds with roscpp and with tokkyu, as it is.
#include <ros/ros.h>
#include <std_msgs/String.h>

void on_chatter(const std_msgs::String::ConstPtr &message) { ROS_INFO("I heard: [%s]", message->data.c_str()); }

int main(int argc, char **argv)
{
    ros::init(argc, argv, "listener");
    ros::NodeHandle node;
    ros::Subscriber chatter = node.subscribe("chatter", 1000, on_chatter);
    ros::spin();
    return 0;
}
