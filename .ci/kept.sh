# What cargo has built of other people's packages is kept for the next run on this machine: that is half of a cold run. This tree's own
# packages are built anew in every clone. Sourced by .ci/run; wants the top of the tree as working folder.
# shellcheck shell=bash
#
# It saves time and decides nothing: no failure in here, a full disk least of all, may become the run's, not even by a message that could
# not be written.

kept=${TOKKYU_CI_KEPT:-${XDG_CACHE_HOME:-$HOME/.cache}/tokkyu-ci}
# What a run needs beside it, in KiB: 16 GB were counted.
room_of_a_run=${TOKKYU_CI_ROOM_KIB:-$((20 << 20))}

free_kib() { df -Pk -- "$1" | awk 'NR == 2 { print $4 }'; }
size_kib() { du -sk -- "$1" | cut -f 1; }
told() { echo "ci: $*" >&2 || true; }

# TOKKYU_CI_COLD=1 takes nothing, as on a new machine. Half a copy is worse than none: cargo would believe it.
take_what_was_kept() {
    rm -rf -- "$kept.new"
    [ -z "${TOKKYU_CI_COLD:-}" ] && [ -d "$kept" ] && [ ! -e target ] || return 0
    if [ "$(free_kib .)" -lt $(($(size_kib "$kept") + room_of_a_run)) ]; then
        told "too little room on the disk for what was kept in $kept"
        rm -rf -- "$kept"
    elif told "what was built of other packages comes from $kept"; ! cp -a -- "$kept" target; then
        rm -rf -- target "$kept"
    fi
}

# Names of what to keep, each ended by a zero byte. Programs are this tree's own, but for those that build others' packages.
others() {
    find debug/deps debug/build debug/.fingerprint ! -path '*tokkyu*' \
        \( -type f -o -type l \) \( ! -path 'debug/deps/*' -o ! -executable -o -name '*.so' \) -print0
}

# Links where the disk is the same, which take no room; copies otherwise, if there is room.
keep_for_the_next() {
    local how=-al
    [ -d target/debug/deps ] || return 0
    rm -rf -- "$kept" "$kept.new"
    mkdir -p -- "$kept.new"
    if ! cp -al -- target/CACHEDIR.TAG "$kept.new/" 2>/dev/null; then
        how=-a
        [ "$(free_kib "$kept.new")" -gt "$(cd target && others | du -ck --files0-from=- | awk 'END { print $1 }')" ]
    fi && (cd target && others | xargs -0 cp --parents "$how" -t "$kept.new") 2>/dev/null && mv -- "$kept.new" "$kept" || {
        rm -rf -- "$kept.new"
        told "what was built could not be kept in $kept"
    }
}
