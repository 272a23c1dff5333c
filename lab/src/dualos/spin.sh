#!/bin/busybox sh
# How long processors wait for spin locks, and spin for mutexes, while the RTOS takes one: ARMS, RUNS and others are what the kernel's command line says.
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
# Of a task, the time for which it spins for a mutex whose owner runs (flags 33: a mutex, by spinning); one that sleeps then begins anew.
echo 'spun u64 us; u32 how' >>synthetic_events
echo 'hist:keys=common_pid:spins=common_timestamp.usecs,how=flags if flags>=32' >>events/lock/contention_begin/trigger
echo 'hist:keys=common_pid:spun_us=common_timestamp.usecs-$spins,spun_how=$how:onmatch(lock.contention_begin).trace(spun,$spun_us,$spun_how)' \
    >>events/lock/contention_end/trigger
echo 'hist:keys=us.log2 if how==33' >events/synthetic/spun/trigger
# seconds_of RUNS: of so many hackbenches by sockets, which take spin locks, and half as many by pipes, which take mutexes.
seconds_of() {
    for run in $(seq "$1"); do
        hackbench -T -g 4 -f 5 -l 200
        [ $((run % 2)) = 1 ] || hackbench -T -p -g 4 -f 5 -l 200
    done | sed -n 's/^Time: //p' |
        awk '{ all += $1 } END { print all }'
}
# found KIND EVENT ARM
found() { sed -n 's/^{ us: ~ 2^\([0-9]*\) *} hitcount: *\([0-9]*\)$/'"$1 $3"' \1 \2/p' events/synthetic/"$2"/hist; }
clear() {
    echo 'hist:keys=us.log2:clear' >>events/synthetic/waited/trigger
    echo 'hist:keys=us.log2:clear if how==33' >>events/synthetic/spun/trigger
}
seconds_of 1 >/dev/null
for arm in $ARMS; do
    case $arm in
        none) ;;
        timer) begin "$HOME" "$PERIOD_US" 1 0 0 ;;
        *) begin "$HOME" "$PERIOD_US" "$WORK_US" "$(policy_of "$arm")" 200 ;;
    esac
    clear
    seconds=$(seconds_of "$RUNS")
    waits=$(found waits waited "$arm") spins=$(found spins spun "$arm")
    if [ "$arm" != none ]; then end "$HOME"; fi
    report "$arm" seconds "$seconds"
    printf '%s\n' "$waits" "$spins"
done
poweroff -f
