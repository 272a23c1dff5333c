# Nodes among ROS 1's, and our rows of the local experiment; sourced by .ci/test.
# shellcheck shell=bash

# In Rust, then in C++ over our headers; the headers beside roscpp's; the four nodes of examples/fast, alone and mixed.
step_nodes_build() {
    local name prefix=$CARGO_TARGET_DIR/roscpp
    local flags=("-I$prefix/include") libs=("$prefix/lib/libtokkyu_node_c.a" -lpthread -ldl -lm)
    # As the tests are built: all is there already.
    PROFILE=dev PACKAGES="${WHOLE[*]:1}" node/cpp/install "$prefix"
    cargo build "${WHOLE[@]}" --examples --bin talker --bin listener
    local cxx=(g++ -std=c++17 -O1 -Wall -Wextra -Werror "${flags[@]}")
    "${cxx[@]}" -o "$CARGO_TARGET_DIR/ros1-node" node/tests/ros1/peers/peer.cpp "${libs[@]}"
    mkdir -p "$CARGO_TARGET_DIR/chatter"
    for name in talker listener; do "${cxx[@]}" -o "$CARGO_TARGET_DIR/chatter/$name" "examples/chatter/$name.cpp" "${libs[@]}"; done
    ROS_CFLAGS="${flags[*]}" ROS_LIBS="${libs[*]}" CXXFLAGS=-O1 examples/fast/build "$CARGO_TARGET_DIR/fast" fast_nodes sharing_test
}
step_nodes_rust() { node/tests/ros1/run ${AGAIN:+"$AGAIN"} --node "$CARGO_TARGET_DIR/debug/examples/interop"; }
# In rosmaster's place the one that images have (node/master).
step_nodes_master() { node/tests/ros1/run ${AGAIN:+"$AGAIN"} --node "$CARGO_TARGET_DIR/debug/examples/interop" --master ours; }
step_nodes_cpp() { node/tests/ros1/run ${AGAIN:+"$AGAIN"} --node "$CARGO_TARGET_DIR/ros1-node"; }
step_nodes_face() {
    local ours=$CARGO_TARGET_DIR/fast
    local fast=(twice examples/fast examples/fast/test)
    twice node/cpp/tests/face node/cpp/tests/face/run
    "${fast[@]}" detector
    "${fast[@]}" chain nodes="$ours/fast_nodes"
    "${fast[@]}" chain fast="$ours/fast_nodes"
    "${fast[@]}" chain camera="$ours/fast_nodes" image_converter="$ours/fast_nodes"
    "${fast[@]}" chain fast="$ours/fast_nodes" mask="$ours/fast_nodes"
    "${fast[@]}" sharing sharing_test="$ours/sharing_test"
}

# Our own rows of the local experiment with two floors, as the rivals' libraries take long to get and to build. Built as tests are,
# and apart: nobody shall measure with them.
TEST_LOCAL_PEERS=$CARGO_TARGET_DIR/test-local-peers
step_local_build() {
    MAKEFLAGS=-j$(nproc) bench/local/build "$TEST_LOCAL_PEERS" floor-futex floor-futex-process
    PROFILE=dev PACKAGES="${WHOLE[*]:1}" MAKEFLAGS=-j$(nproc) \
        bench/local/tokkyu/build "$TEST_LOCAL_PEERS" thread overload process tcpros
}
step_local_harness() { twice "local: harness" bench/local/test --folder "$TEST_LOCAL_PEERS" floor-futex floor-futex-process; }
step_lab_local() { TOKKYU_LOCAL_PEERS=$TEST_LOCAL_PEERS twice "lab local" bench/local/tests/command "$binary"; }
