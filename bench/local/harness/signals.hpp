// Signals as events of the main thread of each process, and how it waits.
//
// All of them are blocked in every thread and taken by the main thread alone: no handler runs anywhere, and no
// call of a library is interrupted.
#ifndef TOKKYU_LOCAL_SIGNALS_HPP
#define TOKKYU_LOCAL_SIGNALS_HPP

#include <csignal>
#include <cstdint>

namespace local {

// What ends a process that this program made. It takes no notice of SIGINT and SIGTERM, which a terminal sends to both
// ends at once: the main process ends it, in order.
constexpr int END_SIGNAL = SIGUSR1;

enum class Woken { TIME_IS_UP, INTERRUPTED, CHILD_ENDED, TOLD_TO_END };

// Call it before any thread is made: threads and processes inherit what is blocked.
void block_signals();

// Waits for SIGINT, SIGTERM (INTERRUPTED) and the end of a process made here, until an absolute time.
Woken wait_until(std::uint64_t when_ns);

// The same in a process made here, which waits for END_SIGNAL alone.
Woken wait_for_end_until(std::uint64_t when_ns);

} // namespace local
#endif
