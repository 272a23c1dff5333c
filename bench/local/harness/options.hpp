// The command line of every program (LOCAL-2, LOCAL-3).
#ifndef TOKKYU_LOCAL_OPTIONS_HPP
#define TOKKYU_LOCAL_OPTIONS_HPP

#include <cstdint>
#include <stdexcept>
#include <string>

namespace local {

// Room for the number, the stamp and the number again (payload.hpp), and the largest that is asked for.
constexpr std::uint32_t LEAST_BYTES = 32;
constexpr std::uint32_t MOST_BYTES = 16777216;

struct Options {
    std::uint32_t bytes = 0;
    std::uint32_t samples = 0;
    std::uint32_t warm_up = 0;
    std::uint32_t period_us = 0;
    int priority = 0;
    std::string records;
    std::string master_uri;

    // With those that only warm up.
    std::uint32_t all_samples() const { return warm_up + samples; }
};

// Names the flag and what it could be. Ends the program with exit code 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws UsageError. `needs_master`: whether --master-uri must be given.
Options read_options(int argc, char **argv, bool needs_master);

} // namespace local
#endif
