#!/bin/busybox sh
# How long it takes from when a task of the RTOS's is due to its first function, while Linux is busy.
. /bin/orders
. /bin/report
companion tell || exit
# Where instructions are counted processors take turns: what the other one does for its own orders would be in this one's time.
order 1 0 3600000000
for arm in $ARMS; do
    begin "$HOME" "$PERIOD_US" "$WORK_US" "$(policy_of "$arm")" 200
    hackbench -T -g 2 -f 4 -l "$RUNS" >/dev/null
    end "$HOME"
    report "$arm"
done
poweroff -f
