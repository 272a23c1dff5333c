// sigtimedwait with absolute times; see signals.hpp.
#include "signals.hpp"

#include <cerrno>
#include <initializer_list>

#include "clock.hpp"

namespace local {
namespace {

sigset_t set_of(std::initializer_list<int> numbers)
{
    sigset_t set;
    sigemptyset(&set);
    for (const int number : numbers)
        sigaddset(&set, number);
    return set;
}

Woken meaning_of(int number)
{
    switch (number) {
    case SIGCHLD: return Woken::CHILD_ENDED;
    case END_SIGNAL: return Woken::TOLD_TO_END;
    default: return Woken::INTERRUPTED;
    }
}

Woken wait(const sigset_t &set, std::uint64_t when_ns)
{
    for (;;) {
        const std::uint64_t now = now_ns();
        const std::uint64_t left = now < when_ns ? when_ns - now : 0;
        const timespec timeout = {static_cast<time_t>(left / NS_PER_S), static_cast<long>(left % NS_PER_S)};
        const int taken = sigtimedwait(&set, nullptr, &timeout);
        if (taken > 0)
            return meaning_of(taken);
        // EINTR: the process was stopped and continued; the time may not be up.
        if (errno == EAGAIN)
            return Woken::TIME_IS_UP;
    }
}

} // namespace

void block_signals()
{
    const sigset_t set = set_of({SIGINT, SIGTERM, SIGCHLD, END_SIGNAL});
    sigprocmask(SIG_BLOCK, &set, nullptr);
    // Whoever started this program may have had it ignored, and then nothing tells of a process that ended.
    std::signal(SIGCHLD, SIG_DFL);
    // A connection that the other end has closed is an error of the call, not the end of the program.
    std::signal(SIGPIPE, SIG_IGN);
}

Woken wait_until(std::uint64_t when_ns)
{
    static const sigset_t set = set_of({SIGINT, SIGTERM, SIGCHLD});
    return wait(set, when_ns);
}

Woken wait_for_end_until(std::uint64_t when_ns)
{
    static const sigset_t set = set_of({END_SIGNAL});
    return wait(set, when_ns);
}

} // namespace local
