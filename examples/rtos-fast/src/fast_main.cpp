#include "../../fast/fast.hpp"
#include "node_main.hpp"

int main(int argc, char **argv) { return node_main<Fast>("fast", argc, argv); }
