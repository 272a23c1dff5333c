// SPDX-License-Identifier: GPL-2.0
/*
 * The gate: background packets are handled on background tasks' time (LBE-20).
 *
 * The current task is whose time is spent, whatever context asks, so the
 * question itself is one look at `current`. The work here is the answer "no":
 * who was refused must hear when a background task begins to run.
 *
 *      refused on processor A                 processor B switches to a background task
 *      ----------------------                 -----------------------------------------
 *      held = true                            background = true
 *      smp_mb()                      (1)      smp_mb()                              (2)
 *      look for a B with background           look at held
 *        found: call B                          set: irq_work on B
 *
 * By (1) and (2) whoever comes second sees the first one's store, so a release
 * cannot be lost (LBE-23). (2) is paid only on the edge from foreground to
 * background.
 *
 * The probe runs inside __schedule() under the run queue's lock. It must not
 * wake anything: raising a softirq there wakes ksoftirqd, which takes the same
 * lock. An irq_work is an interrupt to ourselves, taken as soon as the switch
 * is through; what it releases runs at its end, on the background task.
 */
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>

#include "lbe.h"

static unsigned int static_prio = MAX_PRIO - 1;

static int set_static_prio(const char *text, const struct kernel_param *param)
{
	return param_set_uint_minmax(text, param, MAX_RT_PRIO, MAX_PRIO - 1);
}

static const struct kernel_param_ops static_prio_ops = {
	.set = set_static_prio,
	.get = param_get_uint,
};

module_param_cb(static_prio, &static_prio_ops, &static_prio, 0644);
MODULE_PARM_DESC(static_prio, "tasks of this static priority and above are background: 100 (nice -20) to 139 (nice 19, the default)");

struct lbe_cpu {
	bool background;		/* written by this processor alone */
	atomic_t called;		/* csd is under way */
	struct irq_work switched;
	call_single_data_t csd;
};

static DEFINE_PER_CPU(struct lbe_cpu, lbe_cpus);

static bool lbe_held;			/* some waiter is */
static LIST_HEAD(lbe_waiters);		/* written under lbe_mutex, read under RCU */
static DEFINE_MUTEX(lbe_mutex);
static struct tracepoint *lbe_switch_point;
static bool lbe_probing;

static bool is_background(const struct task_struct *task)
{
	return is_idle_task(task) || task->policy == SCHED_IDLE ||
	       task->static_prio >= READ_ONCE(static_prio);
}

bool lbe_on_background_time(void)
{
	return is_background(current) || !READ_ONCE(lbe_probing);
}

/* Hard interrupt, on a processor that just began to run a background task or was told to ask. */
static void release_all(bool steered)
{
	struct lbe_waiter *waiter;

	if (!xchg(&lbe_held, false))
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(waiter, &lbe_waiters, node) {
		if (!xchg(&waiter->held, false))
			continue;
		atomic64_inc(steered ? &waiter->steered : &waiter->released);
		waiter->release(waiter);
	}
	rcu_read_unlock();
}

static void on_switched(struct irq_work *work)
{
	release_all(false);
}

static void on_called(void *info)
{
	struct lbe_cpu *cpu = info;

	atomic_set_release(&cpu->called, 0);
	release_all(true);
}

static void on_sched_switch(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next, unsigned int prev_state)
{
	struct lbe_cpu *cpu = this_cpu_ptr(&lbe_cpus);
	bool background = is_background(next);

	if (background != cpu->background) {
		WRITE_ONCE(cpu->background, background);
		smp_mb();	/* (2) */
	}
	/*
	 * The last switch of a processor that goes offline is to its idle task,
	 * with its interrupts gone: the work would wait for its return, and
	 * stop_probing() for the work.
	 */
	if (background && READ_ONCE(lbe_held) && cpu_online(smp_processor_id()))
		irq_work_queue(&cpu->switched);
}

static void call_a_background_cpu(void)
{
	int self = smp_processor_id(), id;

	for_each_online_cpu(id) {
		struct lbe_cpu *cpu = per_cpu_ptr(&lbe_cpus, id);

		if (id == self || !READ_ONCE(cpu->background))
			continue;
		/* One that was called and has not looked yet will see what is held now. */
		if (atomic_xchg(&cpu->called, 1))
			return;
		if (!smp_call_function_single_async(id, &cpu->csd))
			return;
		atomic_set(&cpu->called, 0);	/* went offline meanwhile */
	}
}

/* Softirqs off. The caller was refused, and has put what it holds where release() finds it. */
void lbe_gate_hold(struct lbe_waiter *waiter, bool steer)
{
	WRITE_ONCE(waiter->held, true);
	smp_store_release(&lbe_held, true);	/* who takes it sees whose it is */
	smp_mb();	/* (1) */
	if (steer)
		call_a_background_cpu();
}

static void look_at_current(void *info)
{
	WRITE_ONCE(this_cpu_ptr(&lbe_cpus)->background, is_background(current));
}

static void start_probing(void)
{
	int err = tracepoint_probe_register(lbe_switch_point, on_sched_switch, NULL);

	if (err) {
		pr_warn("sch_lbe: no probe of sched_switch (%d), gates stay open\n", err);
		return;
	}
	/* A processor that has been idle since before tells nothing by itself. */
	on_each_cpu(look_at_current, NULL, 1);
	WRITE_ONCE(lbe_probing, true);
}

static void stop_probing(void)
{
	int id;

	if (!lbe_probing)
		return;
	WRITE_ONCE(lbe_probing, false);
	tracepoint_probe_unregister(lbe_switch_point, on_sched_switch, NULL);
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(id) {
		struct lbe_cpu *cpu = per_cpu_ptr(&lbe_cpus, id);

		irq_work_sync(&cpu->switched);
		while (atomic_read_acquire(&cpu->called))
			cpu_relax();
	}
}

/* Whether the gate works; if not it is open, and nothing is ever held. */
bool lbe_gate_add(struct lbe_waiter *waiter)
{
	bool probing;

	mutex_lock(&lbe_mutex);
	if (!lbe_probing)
		start_probing();
	probing = lbe_probing;
	list_add_tail_rcu(&waiter->node, &lbe_waiters);
	mutex_unlock(&lbe_mutex);
	return probing;
}

/* Sleeps. release() is not called any more when this returns. */
void lbe_gate_remove(struct lbe_waiter *waiter)
{
	mutex_lock(&lbe_mutex);
	list_del_rcu(&waiter->node);
	if (list_empty(&lbe_waiters))
		stop_probing();
	mutex_unlock(&lbe_mutex);
	synchronize_rcu();
}

static void find_switch_point(struct tracepoint *point, void *data)
{
	/* The symbol is not exported, the list of tracepoints is. */
	if (!strcmp(point->name, "sched_switch"))
		lbe_switch_point = point;
}

int lbe_gate_init(void)
{
	int id;

	for_each_kernel_tracepoint(find_switch_point, NULL);
	if (!lbe_switch_point) {
		pr_err("sch_lbe: this kernel has no tracepoint sched_switch\n");
		return -ENOENT;
	}
	for_each_possible_cpu(id) {
		struct lbe_cpu *cpu = per_cpu_ptr(&lbe_cpus, id);

		init_irq_work(&cpu->switched, on_switched);
		INIT_CSD(&cpu->csd, on_called, cpu);
	}
	return 0;
}

void lbe_gate_exit(void)
{
	WARN_ON(!list_empty(&lbe_waiters));
}
