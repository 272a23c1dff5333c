/* What the tasks of app.cfg do. */
#include "kernel.h"
#include "kernel_cfg.h"

static void say(const char *what, long number)
{
    char digits[24], *at = digits + sizeof digits - 1;
    const int is_negative = number < 0;
    unsigned long left = is_negative ? -(unsigned long)number : (unsigned long)number;
    *at = 0;
    do *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (is_negative) *--at = '-';
    tokkyu_write(what);
    tokkyu_write(" ");
    tokkyu_write(at);
    tokkyu_write("\n");
}

/* Every millisecond, in place of a task. */
void every(EXINF exinf)
{
    (void)exinf;
    sig_sem(TICK);
}

/* Sends as many numbers as its exinf says. */
void producer(EXINF count)
{
    for (long number = 1; number <= count; ++number) {
        wai_sem(TICK);
        snd_dtq(NUMBERS, number * number);
    }
    snd_dtq(NUMBERS, 0);
}

/* Adds up what comes, and tells what a wrong call answers. */
void consumer(EXINF exinf)
{
    intptr_t number;
    long sum = 0;
    ID processor = 0;
    T_RTSK status;
    (void)exinf;
    get_pid(&processor);
    say("consumer on processor", processor);
    while (rcv_dtq(NUMBERS, &number) == E_OK && number != 0) {
        say("received", number);
        sum += number;
    }
    say("sum", sum);
    say("of no semaphore", sig_sem(TNUM_SEMID + 1));
    say("in vain", trcv_dtq(NUMBERS, &number, 500));
    if (ref_tsk(PRODUCER, &status) == E_OK) say("the producer is in state", (long)status.tskstat);
    ext_ker();
}

void last(EXINF exinf)
{
    (void)exinf;
    tokkyu_write("done\n");
}
