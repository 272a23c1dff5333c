// Lines of each level and of several loggers, for `ROSCONSOLE_FORMAT` and `ROSCONSOLE_CONFIG_FILE`.
#include <ros/ros.h>

namespace {

void somewhere(int)
{
    ROS_INFO("two\nlines");
    ROS_WARN("a warning");
}

} // namespace

int main(int argc, char **argv)
{
    somewhere(1);
    ros::init(argc, argv, "former");
    ROS_INFO("named");
    ROS_ERROR("an error");
    ros::NodeHandle node;
    somewhere(2);
    ROS_DEBUG("not heard");
    ROS_LOG(ros::console::levels::Debug, "ros.mine", "of mine");
    ROS_LOG(ros::console::levels::Warn, "ros.quiet", "of quiet");
    ROS_LOG(ros::console::levels::Info, "ros.mine", "the last");
}
