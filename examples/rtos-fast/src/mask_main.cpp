#include "../../fast/mask.hpp"
#include "node_main.hpp"

int main(int argc, char **argv) { return node_main<Mask>("mask", argc, argv); }
