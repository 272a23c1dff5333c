# What a usual run may leave out, as the last green deep run has answered it; sourced by .ci/test.
# shellcheck shell=bash

deep=.ci/deep.json

deep_revision() { [ ! -e "$deep" ] || sed -n 's/^ *"revision": *"\([0-9a-f]*\)".*/\1/p' "$deep"; }

# due NAME: whether the step must run. In doubt it must: no deep run, no such revision here, a gate that is unknown.
due() {
    local revision paths
    revision=$(deep_revision)
    paths=$(sed -n "s/^$1 *| *//p" .ci/gates)
    [ -z "${EVERYTHING:-}" ] && [ -n "$revision" ] && [ -n "$paths" ] || return 0
    git cat-file -e "$revision^{commit}" 2>/dev/null || return 0
    # shellcheck disable=SC2086  # paths are words
    git diff --quiet "$revision" -- $paths .ci ':!.ci/deep.json' && [ -z "$(git ls-files --others --exclude-standard -- $paths)" ] || return 0
    answered+=("$1")
    return 1
}

# due_step NAME FUNCTION, due_begin NAME FUNCTION: where it is due.
due_step() { ! due "$1" || step "$@"; }
due_begin() { ! due "$1" || begin "$@"; }

# How long ago that was.
tell_deep() {
    local revision ago
    revision=$(deep_revision)
    [ -n "$revision" ] || { echo "no deep run is on record ($deep): everything is due"; return; }
    ago=$(git rev-list --count "$revision..HEAD" 2>/dev/null) || ago="unknown many"
    echo "the last green deep run was $ago commits ago"
}
