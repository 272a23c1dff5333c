// What the process asks of the machine before a library makes its threads (LOCAL-22).
#ifndef TOKKYU_LOCAL_SCHEDULING_HPP
#define TOKKYU_LOCAL_SCHEDULING_HPP

namespace local {

// Priority 0 leaves scheduling class and memory alone; any other asks for SCHED_FIFO, which threads and processes made
// later inherit, and throws Failure where it is refused. Locked memory is not inherited: each process asks for itself.
void ask_scheduling(int priority);

// Keeps freed memory in the process, in all cases: a message of 3 MB that is allocated afresh each time would else pay
// for its pages again each time.
void keep_freed_memory();

} // namespace local
#endif
