#include "../../fast/camera.hpp"
#include "node_main.hpp"

int main(int argc, char **argv) { return node_main<Camera>("camera", argc, argv); }
