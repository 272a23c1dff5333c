# The kernel, and nodes on it, on processors that QEMU stands for; sourced by .ci/test.
# shellcheck shell=bash

step_rtos_board() { rtos/check board; }

# What is below Linux, on a machine that QEMU stands for, with Debian's kernel as it is.
step_monitor() {
    monitor/check all
    monitor_top
}

# What is shown of a machine with two systems, on what has been built and fetched for it.
monitor_top() {
    local images=$CARGO_TARGET_DIR/monitor linux=$CARGO_TARGET_DIR/monitor-linux
    monitor/fetch "$linux" "$images/companion"
    TOKKYU_MONITOR=$images TOKKYU_MONITOR_LINUX=$linux cargo test "${WHOLE[@]}" --test board_top
}

# Robot nodes on it, among ROS 1's. The camera of Linux is built as the tests are: all that it stands on is there already.
step_board_nodes() {
    cargo build "${WHOLE[@]}" --bin camera
    node/board/check ros "$CARGO_TARGET_DIR/debug/camera"
    node/board/check language
    node/board/check pipeline
}
