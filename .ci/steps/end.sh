# From a user's end: the program itself; sourced by .ci/test. $binary: the tests' own build, in the deep run the release.
# shellcheck shell=bash

# What a user's first command builds.
step_release() { ./tokkyu --version; }

step_check() { "$binary" check --robot contract/examples/robot.yaml --site contract/examples/site.yaml; }

# How long the kernel's paths are, in instructions: the same on every machine, however busy, so that its goals are judged here.
step_rtos_lengths() {
    rtos/build "$CARGO_TARGET_DIR/rtos-images"
    rm -rf -- "${logs:?}/lab-rtos"
    TOKKYU_RTOS=$CARGO_TARGET_DIR/rtos-images "$binary" lab rtos --gate --out "$logs/lab-rtos"
}

# Each page of docs/comparison made again from its file.
step_pages() { "$binary" report --check docs/comparison; }

step_keys() {
    local folder=$logs/keys
    rm -rf "$folder"
    mkdir -p "$folder"
    "$binary" keys new "$folder/vehicle.key"
    "$binary" keys trust "$folder/vehicle.key.pub" --into "$folder/trusted"
    "$binary" keys show "$folder/trusted" | grep SHA256:
}

step_lab_drive_simulated() {
    local out=$logs/sim
    rm -rf "$out"
    "$binary" lab drive --network wan-loss5 --images 2 --qos link --samples 50 --seed 1 --sim --out "$out" --json "$out.json"
    .ci/delivered "$out.json" --cameras 2 --pictures 50 --all
}

# The main job as a first user starts it, shorter, with nobody at the keys. Whether this machine, busy as it may be, met 500 ms is
# told and not judged (1): that it ran to its report, as a run that may be believed, with pictures of every camera and commands
# delivered, is.
step_drive() { twice drive drive_once; }
drive_once() {
    local out=$logs/drive code=0
    rm -rf "$out"
    "$binary" drive --samples 50 --out "$out" || code=$?
    case $code in 0 | 1) ;; *) return "$code" ;; esac
    [ -s "$out/report.html" ] && [ -s "$out/records.csv" ] && .ci/delivered "$out/result.json" --cameras 4 --pictures 50 --commands
}
