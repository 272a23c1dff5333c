// Counts what holds and what does not. A test program ends with `return outcome(NAME);`.
#pragma once
#include <cstdio>
#include <string>

inline int checks_failed = 0;
inline int checks_held = 0;

inline void check(bool holds, const std::string &what) {
    (holds ? checks_held : checks_failed)++;
    if (!holds) std::printf("does not hold: %s\n", what.c_str());
}

// 1 if anything failed, or nothing was checked at all.
inline int outcome(const char *name) {
    std::printf("%s: %d checks, %d failed\n", name, checks_held + checks_failed, checks_failed);
    return checks_failed > 0 || checks_held == 0;
}
