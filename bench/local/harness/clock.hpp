// CLOCK_MONOTONIC in ns. Both ends of a run are on one machine, so on one clock.
#ifndef TOKKYU_LOCAL_CLOCK_HPP
#define TOKKYU_LOCAL_CLOCK_HPP

#include <cstdint>
#include <ctime>

namespace local {

constexpr std::uint64_t NS_PER_US = 1000;
constexpr std::uint64_t NS_PER_MS = 1000 * NS_PER_US;
constexpr std::uint64_t NS_PER_S = 1000 * NS_PER_MS;

inline std::uint64_t now_ns() noexcept
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * NS_PER_S + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace local
#endif
