/* Signals as events of the main thread; see interruption.h. */
#include "interruption.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "ticks.h"

#define ALL_ARRIVED SIGUSR1

static sigset_t awaited(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, ALL_ARRIVED);
    return set;
}

void interruption_prepare(void)
{
    const sigset_t set = awaited();
    sigprocmask(SIG_BLOCK, &set, NULL);
    /* A connection that the other end has closed is an error of the call, not the end of the program. */
    signal(SIGPIPE, SIG_IGN);
}

enum wait_end wait_until_ns(uint64_t when_ns)
{
    const sigset_t set = awaited();
    for (;;) {
        const uint64_t now = now_ns();
        const uint64_t left = now < when_ns ? when_ns - now : 0;
        const struct timespec timeout = {(time_t)(left / NS_PER_S), (long)(left % NS_PER_S)};
        const int taken = sigtimedwait(&set, NULL, &timeout);
        if (taken > 0)
            return taken == ALL_ARRIVED ? WAIT_ALL_ARRIVED : WAIT_INTERRUPTED;
        /* EINTR: a stop and a continue of the process; the time may not be up. */
        if (errno == EAGAIN)
            return WAIT_TIME_IS_UP;
    }
}

void tell_all_arrived(void)
{
    kill(getpid(), ALL_ARRIVED);
}
