# Fuzzing with coverage, in the deep run; each run of the tests takes the seeds as plain tests (fuzz/tests/seeds.rs). Sourced by .ci/test.
# shellcheck shell=bash

step_fuzz_build() {
    (need_cxx_compiler) >&2 || cannot "libFuzzer needs a C++ compiler: apt-get install g++"
    fuzz/run build
}

step_fuzz() { fuzz/run "$1" "${FUZZ_SECONDS:-60}"; }
