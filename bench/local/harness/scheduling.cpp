// SCHED_FIFO, locked memory, exact timers and a heap that does not shrink; see scheduling.hpp.
#include "scheduling.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "failure.hpp"

namespace local {
namespace {

// Under a small RLIMIT_MEMLOCK mlockall is granted to a program that is small now, and every later allocation fails.
bool may_lock_all()
{
    rlimit limit;
    return geteuid() == 0 || (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY);
}

// The threads that the process has now. One that has ended meanwhile needs no processors.
template <typename Choose> void place_threads(const Choose &choose)
{
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task")) {
        const auto thread = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
        const cpu_set_t processors = choose(thread);
        if (sched_setaffinity(thread, sizeof processors, &processors) != 0 && errno != ESRCH)
            throw system_failure("processors of thread " + std::to_string(thread));
    }
}

} // namespace

Apart::Apart(Who who)
{
    if (sched_getaffinity(0, sizeof all_, &all_) != 0)
        throw system_failure("processors");
    if (CPU_COUNT(&all_) < 2)
        return;
    int at = 0;
    while (!CPU_ISSET(at, &all_))
        at++;
    cpu_set_t first{}, others = all_;
    CPU_SET(at, &first);
    CPU_CLR(at, &others);
    const pid_t publishing = who == Who::PUBLISHING ? gettid() : -1;
    place_threads([&](pid_t thread) { return thread == publishing ? first : others; });
}

Apart::~Apart()
{
    try {
        place_threads([this](pid_t) { return all_; });
    } catch (const std::exception &) {
        // They may use fewer than before, and the run is over.
    }
}

void ask_scheduling(int priority)
{
    // An ordinary thread's sleeps end up to 50 us late by default; real-time threads have no such slack.
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    if (priority == 0)
        return;
    sched_param parameters{};
    parameters.sched_priority = priority;
    if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0)
        throw system_failure("--priority " + std::to_string(priority)
                             + ": SCHED_FIFO was refused (run as root, raise RLIMIT_RTPRIO, or give 0)");
    if (may_lock_all())
        mlockall(MCL_CURRENT | MCL_FUTURE);
}

void keep_freed_memory()
{
    // The largest threshold that glibc takes, above the largest sample; and never give the end of the heap back.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

} // namespace local
