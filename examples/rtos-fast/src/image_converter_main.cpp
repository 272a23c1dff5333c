#include "../../fast/image_converter.hpp"
#include "node_main.hpp"

int main(int argc, char **argv) { return node_main<ImageConverter>("image_converter", argc, argv); }
