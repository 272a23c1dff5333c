// tokkyu-local-floor-futex: see floor.hpp.
#include "doorbell.hpp"
#include "floor.hpp"

int main(int argc, char **argv)
{
    local::Floor<local::ThreadBell> floor("floor-futex", 1);
    return local::run_peer(floor, argc, argv);
}
