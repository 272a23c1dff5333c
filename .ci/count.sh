# Running and counting of steps; sourced by .ci/test.
# shellcheck shell=bash
#
# A step runs in a subshell of its own with its output in a log. `step` waits for it; `begin` does not, and `settle` counts what has
# begun when it has ended. Needs $logs, the folder of logs.

passed=0 failed=0 skips=() unsteady=() answered=() going=()
times=$logs/times.csv

# A step that cannot run here says why and ends with this code, which is also the program's for "not possible here".
CANNOT=3
cannot() { echo "$*"; exit "$CANNOT"; }

log_of() { printf '%s' "$logs/${1//[^a-z0-9_-]/-}"; }

# budget_of NAME: seconds, or nothing (.ci/budgets).
budget_of() { sed -n "s/^$1 *| *\([0-9]*\)\$/\1/p" .ci/budgets; }

# The last time of each test program, for ./tokkyu test near.
known_times() {
    local known=$logs/known.csv
    [ ! -e "$known" ] || { tac -- "$known" | awk -F, '!seen[$1]++' >"$known.new" && mv -- "$known.new" "$known"; }
}

report() {
    printf '%-32s %-8s %5d s\n' "$1" "$2" "$3"
    # A file without quotes: no comma in a name.
    printf '%s,%d,%s\n' "${1//,/;}" "$3" "$(budget_of "$1")" >>"$times"
}

# Name and reason of a skip. In CI it must be a known one.
count_skip() {
    if [ -n "${CI:-}" ] && ! grep -qxF -- "$1" < <(sed 's/ *|.*//' .ci/allowed-skips); then
        failed=$((failed + 1))
        echo "    $1 was skipped, which .ci/allowed-skips does not allow: $2"
    else
        skips+=("$1: $2")
    fi
}

show_end_of() {
    echo "    ---- the end of $1 ----"
    tail -n "${2:-60}" "$1" | sed 's/^/    /'
}

# Where a deep run keeps what has passed, with its log; empty in other runs.
state=

# go NAME FUNCTION [ARGUMENT...]: runs it; its code and its seconds are in files beside the log.
go() {
    local own kept begun=$SECONDS code=0
    own=$(log_of "$1") kept=$state/$(basename -- "$(log_of "$1")")
    rm -f -- "$own.code"
    if [ -n "$state" ] && [ -e "$kept.code" ]; then
        cp -- "$kept.log" "$kept.code" "$logs/"
        return
    fi
    set +e
    (set -e; "${@:2}") >"$own.log" 2>&1 </dev/null
    code=$?
    set -e
    echo "$code $((SECONDS - begun))" >"$own.code"
    if [ -n "$state" ] && [ "$code" = 0 ]; then cp -- "$own.log" "$own.code" "$state/"; fi
}

# count NAME: what became of a step that has ended, by the kind of its function: those of cargo's tests count each test.
declare -A kinds=()
count() {
    log=$(log_of "$1").log
    read -r code took <"$(log_of "$1").code"
    "count_${kinds[$1]:-step}" "$1"
}

step() { go "$@"; count "$1"; }
declare -A pids=()
begin() {
    go "$@" &
    pids[$1]=$! going+=("$1")
}
# await NAME: until that step, if it has begun, has ended; `settle` counts it all the same.
await() { [ -z "${pids[$1]:-}" ] || wait "${pids[$1]}" 2>/dev/null || true; }
settle() {
    local name
    wait
    for name in "${going[@]}"; do count "$name"; done
    going=()
}

# twice NAME COMMAND...: once more where the first try failed, which is told; not in a deep run. For suites that wait for programs of
# others on a machine that is busy.
twice() { "${@:2}" || { [ -n "$AGAIN" ] && echo "unsteady: $1" && "${@:2}"; }; }

# Counts as one test, beside the checks in it that were skipped.
count_step() {
    case $code in
        0) passed=$((passed + 1)); report "$1" ok "$took" ;;
        "$CANNOT") report "$1" skipped "$took"; count_skip "$1" "$(tail -n 1 "$log")" ;;
        *) failed=$((failed + 1)); report "$1" FAILED "$took"; show_end_of "$log"; return ;;
    esac
    count_unsteady
}

# "unsteady: NAME": it failed once, and passed when it was tried again.
count_unsteady() {
    local name
    while read -r name; do unsteady+=("$name"); done < <(sed -n 's/^unsteady: //p' "$log")
}

# count_skipped WHOSE PATTERN: a line for each check that a step of many passed over; the pattern's group is its name, behind it is why.
count_skipped() {
    local name reason
    while IFS=$'\t' read -r name reason; do
        count_skip "$1 $name" "$reason"
    done < <(sed -n "s/$2/\1\t/p" "$log")
}

# A peer that is not built cannot meet, nodes without a master neither; a case of nodes that lacks something, or a whole suite of them.
NAMED='^skipped: \([^:]*\): '
CASE='^skipped \([a-z_0-9.]*\)[^:]*: '
count_peers() { count_step "$1"; count_skipped peer "$NAMED"; }
count_local() { count_step "$1"; count_skipped local "$NAMED"; }
count_nodes() { count_step "$1"; count_skipped fast "$NAMED"; count_skipped nodes "$CASE"; }

# Sum of a column of cargo's "test result: ok. 12 passed; 0 failed; 1 ignored; ..." lines.
sum_of() { sed -n "s/^test result: .* \([0-9]*\) $1;.*/\1/p" "$log" | awk '{ sum += $1 } END { print sum + 0 }'; }

# "suite::test<tab>reason" of each test that said "skipped: reason" and passed, or is marked #[ignore].
skipped_tests() {
    awk '
        /^ +Running / { suite = $NF; gsub(/.*\/|-[0-9a-f]*\)$/, "", suite) }
        /^ +Doc-tests / { suite = $2 }
        /^successes:$/ { told = 1 }
        /^(failures:|test result: .*)$/ { told = 0 }
        told && /^---- .* stdout ----$/ { name = suite "::" $2; said = 0 }
        told && !said && /^skipped: / { said = 1; print name "\t" substr($0, 10) }
        /^test .* \.\.\. ignored/ {
            reason = $0; sub(/.* \.\.\. ignored,? ?/, "", reason)
            print suite "::" $2 "\tignored: " (reason == "" ? "no reason given" : reason)
        }' "$log"
}

# What failed tests said, then their names; the end of everything when no test says it failed.
show_failed_tests() {
    awk '/^failures:$/ { on = 1 } /^test result: / { on = 0 } on' "$log" | tail -n 200 | sed 's/^/    /'
    grep -E '^test .* FAILED$' "$log" | sed 's/^/    /' || show_end_of "$log"
}

count_tests() {
    local bad name reason said=0
    bad=$(sum_of failed)
    # A program that does not compile or dies counts no failed test.
    [ "$code" = 0 ] || [ "$bad" -gt 0 ] || bad=1
    report "$1" "$([ "$bad" = 0 ] && echo ok || echo FAILED)" "$took"
    [ "$bad" = 0 ] || show_failed_tests
    while IFS=$'\t' read -r name reason; do
        case $reason in ignored:*) ;; *) said=$((said + 1)) ;; esac
        count_skip "$name" "$reason"
    done < <(skipped_tests)
    # A test that says it is skipped has passed for cargo.
    passed=$((passed + $(sum_of passed) - said))
    failed=$((failed + bad))
    count_unsteady
}

# The dearest first; what took longer than it may, which is told and no failure: machines differ.
show_times() {
    local name seconds budget
    echo "the dearest, in seconds (all of them: $times):"
    while IFS=, read -r name seconds budget; do
        printf '    %5d  %s\n' "$seconds" "$name"
    done < <(sort -t, -k2,2nr "$times" | head -n 10)
    while IFS=, read -r name seconds budget; do
        [ -z "$budget" ] || [ "$seconds" -le "$budget" ] || echo "over its budget of $budget s: $name, $seconds s"
    done <"$times"
}

list() {
    local title=$1 line
    shift
    [ $# = 0 ] || echo "$title"
    for line in "$@"; do echo "    $line"; done
}

summary() {
    echo
    show_times
    list "as in the last deep run, nothing of theirs has changed since:" "${answered[@]}"
    list "unsteady: failed once, passed when tried again, alone:" "${unsteady[@]}"
    list "skipped:" "${skips[@]}"
    echo "$SECONDS s in all; what each step printed is in $logs"
    echo "tests: $passed passed, $failed failed, ${#skips[@]} skipped"
}
