// What is linked with roscpp: a thread and a condition of Boost.
#include <boost/filesystem.hpp>
#include <boost/thread.hpp>
#include <iostream>
#include <ros/ros.h>

int main()
{
    int done = 0;
    boost::thread thread([&done] {
        boost::this_thread::sleep_for(boost::chrono::milliseconds(1));
        done = 1;
    });
    thread.join();
    std::cout << "done " << done << ' ' << boost::filesystem::exists("/") << std::endl;
}
