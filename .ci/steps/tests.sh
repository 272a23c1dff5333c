# Test programs, and what they need built; sourced by .ci/test.
# shellcheck shell=bash

WHOLE=(--locked --workspace --all-features)

# Zenoh, which the fleet and one peer stand on, doubles what is built. These flags are for all else, with every feature that does not
# bring it.
without_zenoh() {
    printf '%s\n' --locked --workspace --exclude tokkyu-fleet --exclude tokkyu-peer-zenoh --features
    cargo metadata --format-version 1 --no-deps --offline | python3 -c '
import json, sys
brings = {"tokkyu-cli/fleet"}
packages = json.load(sys.stdin)["packages"]
features = {package["name"] + "/" + feature for package in packages for feature in package["features"]
            if package["name"] not in ("tokkyu-fleet", "tokkyu-peer-zenoh")}
print(",".join(sorted(features - brings)))'
}

# The standard library's triple, as the variable of cargo that names a runner has it.
TRIPLE=$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')

step_build_tests() { cargo test "${WHOLE[@]}" --no-run; }

# cargo_tests LANE FLAG...: the test programs of a lane (.ci/lanes), one after the other; an empty lane: all.
cargo_tests() {
    export "CARGO_TARGET_${TRIPLE}_RUNNER=$root/.ci/runner" TOKKYU_TIMES=$times
    [ -z "$1" ] || export TOKKYU_LANE=$1
    # --show-output: a test that cannot run says so, and cargo would hide what a passed test says.
    cargo test "${WHOLE[@]}" --no-fail-fast "${@:2}" -- --show-output
}
step_tests_compute() { cargo_tests compute --tests; }
step_tests_wait() { cargo_tests wait --tests; }
step_tests_boards() { cargo_tests boards --tests; }
step_doctests() { cargo_tests "" --doc; }

# The kernels that boards run in tests.
step_boards() { need_boards "$TOKKYU_BOARDS" 6.1 6.12 6.1-rt backports-rt; }

# What dkms would do after an installation, for each of the boards' kernels.
step_package() { need dkms dkms && linux/package --check "$CARGO_TARGET_DIR/packages"; }

# All but Zenoh's, which takes as long to build as everything else together and has tests of its own.
step_peers() { build_peers "$TOKKYU_PEERS" cyclonedds fastdds srt tcp; }
step_peers_meet() { twice "peers over loopback" bench/peers/test; }
step_ros2_peers() { need_ros2_peers "$TOKKYU_ROS2_PEERS"; }

# The orders in which few threads may meet; then many samples with ThreadSanitizer looking on.
step_model() { node/topic/check model; }
step_races() { node/topic/check races; }
step_node_races() { node/runtime/check races; }
