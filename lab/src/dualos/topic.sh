#!/bin/busybox sh
# How long a message takes from the RTOS to a program of Linux's and back. An arm is HOW-BYTES: in-place, or copied by way of the program.
. /bin/orders
. /bin/report
order 1 0 3600000000
order 0 0 3600000000
insmod /bin/tokkyu_topics.ko || exit
echo_order() { devmem $((shared + 0x2800 + 8 * $1)) 64 "$2"; }
echo_count() { printf %d "$(devmem $((shared + 0x3c00 + 8 * $1)) 64)"; }
# Rounds are told apart over all arms.
round=0
for arm in $ARMS; do
    case $arm in copied-*) copy=copy ;; *) copy= ;; esac
    topics mirror /there /back $copy & mirror=$!
    # It has made its window, and waits.
    usleep 200000
    round=$((round + 1))
    echo_order 1 "${arm##*-}"
    echo_order 2 "$RUNS"
    echo_order 0 $round
    until [ "$(echo_count 0)" = $round ]; do usleep 100000; done
    kill $mirror
    wait $mirror
    echo "arm $arm came $(echo_count 1) ticks $(echo_count 2) most $(echo_count 3) others $(echo_count 4)"
done
poweroff -f
