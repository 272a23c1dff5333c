// SPDX-License-Identifier: GPL-2.0
/*
 * Tells the RTOS on the same processors which task each of them runs, and where a task has the count of what keeps it from being
 * preempted (monitor/SPEC.md, MON-71): what the program companion finds in /proc/kallsyms, /proc/kcore and BTF, for kernels that hide
 * these. There is a price that the program has not: a word is written at each switch from one task to another.
 *
 *	insmod		a page with a word for each processor; the tracepoint sched_switch writes there; it is told where all of it is
 *	first idle	of a processor: which task that is, which is told again
 *	rmmod		nothing is told any more, and then the page goes
 *
 * The word is the next task's a moment before that runs: its count says then that it is in the scheduler, which is held.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init_task.h>
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

/* Of the shared memory. */
#define TELLING_AT 0x1000
#define TELLING_BYTES 0x1000
#define PROCESSORS_MAX 8

/* Words of 64 bits of what is told. */
enum telling {
	NUMBER = 0,
	FLAGS = 1,
	COUNT_AT = 2,
	/* Address, bytes, physical address. */
	IMAGE = 4,
	MEMORY = 7,
	/* Of a processor: where its word is, and its idle task. */
	PROCESSORS = 0x100 / 8,
};

/* In FLAGS. */
#define COUNTED 1

/* How soon after a processor has first been idle it is told: when nothing else is under way. */
#define SOON (HZ / 10)

static u64 *telling;
/* What the RTOS reads: of each processor the task that runs. */
static u64 *running;
static u64 idle[PROCESSORS_MAX];
static struct tracepoint *switches;

static void tell(struct work_struct *work);
static DECLARE_DELAYED_WORK(teller, tell);

/* Where a processor is first seen idle the run queue's lock is held, and no work may be queued. */
static void ask(struct irq_work *work)
{
	schedule_delayed_work(&teller, SOON);
}

static DEFINE_IRQ_WORK(asker, ask);

static void put(unsigned int word, u64 value)
{
	WRITE_ONCE(telling[word], value);
	/* Each is there before the next: the number comes last. */
	smp_wmb();
}

static void put_window(unsigned int word, const void *address, u64 bytes, phys_addr_t physical)
{
	put(word, (u64)address);
	put(word + 1, bytes);
	put(word + 2, physical);
}

static void tell(struct work_struct *work)
{
	unsigned int cpu;

	put(NUMBER, 0);
	put(FLAGS, IS_ENABLED(CONFIG_PREEMPT_COUNT) ? COUNTED : 0);
	put(COUNT_AT, offsetof(struct task_struct, thread_info.preempt.count));
	/* The first task is in the kernel's image, all others in memory as it is mapped from its beginning on. */
	put_window(IMAGE, &init_task, sizeof(init_task), __pa_symbol(&init_task));
	put_window(MEMORY, (void *)PAGE_OFFSET, (u64)high_memory - PAGE_OFFSET, __pa(PAGE_OFFSET));
	for (cpu = 0; cpu < PROCESSORS_MAX; cpu++) {
		put(PROCESSORS + 2 * cpu, cpu < nr_cpu_ids ? __pa(&running[cpu]) : 0);
		put(PROCESSORS + 2 * cpu + 1, READ_ONCE(idle[cpu]));
	}
	/* Another each time, and not 0. */
	put(NUMBER, ktime_get_real_ns() | 1);
}

/* With the run queue's lock, on the processor that it is about. */
static void note(unsigned int cpu, struct task_struct *task)
{
	if (cpu >= PROCESSORS_MAX)
		return;
	WRITE_ONCE(running[cpu], (u64)task);
	if (is_idle_task(task) && idle[cpu] != (u64)task) {
		WRITE_ONCE(idle[cpu], (u64)task);
		irq_work_queue(&asker);
	}
}

static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	note(smp_processor_id(), next);
}

static void note_here(void *info)
{
	note(smp_processor_id(), current);
}

static void find_switches(struct tracepoint *tracepoint, void *found)
{
	if (!strcmp(tracepoint->name, "sched_switch"))
		*(struct tracepoint **)found = tracepoint;
}

/* The memory that is shared, by the device that topics have of it. */
static int map_telling(void)
{
	struct device_node *node = of_find_compatible_node(NULL, NULL, "tokkyu,topics");
	struct resource memory;
	int err = node ? of_address_to_resource(node, 0, &memory) : -ENODEV;

	of_node_put(node);
	if (err) {
		pr_err("this Linux has no RTOS beside it\n");
		return err;
	}
	telling = memremap(memory.start + TELLING_AT, TELLING_BYTES, MEMREMAP_WB);
	return telling ? 0 : -ENOMEM;
}

static int __init placement_init(void)
{
	int err;

	for_each_kernel_tracepoint(find_switches, &switches);
	if (!switches) {
		pr_err("the kernel has no tracepoint sched_switch: CONFIG_TRACEPOINTS\n");
		return -ENOENT;
	}
	err = map_telling();
	if (err)
		return err;
	running = (u64 *)get_zeroed_page(GFP_KERNEL);
	if (!running) {
		err = -ENOMEM;
		goto unmap;
	}
	err = tracepoint_probe_register(switches, on_switch, NULL);
	if (err)
		goto free;
	/* Who has not been switched to since. */
	on_each_cpu(note_here, NULL, 1);
	schedule_delayed_work(&teller, 0);
	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		pr_info("tasks are not counted (CONFIG_PREEMPT_COUNT): the RTOS sees user mode and idleness only\n");
	return 0;
free:
	free_page((unsigned long)running);
unmap:
	memunmap(telling);
	return err;
}

static void __exit placement_exit(void)
{
	tracepoint_probe_unregister(switches, on_switch, NULL);
	tracepoint_synchronize_unregister();
	irq_work_sync(&asker);
	cancel_delayed_work_sync(&teller);
	put(NUMBER, 0);
	/* The RTOS may look there once more: it believes no address, and reads words of memory whosever they are. */
	free_page((unsigned long)running);
	memunmap(telling);
}

module_init(placement_init);
module_exit(placement_exit);

MODULE_DESCRIPTION("Tells an RTOS on the same processors where Linux holds locks");
MODULE_LICENSE("GPL");
