/*
 * Asks for SCHED_FIFO and locked memory before a library makes its threads (PEER-23). A refusal is no error: the
 * summary says so, and whoever reads the figures knows.
 */
#include "scheduling.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* More than any peer maps: the stacks of its threads and the histories of four cameras. */
#define ENOUGH_BYTES ((size_t)1 << 30)

/*
 * Whether memory without limit may be locked. mlockall itself does not say: under a small RLIMIT_MEMLOCK it
 * is granted to a program that is small now, and every later allocation of the library fails. With
 * MLOCK_ONFAULT nothing is touched, so asking for much costs nothing.
 */
static bool may_lock_enough(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *probe = mmap(NULL, ENOUGH_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (probe == MAP_FAILED)
        return false;
    const bool granted = mlock2(probe, ENOUGH_BYTES, MLOCK_ONFAULT) == 0;
    munmap(probe, ENOUGH_BYTES);
    return granted;
}

struct scheduling scheduling_ask(int priority)
{
    const struct sched_param parameters = {.sched_priority = priority};
    struct scheduling granted = {false, false};
    granted.fifo = sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
    /* An ordinary thread's sleeps end up to 50 us late by default; real-time threads have no such slack. */
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    granted.memory_locked = may_lock_enough() && mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    return granted;
}
