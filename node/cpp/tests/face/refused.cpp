// Must not compile with -Werror=format: formats are checked against their arguments.
#include <ros/console.h>

void speak() { ROS_INFO("%d", "text"); }
