# Steps that are over in seconds, and what only the compiler looks at; sourced by .ci/test.
# shellcheck shell=bash

step_format() {
    cargo fmt --all -- --check --color=never
    cargo fmt --manifest-path fuzz/coverage/Cargo.toml -- --check --color=never
}

# Which file uses which; a circle that ARCHITECTURE.md does not name fails.
step_circles() { .ci/tests/circles && .ci/circles; }

# Lines of prose that are too long to be read.
step_prose() { .ci/tests/prose && .ci/prose; }

# What the gates ask, and what is told at the end.
step_gates() { .ci/tests/stands-on && .ci/tests/count && .ci/tests/kept; }

step_licences() { .ci/licences; }

# What is to run without an operating system. The host has a standard library that a dependency may take in, and atomics of 64
# bits; targets without either tell.
NO_STD=(-p tokkyu-contract -p tokkyu-window -p tokkyu-topic -p tokkyu-message -p tokkyu-ros1 -p tokkyu-graph -p tokkyu-callbacks -p tokkyu-node-master -p tokkyu-rtos
    -p tokkyu-monitor-core -p tokkyu-monitor-topics -p tokkyu-monitor-statistics --no-default-features)
BARE_TARGETS=(thumbv7em-none-eabi aarch64-unknown-none)
# The runner of scenarios wants atomics of 64 bits: the host's are enough to see that it does without the library.
step_no_std() {
    cargo check --locked "${NO_STD[@]}"
    cargo check --locked -p tokkyu-ttsp --no-default-features
}
step_bare() {
    need_target "$1" || cannot "the compiler has no libraries for $1: rustup target add $1"
    cargo check --locked --target "$1" "${NO_STD[@]}"
}

# What is for AArch64 alone too.
step_lints() {
    cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
    monitor/check lints
}

step_docs() { RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --all-features --no-deps; }
