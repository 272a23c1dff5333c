// Where packages are.
#include "check.h"
#include <algorithm>
#include <ros/package.h>

int main(int argc, char **argv)
{
    for (int at = 1; at < argc; ++at) check::show(argv[at], ros::package::getPath(argv[at]));
    ros::package::V_string all;
    check::show("all", ros::package::getAll(all));
    // Debian's rospack also finds those of /usr/share.
    for (int at = 1; at < argc; ++at) check::show("  among them", std::count(all.begin(), all.end(), argv[at]));
}
