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

# The packages of the workspace that these files (a line each on standard input) are in, and all that depend on them.
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
while True:
    more = {name for name in folders if needs[name] & touched} | touched
    if more == touched:
        break
    touched = more
print(" ".join(sorted(touched)))' "$@"
}

near() {
    local files
    mapfile -t files < <(changed_files)
    TOKKYU_CRATES=$(touched_packages "${files[@]}")
    export TOKKYU_CRATES
    echo "${#files[@]} files differ; what stands on them: ${TOKKYU_CRATES:-no package}"
    format
    [ -n "$TOKKYU_CRATES" ] || return 0
    step "tests: build" step_build_tests
    [ "$code" = 0 ] || return 0
    begin "tests that wait" step_tests_wait
    lints
    settle
    step "tests that compute" step_tests_compute
    case " ${files[*]} " in *" linux/"* | *" lab/"*) echo "tests on boards and the rest run in ./tokkyu test" ;; esac
}
