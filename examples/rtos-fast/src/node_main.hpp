// The main of a program with one node: PROGRAM [NODE...] [NAME:=VALUE...]
//
// On a board all programs are given the same arguments. If these name nodes, only those begin; the others end at once.
// Exit: 0 ended or not named, 1 could not go on.
#pragma once
#include <cstdio>
#include <cstring>
#include <exception>
#include <ros/ros.h>

// True if no node is named, or this one is. What has := in it is for ROS.
inline bool is_asked_for(const char *node, int argc, char **argv) {
    bool is_any_named = false;
    for (int at = 1; at < argc; ++at) {
        if (std::strstr(argv[at], ":=") != nullptr) continue;
        if (std::strcmp(argv[at], node) == 0) return true;
        is_any_named = true;
    }
    return !is_any_named;
}

template <typename Node> int node_main(const char *name, int argc, char **argv) {
    if (!is_asked_for(name, argc, argv)) return 0;
    ros::init(argc, argv, name);
    try {
        const Node node(ros::NodeHandle(), ros::NodeHandle(std::string("~") + name));
        ros::spin();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s: %s\n", name, error.what());
        return 1;
    }
    return 0;
}
