#!/bin/busybox sh
# Whether the RTOS's task is ever late while Linux does its worst. An arm is what that is; where Linux begins anew, this does too, and goes on:
# what is under way is in the last word of what the RTOS leaves to experiments, which is 0 when the machine begins.
. /bin/orders
. /bin/report
under_way=$((shared + 0x3ff8))
# Where instructions are counted processors take turns: what the other one does for its own orders would be in this one's time.
order 1 0 3600000000
insmod /bin/tokkyu_topics.ko || exit
before=$(printf %d "$(devmem "$under_way" 64)")
number=0
for arm in $ARMS; do
    number=$((number + 1))
    [ $number -ge "$before" ] || continue
    if [ $number != "$before" ]; then
        devmem "$under_way" 64 $number
        # Rounds are told apart over all beginnings of Linux.
        round=$number
        begin "$HOME" "$PERIOD_US" "$WORK_US" 0 0
        case $arm in
            quiet) sleep 1 ;;
            reboot) reboot -f ;;
            panic)
                echo 1 >/proc/sys/kernel/panic
                echo c >/proc/sysrq-trigger
                ;;
            calls) dd if=/dev/zero of=/dev/tokkyu-topics bs=1 count="$((RUNS * 100))" 2>/dev/null ;;
            work) hackbench -T -g 2 -f 4 -l "$RUNS" >/dev/null ;;
        esac
    fi
    end "$HOME"
    report "$arm"
done
poweroff -f
