#!/bin/busybox sh
# How long processors wait for spin locks while the RTOS takes one: ARMS, RUNS and others are what the kernel's command line says.
. /bin/orders
. /bin/report
mount -t tracefs tracefs /sys/kernel/tracing
cd /sys/kernel/tracing || exit
companion tell || exit
# Of a processor, the time from when it begins to wait to when it has the lock (flags 1: a spin lock), by powers of two of microseconds.
echo 'waited u64 us' >synthetic_events
echo 'hist:keys=common_cpu:begun=common_timestamp.usecs if flags==1' >events/lock/contention_begin/trigger
echo 'hist:keys=common_cpu:us=common_timestamp.usecs-$begun:onmatch(lock.contention_begin).trace(waited,$us)' \
    >events/lock/contention_end/trigger
echo 'hist:keys=us.log2' >events/synthetic/waited/trigger
# seconds_of RUNS: of so many hackbenches, all in all.
seconds_of() {
    for run in $(seq "$1"); do hackbench -T -g 4 -f 5 -l 200 | sed -n 's/^Time: //p'; done |
        awk '{ all += $1 } END { print all }'
}
waits() { sed -n 's/^{ us: ~ 2^\([0-9]*\) *} hitcount: *\([0-9]*\)$/waits '"$1"' \1 \2/p' events/synthetic/waited/hist; }
clear() { echo 'hist:keys=us.log2:clear' >>events/synthetic/waited/trigger; }
seconds_of 1 >/dev/null
for arm in $ARMS; do
    case $arm in
        none) ;;
        timer) begin "$HOME" "$PERIOD_US" 1 0 0 ;;
        *) begin "$HOME" "$PERIOD_US" "$WORK_US" "$(policy_of "$arm")" 200 ;;
    esac
    clear
    seconds=$(seconds_of "$RUNS")
    found=$(waits "$arm")
    if [ "$arm" != none ]; then end "$HOME"; fi
    report "$arm" seconds "$seconds"
    echo "$found"
done
poweroff -f
