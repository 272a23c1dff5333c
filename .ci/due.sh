# What a usual run may leave out, as the last green deep run has answered it; sourced by .ci/test.
# shellcheck shell=bash

deep=.ci/deep.json

deep_revision() { [ ! -e "$deep" ] || sed -n 's/^ *"revision": *"\([0-9a-f]*\)".*/\1/p' "$deep"; }

# What says how steps run: all of .ci but what is a step of its own, says which steps run, judges times, or serves other kinds of runs.
RUNS=(tokkyu .ci ':!.ci/due.sh' ':!.ci/gates' ':!.ci/stands-on' ':!.ci/deep.json' ':!.ci/deep.sh' ':!.ci/near.sh' ':!.ci/budgets'
    ':!.ci/circles' ':!.ci/prose' ':!.ci/licences' ':!.ci/tests' ':!.ci/run' ':!.ci/steps/end.sh' ':!.ci/steps/fuzz.sh'
    ':!.ci/steps/quick.sh')

# field NAME N: of its line in .ci/gates.
field() { awk -F ' *[|] *' -v name="$1" -v n="$2" '$1 == name { print $n }' .ci/gates; }

# as_it_was REVISION PATH...: whether nothing differs there, and nothing is new.
as_it_was() { git diff --quiet "$@" && [ -z "$(git ls-files --others --exclude-standard -- "${@:3}")" ]; }

# is_due NAME: whether the step must run. In doubt it must: no deep run, no such revision here, a gate that is unknown.
is_due() {
    local revision paths packages
    revision=$(deep_revision)
    read -ra paths <<<"$(field "$1" 2)"
    read -ra packages <<<"$(field "$1" 3)"
    [ -z "${EVERYTHING:-}" ] && [ -n "$revision" ] && [ $((${#paths[@]} + ${#packages[@]})) -gt 0 ] || return 0
    git cat-file -e "$revision^{commit}" 2>/dev/null || return 0
    as_it_was "$revision" -- "${RUNS[@]}" "${paths[@]}" || return 0
    [ ${#packages[@]} = 0 ] || .ci/stands-on "$revision" "${packages[@]}" >/dev/null || return 0
    return 1
}

# due NAME...: whether any of them must run; if none, they are told as answered.
due() {
    local name
    for name in "$@"; do
        ! is_due "$name" || return 0
    done
    for name in "$@"; do
        [[ $'\n'$(printf '%s\n' "${answered[@]}")$'\n' == *$'\n'"$name"$'\n'* ]] || answered+=("$name")
    done
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
