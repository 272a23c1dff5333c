#!/bin/busybox sh
# How long Linux takes for its work while the RTOS has a share of the second processor. An arm is WORK-LOAD: tasks or hackbench; none, or
# constant or changing and the share in percent.
. /bin/orders
. /bin/report
now_ms() { awk '{ print $1 * 1000 }' /proc/uptime; }
# CPU-bound tasks, two for each processor, until the last is done.
tasks() {
    local task pids=
    for task in 1 2 3 4; do
        awk -v n="$RUNS" 'BEGIN { for (i = 0; i < n; i++) sum += i }' &
        pids="$pids $!"
    done
    wait $pids
}
hackbenches() { hackbench -g 4 -f 5 -l "$((RUNS / 100))" >/dev/null; }
# Twice a second the load comes, and goes.
change() {
    while :; do
        usleep 250000
        order "$HOME" 0 0
        usleep 250000
        order "$HOME" 0 "$PERIOD_US"
    done
}
for arm in $ARMS; do
    load=${arm#*-} changes=
    [ "$load" = none ] || begin "$HOME" "$PERIOD_US" $((PERIOD_US * ${load#*-} / 100)) 0 0
    case $load in changing-*) change & changes=$! ;; esac
    begun=$(now_ms)
    case $arm in tasks-*) tasks ;; *) hackbenches ;; esac
    ended=$(now_ms)
    if [ -n "$changes" ]; then
        kill "$changes"
        wait "$changes"
    fi
    [ "$load" = none ] || end "$HOME"
    report "$arm" seconds "$(awk "BEGIN { print ($ended - $begun) / 1000 }")"
done
poweroff -f
