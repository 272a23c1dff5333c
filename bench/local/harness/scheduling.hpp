// What the process asks of the machine before a library makes its threads (LOCAL-22).
#ifndef TOKKYU_LOCAL_SCHEDULING_HPP
#define TOKKYU_LOCAL_SCHEDULING_HPP

#include <sched.h>

namespace local {

// Priority 0 leaves scheduling class and memory alone; any other asks for SCHED_FIFO, which threads and processes made
// later inherit, and throws Failure where it is refused. Locked memory is not inherited: each process asks for itself.
void ask_scheduling(int priority);

// While it lives the end that publishes and the one that receives are apart (LOCAL-26): whether they share a processor,
// and which of two wakes which, is else decided when a program starts, stays so while it runs, and changes a latency by
// half. Does nothing with one processor.
//
// Not before a library has started, nor when it ends: threads of SCHED_FIFO that wait for each other in a loop, as those
// of roscpp do at the end, do so for ever on one processor.
class Apart {
public:
    enum class Who {
        PUBLISHING, // the calling thread has the first processor, the process's other threads have the others
        RECEIVING,  // the process's threads have the others
    };

    explicit Apart(Who who);
    ~Apart();
    Apart(const Apart &) = delete;
    Apart &operator=(const Apart &) = delete;

private:
    cpu_set_t all_;
};

// Keeps freed memory in the process, in all cases: a message of 3 MB that is allocated afresh each time would else pay
// for its pages again each time.
void keep_freed_memory();

} // namespace local
#endif
