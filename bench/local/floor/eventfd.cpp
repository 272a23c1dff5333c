// tokkyu-local-floor-eventfd: see floor.hpp.
#include "doorbell.hpp"
#include "floor.hpp"

int main(int argc, char **argv)
{
    local::Floor<local::EventBell> floor("floor-eventfd", 1);
    return local::run_peer(floor, argc, argv);
}
