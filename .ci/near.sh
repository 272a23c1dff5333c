# ./tokkyu test near: what was changed, and what stands on it; sourced by .ci/test.
# shellcheck shell=bash

# What differs from the upstream branch; without one, or where nothing does, from the last commit, or what that changed.
changed_files() {
    local base
    base=$(git merge-base HEAD '@{upstream}' 2>/dev/null) || base=HEAD
    if git diff --quiet "$base" && [ -z "$(git ls-files --others --exclude-standard)" ]; then base=HEAD~1; fi
    git diff --name-only "$base"
    git ls-files --others --exclude-standard
}

# Which packages of the workspace these files are in, and on the next line all that depend on those.
touched_packages() {
    cargo metadata --format-version 1 --no-deps --offline | python3 -c '
import json, os, sys
metadata = json.load(sys.stdin)
top = metadata["workspace_root"]
folders = {package["name"]: os.path.relpath(os.path.dirname(package["manifest_path"]), top) for package in metadata["packages"]}
needs = {package["name"]: {need["name"] for need in package["dependencies"]} for package in metadata["packages"]}
def owner(path):
    inside = [name for name, folder in folders.items() if path.startswith(folder + "/")]
    return max(inside, key=lambda name: len(folders[name]), default=None)
touched = {owner(path) for path in sys.argv[1:]} - {None}
if {"Cargo.toml", "Cargo.lock"} & set(sys.argv[1:]):
    touched = set(folders)
above = touched
while True:
    more = {name for name in folders if needs[name] & above} | above
    if more == above:
        break
    above = more
print(" ".join(sorted(touched)))
print(" ".join(sorted(above - touched)))' "$@"
}

# near_tests WHOSE PACKAGES: their test programs, those that wait beside those that compute.
near_tests() {
    export TOKKYU_CRATES=$2
    begin "$1: tests that wait" step_tests_wait
    begin "$1: tests that compute" step_tests_compute
}

# What there was no time for, longest first.
tell_left_out() {
    local left
    mapfile -t left < <(cat "$logs"/changed--*.log "$logs"/dependent--*.log 2>/dev/null | sed -n 's/^left out: //p' | sort -t, -k2 -rn)
    list "no time for these test programs (NEAR_SECONDS=$near_seconds); ./tokkyu test runs them:" "${left[@]}"
}

# The tests of what was changed come before those of what stands on it. Lints need the compiler's lock, tests do not.
near() {
    local files packages
    near_seconds=${NEAR_SECONDS:-105}
    mapfile -t files < <(changed_files)
    mapfile -t packages < <(touched_packages "${files[@]}")
    echo "${#files[@]} files differ, in ${packages[0]:-no package}; what stands on those: ${packages[1]:-nothing}"
    rm -f -- "$logs"/changed--* "$logs"/dependent--*
    format
    [ -n "${packages[0]}" ] || return 0
    TOKKYU_UNTIL=$(($(date +%s) - SECONDS + near_seconds))
    export TOKKYU_UNTIL
    step "tests: build" step_build_tests
    [ "$code" = 0 ] || return 0
    near_tests changed "${packages[0]}"
    lints
    settle
    near_tests dependent "${packages[1]:-none}"
    settle
    tell_left_out
    case " ${files[*]} " in *" linux/"* | *" lab/"*) echo "tests on boards and the rest run in ./tokkyu test" ;; esac
}
