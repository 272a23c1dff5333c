# ./tokkyu test deep: everything, for longer; sourced by .ci/test.
# shellcheck shell=bash

# Beyond a usual run: every peer and kernel, the debugging kernel, fuzzing with coverage, and what users build.
deep_boards() { need_boards "$TOKKYU_BOARDS" 6.1 6.12 6.1-rt 6.12-rt backports-rt 6.1-debug; }
deep_peers() { build_peers "$TOKKYU_PEERS"; }

# Counting branches, and Miri, take a nightly compiler.
deep_nightly() {
    rustup toolchain install "$(<rtos/nightly)" --profile minimal -c miri,llvm-tools,rust-src </dev/null >&2
}
deep_coverage() { deep_nightly && rtos/coverage --least 97; }
deep_monitor() { monitor/check deep; }

# What the look at Linux's locks costs, messages, and faults, on what the step before has built and fetched. Waits for locks want a machine with nothing else to do.
deep_lab_dualos() {
    # What an earlier tree has fetched may lack what this one wants.
    monitor/fetch "$CARGO_TARGET_DIR/monitor-linux"
    monitor/build-driver "$CARGO_TARGET_DIR/monitor-linux"
    rm -rf -- "${logs:?}/lab-dualos"
    TOKKYU_MONITOR=$CARGO_TARGET_DIR/monitor TOKKYU_MONITOR_LINUX=$CARGO_TARGET_DIR/monitor-linux \
        "$binary" lab dualos --parts start,topic,fault --runs 2 --out "$logs/lab-dualos"
}
deep_miri() { deep_nightly && nice rtos/check miri; }

# Two at a time: a target has one thread.
deep_fuzz() {
    local target
    step "fuzz: build" step_fuzz_build
    [ "$code" = 0 ] || return 0
    for target in $(fuzz/run targets); do
        begin "fuzz: $target" step_fuzz "$target"
        [ ${#going[@]} -lt 2 ] || settle
    done
    settle
}

deep_release() {
    binary=$CARGO_TARGET_DIR/release/tokkyu
    # Beside all that comes: it has one thread.
    begin "rtos: Miri" deep_miri
    step "release: build" step_release
    [ "$code" = 0 ] || return 0
    step "release: check" step_check
    step "release: keys" step_keys
    step "release: lab drive in simulation" step_lab_drive_simulated
    step "release: drive" step_drive
    step "rtos: branches" deep_coverage
    step "monitor: 2 and 4 processors" deep_monitor
    step "release: lab dualos" deep_lab_dualos
}

deep_steps() {
    local wanted
    step "deep: boards made" deep_boards
    step "deep: peers" deep_peers
    for wanted in "${ALL[@]}"; do "$wanted"; done
    step "nodes: at our master" step_nodes_master
    settle
    deep_release
    deep_fuzz
}

# The record that a usual run compares with. A tree that differs from its commit has none.
write_deep() {
    local seconds
    seconds=$(awk -F, '{ sum += $2 } END { print sum }' "$state/seconds")
    {
        printf '{\n  "revision": "%s",\n  "date": "%s",\n' "$(git rev-parse HEAD)" "$(date -u +%F)"
        printf '  "passed": %d,\n  "failed": %d,\n  "skipped": %d,\n  "seconds": %d,\n' "$passed" "$failed" "${#skips[@]}" "$seconds"
        printf '  "steps": [\n'
        awk -F, '!/::/ { printf "%s    \"%s\"", sep, $1; sep = ",\n" } END { print "" }' "$times"
        printf '  ]\n}\n'
    } >.ci/deep.json
    echo "written: .ci/deep.json; commit it"
}

deep() {
    # What has passed on this very tree is kept: `go` takes it from there.
    state=$CARGO_TARGET_DIR/deep/$(git rev-parse 'HEAD^{tree}')
    EVERYTHING=1 AGAIN=
    unset TOKKYU_AGAIN
    # Tests that try all orders try more of them.
    export TOKKYU_DEEP=1
    [ -z "$(git status --porcelain --untracked-files=no)" ] || {
        echo "the tree differs from its commit: commit first, a deep run is of a revision" >&2
        return 2
    }
    mkdir -p "$state"
    trap 'echo "run,$SECONDS" >>"$state/seconds"' EXIT
    deep_steps
    echo "run,$SECONDS" >>"$state/seconds"
    trap - EXIT
    summary
    [ "$failed" = 0 ] && write_deep
}
