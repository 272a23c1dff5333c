// A program and a library of it that hides all that is its own: both have the same clock, and know each other's exceptions.
#include <iostream>
#include <ros/time.h>

__attribute__((visibility("default"))) ros::Time library_now();

#ifdef LIBRARY
ros::Time library_now() { return ros::Time::now(); }
#else
int main()
{
    try {
        library_now();
    } catch (const ros::TimeNotInitializedException &) {
        std::cout << "no clock, ";
    }
    ros::Time::init();
    ros::Time::setNow(ros::Time(42, 0));
    std::cout << library_now();
}
#endif
