// Timers of the three kinds, in every form; only that they are called is printed, not when.
#include "check.h"
#include "waiting.h"
#include <ros/ros.h>

namespace {

std::map<std::string, int> calls;

struct Robot {
    void on_time(const ros::TimerEvent &) { ++calls["member"]; }
    void on_time_const(const ros::TimerEvent &) const { ++calls["const member"]; }
    void on_wall(const ros::WallTimerEvent &) { ++calls["wall, member"]; }
    void on_steady(const ros::SteadyTimerEvent &) { ++calls["steady, member"]; }
};

void on_time(const ros::TimerEvent &) { ++calls["function"]; }

} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "timers");
    ros::NodeHandle node;
    Robot robot;
    auto shared = boost::make_shared<Robot>();
    const ros::Duration soon(0.02);
    const ros::WallDuration wall(0.02);
    // Each of them once.
    const std::vector<ros::Timer> timers = {node.createTimer(soon, &Robot::on_time, &robot, true),
                                            node.createTimer(soon, &Robot::on_time_const, &robot, true),
                                            node.createTimer(soon, &Robot::on_time, shared, true),
                                            node.createTimer(ros::Rate(50), &Robot::on_time, &robot, true),
                                            node.createTimer(ros::Rate(50), &Robot::on_time, shared, true),
                                            node.createTimer<Robot>(soon, &Robot::on_time, &robot, true),
                                            node.createTimer(soon, on_time, true),
                                            node.createTimer(soon, [](const ros::TimerEvent &) { ++calls["lambda"]; }, true)};
    const std::vector<ros::WallTimer> walls = {
        node.createWallTimer(wall, &Robot::on_wall, &robot, true), node.createWallTimer(wall, &Robot::on_wall, shared, true),
        node.createWallTimer(wall, [](const ros::WallTimerEvent &) { ++calls["wall, lambda"]; }, true)};
    const std::vector<ros::SteadyTimer> steady = {
        node.createSteadyTimer(wall, &Robot::on_steady, &robot, true), node.createSteadyTimer(wall, &Robot::on_steady, shared, true),
        node.createSteadyTimer(wall, [](const ros::SteadyTimerEvent &) { ++calls["steady, lambda"]; }, true)};
    ros::Timer stopped = node.createTimer(soon, [](const ros::TimerEvent &) { ++calls["stopped"]; }, false, false);
    check::show("started", stopped.hasStarted());
    ros::TimerOptions options(soon, on_time, nullptr, true);
    const ros::Timer by_options = node.createTimer(options);
    check::spin_until([] {
        int called = 0;
        for (const auto &call : calls) called += call.second;
        return called >= 15;
    });
    check::show("calls", calls);
    stopped.setPeriod(ros::Duration(0.01));
    stopped.start();
    check::show("called when it is started", check::spin_until([] { return calls["stopped"] >= 3; }));
    stopped.stop();
    check::show("started", stopped.hasStarted());
    // Whose object is gone is not called.
    shared = boost::make_shared<Robot>();
    calls.clear();
    const ros::SteadyTimer gone = node.createSteadyTimer(wall, &Robot::on_steady, shared);
    shared.reset();
    int others = 0;
    const ros::SteadyTimer other = node.createSteadyTimer(wall, [&](const ros::SteadyTimerEvent &) { ++others; });
    check::spin_until([&] { return others > 3; });
    check::show("after it is gone", calls["steady, member"]);
}
