// Runs the nodes that are named, in this process: fast_nodes NODE... [NAME:=VALUE...]
//
// Nodes in one process share messages without a copy; between processes messages go over TCP. The nodes know nothing of it.
// A node's parameter is set by _NODE/PARAMETER:=VALUE, whichever process it is in.
// Exit: 0 ended by a signal or by the mask, 1 a node could not go on, 2 usage.
#include "camera.hpp"
#include "fast.hpp"
#include "image_converter.hpp"
#include "mask.hpp"
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <ros/ros.h>
#include <string>
#include <vector>

namespace {
using AnyNode = std::shared_ptr<void>;
using Maker = AnyNode (*)(const ros::NodeHandle &node, const ros::NodeHandle &parameters);

template <typename Node> AnyNode make(const ros::NodeHandle &node, const ros::NodeHandle &parameters) {
    return std::make_shared<Node>(node, parameters);
}

const std::map<std::string, Maker> MAKERS = {
    {"camera", make<Camera>}, {"image_converter", make<ImageConverter>}, {"fast", make<Fast>}, {"mask", make<Mask>}};

// What is not NAME:=VALUE, which is for ROS.
std::vector<std::string> node_names(int argc, char **argv) {
    std::vector<std::string> names;
    for (int at = 1; at < argc; ++at) {
        const std::string argument = argv[at];
        if (argument.find(":=") == std::string::npos) names.push_back(argument);
    }
    return names;
}

bool are_known(const std::vector<std::string> &names) {
    for (const std::string &name : names) {
        if (MAKERS.count(name) == 0) {
            std::fprintf(stderr, "there is no node %s\n", name.c_str());
            return false;
        }
    }
    return !names.empty();
}

void run(const std::vector<std::string> &names) {
    const ros::NodeHandle node;
    std::vector<AnyNode> nodes;
    for (const std::string &name : names) nodes.push_back(MAKERS.at(name)(node, ros::NodeHandle("~" + name)));
    ros::spin();
}
} // namespace

int main(int argc, char **argv) {
    const std::vector<std::string> names = node_names(argc, argv);
    if (!are_known(names)) {
        std::fprintf(stderr, "usage: fast_nodes NODE... [NAME:=VALUE...], NODE: camera, image_converter, fast, mask\n");
        return 2;
    }
    // For ROS a process is one node. It has the name of our first one in it, so that no two processes have the same.
    ros::init(argc, argv, names.front());
    try {
        run(names);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "fast_nodes: %s\n", error.what());
        return 1;
    }
    return 0;
}
