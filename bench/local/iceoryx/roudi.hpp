// iceoryx's broker, RouDi, as a process of the run's own.
#ifndef TOKKYU_LOCAL_ROUDI_HPP
#define TOKKYU_LOCAL_ROUDI_HPP

#include "child.hpp"
#include "options.hpp"

namespace local {

// Runs RouDi until END_SIGNAL (signals.hpp), with memory for samples of this size. Ready is when it takes requests.
void run_roudi(const Options &options, const Child::TellReady &tell_ready);

} // namespace local
#endif
