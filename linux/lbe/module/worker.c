// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel thread for each band, the rival of the paper (after Tokuda et al.
 * 1989; LBE-70). Whoever finds packets wakes the band's thread, and only that
 * thread takes them. The background band's has nice 19; a module cannot give
 * it SCHED_IDLE, `chrt -i -p 0 PID` can.
 */
#include <linux/kthread.h>

#include "lbe.h"

struct lbe_worker {
	struct task_struct *task;
	struct Qdisc *sch;
	unsigned long due;	/* bit 0 */
};

struct lbe_workers {
	struct lbe_worker of_band[2];
};

bool lbe_workers_is(const struct lbe_workers *workers, int band)
{
	return current == workers->of_band[band].task;
}

/* Any context but the scheduler's own. */
void lbe_workers_wake(struct lbe_workers *workers, int band)
{
	struct lbe_worker *worker = &workers->of_band[band];

	if (!test_and_set_bit(0, &worker->due))
		wake_up_process(worker->task);
}

static int work(void *data)
{
	struct lbe_worker *worker = data;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		if (!test_and_clear_bit(0, &worker->due)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		/* The send softirq runs at enable, on this thread: it is `current` in dequeue. */
		local_bh_disable();
		lbe_ask(worker->sch);
		local_bh_enable();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int start(struct lbe_worker *worker, struct Qdisc *sch, int band)
{
	worker->sch = sch;
	worker->task = kthread_create(work, worker, "lbe/%s/%d", qdisc_dev(sch)->name, band);
	if (IS_ERR(worker->task)) {
		int err = PTR_ERR(worker->task);

		worker->task = NULL;
		return err;
	}
	if (band)
		set_user_nice(worker->task, MAX_NICE);
	wake_up_process(worker->task);
	return 0;
}

struct lbe_workers *lbe_workers_create(struct Qdisc *sch)
{
	struct lbe_workers *workers = kzalloc(sizeof(*workers), GFP_KERNEL);
	int err, band;

	if (!workers)
		return ERR_PTR(-ENOMEM);
	for (band = 0; band < 2; band++) {
		err = start(&workers->of_band[band], sch, band);
		if (err) {
			lbe_workers_destroy(workers);
			return ERR_PTR(err);
		}
	}
	return workers;
}

/* Sleeps. Nobody dequeues any more, or wakes. */
void lbe_workers_destroy(struct lbe_workers *workers)
{
	int band;

	if (!workers)
		return;
	for (band = 0; band < 2; band++)
		if (workers->of_band[band].task)
			kthread_stop(workers->of_band[band].task);
	kfree(workers);
}
