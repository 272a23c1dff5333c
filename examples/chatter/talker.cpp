// Says hello ten times a second. Builds with roscpp and with tokkyu, as it is.
#include <ros/ros.h>
#include <std_msgs/String.h>

int main(int argc, char **argv)
{
    ros::init(argc, argv, "talker");
    ros::NodeHandle node;
    ros::Publisher chatter = node.advertise<std_msgs::String>("chatter", 1000);
    ros::Rate rate(10);
    for (int count = 0; ros::ok(); ++count) {
        std_msgs::String message;
        message.data = "hello world " + std::to_string(count);
        ROS_INFO("%s", message.data.c_str());
        chatter.publish(message);
        ros::spinOnce();
        rate.sleep();
    }
    return 0;
}
