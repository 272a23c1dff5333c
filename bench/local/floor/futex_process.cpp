// tokkyu-local-floor-futex-process: see floor.hpp.
#include "doorbell.hpp"
#include "floor.hpp"

int main(int argc, char **argv)
{
    local::Floor<local::ProcessBell> floor("floor-futex-process", 2);
    return local::run_peer(floor, argc, argv);
}
