// SPDX-License-Identifier: GPL-2.0
/*
 * What the processors did: /sys/kernel/debug/vmac/meter, one line for each, as
 * name=value. Writing anything sets it back to 0.
 *
 * busy_ns is all time that a processor was not halted: from the first interrupt
 * entry after an idle entry to the next idle entry, less what the wire's timers
 * cost to set (set_timer in wire.c). The kernel's own accounting by ticks does
 * not see softirqs that run out of idle, where nearly all background traffic is
 * handled. Under QEMU's instruction counting a busy nanosecond is a fixed number
 * of instructions, so this is the instruction count too, without caches and
 * pipelines: say "instructions", not "time".
 */
#include <linux/debugfs.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/tracepoint.h>

#include "vmac.h"

struct meter {
	u64 since_ns;
	u64 halted_ns;
	u64 halted_since_ns;	/* 0: not halted */
	u64 emulated_ns;
	u64 switches;
	u64 interrupts;
	u64 softirqs[NR_SOFTIRQS];
};

static DEFINE_PER_CPU(struct meter, meters);

static void end_halt(struct meter *meter)
{
	if (!meter->halted_since_ns)
		return;
	meter->halted_ns += ktime_get_mono_fast_ns() - meter->halted_since_ns;
	meter->halted_since_ns = 0;
}

static void on_idle(void *data, unsigned int state, unsigned int cpu)
{
	struct meter *meter = this_cpu_ptr(&meters);

	if (state == (unsigned int)-1)
		end_halt(meter);
	else
		meter->halted_since_ns = ktime_get_mono_fast_ns();
}

/* Interrupts off. */
void vmac_meter_emulated(u64 ns)
{
	this_cpu_ptr(&meters)->emulated_ns += ns;
}

static void on_interrupt(void)
{
	struct meter *meter = this_cpu_ptr(&meters);

	end_halt(meter);
	meter->interrupts++;
}

static void on_vector(void *data, int vector)
{
	on_interrupt();
}

static void on_irq(void *data, int irq, struct irqaction *action)
{
	on_interrupt();
}

static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int state)
{
	this_cpu_ptr(&meters)->switches++;
}

static void on_softirq(void *data, unsigned int vector)
{
	if (vector < NR_SOFTIRQS)
		this_cpu_ptr(&meters)->softirqs[vector]++;
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *point;
} points[] = {
	{ "cpu_idle", on_idle },
	{ "local_timer_entry", on_vector },
	{ "reschedule_entry", on_vector },
	{ "call_function_entry", on_vector },
	{ "call_function_single_entry", on_vector },
	{ "irq_work_entry", on_vector },
	{ "irq_handler_entry", on_irq },
	{ "sched_switch", on_switch },
	{ "softirq_entry", on_softirq },
};

static void find_point(struct tracepoint *point, void *data)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(point->name, points[i].name))
			points[i].point = point;
}

static void show_one(struct seq_file *file, int cpu)
{
	struct meter *meter = per_cpu_ptr(&meters, cpu);
	u64 now = ktime_get_mono_fast_ns(), since = READ_ONCE(meter->halted_since_ns);
	u64 total = now - meter->since_ns, halted = meter->halted_ns;

	if (since && now > since)
		halted += now - since;
	seq_printf(file, "cpu=%d total_ns=%llu busy_ns=%llu switches=%llu interrupts=%llu", cpu,
		   total, total - halted - meter->emulated_ns, meter->switches, meter->interrupts);
	seq_printf(file, " net_tx=%llu net_rx=%llu timer=%llu tasklet=%llu\n",
		   meter->softirqs[NET_TX_SOFTIRQ], meter->softirqs[NET_RX_SOFTIRQ],
		   meter->softirqs[TIMER_SOFTIRQ], meter->softirqs[TASKLET_SOFTIRQ]);
}

static int meter_show(struct seq_file *file, void *data)
{
	int cpu;

	for_each_online_cpu(cpu)
		show_one(file, cpu);
	return 0;
}

static int meter_open(struct inode *inode, struct file *file)
{
	return single_open(file, meter_show, NULL);
}

static void reset(void *data)
{
	struct meter *meter = this_cpu_ptr(&meters);

	memset(meter, 0, sizeof(*meter));
	meter->since_ns = ktime_get_mono_fast_ns();
}

static ssize_t meter_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	on_each_cpu(reset, NULL, 1);
	return size;
}

static const struct file_operations meter_ops = {
	.owner = THIS_MODULE,
	.open = meter_open,
	.read = seq_read,
	.write = meter_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* Some points exist on x86 alone, and one that is missing only makes a halt seem longer. */
int vmac_meter_init(struct dentry *folder)
{
	int i;

	for_each_kernel_tracepoint(find_point, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		if (points[i].point &&
		    tracepoint_probe_register(points[i].point, points[i].probe, NULL))
			points[i].point = NULL;
		if (!points[i].point)
			pr_warn("vmac: no tracepoint %s\n", points[i].name);
	}
	on_each_cpu(reset, NULL, 1);
	debugfs_create_file("meter", 0600, folder, NULL, &meter_ops);
	return 0;
}

void vmac_meter_exit(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (points[i].point)
			tracepoint_probe_unregister(points[i].point, points[i].probe, NULL);
	tracepoint_synchronize_unregister();
}
