// What programs use and only ros/ros.h brings them, with roscpp of Noetic.
#include <ros/ros.h>

namespace {

struct Robot {
    int moved = 0;
    void move(int by, int times) { moved += by * times; }
};

boost::mutex mutex;
boost::recursive_mutex again;

int locked()
{
    boost::mutex::scoped_lock one(mutex);
    boost::recursive_mutex::scoped_lock two(again);
    boost::lock_guard<boost::recursive_mutex> three(again);
    boost::unique_lock<boost::recursive_mutex> four(again);
    return boost::lexical_cast<int>(boost::lexical_cast<std::string>(5));
}

} // namespace

int main(int argc, char **)
{
    Robot robot;
    boost::bind(&Robot::move, &robot, _1, 3)(2);
    const boost::function<void(int)> move = boost::bind(&Robot::move, &robot, _1, _1);
    move(4);
    std::list<int> list = {locked()};
    boost::array<int, 2> array = {{1, 2}};
    boost::unordered_set<int> set = {3};
    boost::unordered_map<int, int> map;
    boost::scoped_ptr<int> pointer(new int(1));
    const boost::posix_time::ptime now = boost::posix_time::microsec_clock::universal_time();
    struct timeval tv;
    gettimeofday(&tv, NULL);
    usleep(1);
    if (boost::math::isnan(std::sqrt(static_cast<double>(argc))) || now.is_not_a_date_time() || getenv("HOME") == NULL) exit(1);
    std::stringstream said;
    said << robot.moved << ' ' << list.size() + set.size() + map.size() << ' ' << array[1] << strcmp("a", "a") << std::max(1, 2);
    printf("%s\n", said.str().c_str());
}
