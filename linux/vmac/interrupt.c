// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupt of a device.
 *
 * interrupt=0: there is none. The wire's timers are the interrupts of their
 * device and call NAPI themselves, which is right where softirqs follow hard
 * interrupts at once. On PREEMPT_RT all of NAPI then runs in ksoftirqd.
 *
 * interrupt=1: a line of its own, which the kernel threads where it threads
 * interrupts, and whose affinity can be set. interrupt=2: the same, never
 * threaded (IRQF_NO_THREAD), as some drivers do.
 *
 * The line is edge-like. It is masked from the interrupt to the end of the
 * poll, as a driver with NAPI does; what comes meanwhile is remembered:
 *
 *           vmac_interrupt            end of poll, nothing pending
 *   open ─────────────────► masked ─────────────────────────────► open
 *    │                      ▲  │ ▲
 *    │ vmac_interrupt, when │  ▼ │ end of poll: fires again
 *    ▼ it is to wait   time │ pending (by vmac_interrupt)
 *   held ───────────────────┘
 *
 * What comes while it is held is told with it.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/smp.h>

#include "vmac.h"

/* Moved when it is asked for; by default x86 waits for the next one to be acknowledged, which nobody does here. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define VMAC_MOVABLE 0			/* the default of chips by then */
#else
#define VMAC_MOVABLE IRQ_MOVE_PCNTXT
#endif

static int set_affinity(struct irq_data *data, const struct cpumask *mask, bool force)
{
	struct vmac *mac = irq_data_get_irq_chip_data(data);
	unsigned int cpu = cpumask_first_and(mask, cpu_online_mask);

	if (cpu >= nr_cpu_ids)
		return -EINVAL;
	WRITE_ONCE(mac->irq_cpu, cpu);
	irq_data_update_effective_affinity(data, cpumask_of(cpu));
	return IRQ_SET_MASK_OK;
}

static void nothing(struct irq_data *data)
{
}

static struct irq_chip vmac_chip = {
	.name = "vmac",
	.irq_mask = nothing,
	.irq_unmask = nothing,
	.irq_ack = nothing,
	.irq_set_affinity = set_affinity,
};

static void on_again(struct irq_work *work)
{
	generic_handle_irq(container_of(work, struct vmac, irq_again)->irq);
}

/*
 * On its processor, interrupts off. From the end of a poll it is no hard
 * interrupt, which a handler that is threaded does not mind. One that is not
 * raises a softirq, and PREEMPT_RT warns of that where the idle loop itself
 * takes the calls that came meanwhile (do_softirq_post_smp_call_flush).
 */
static void handle(void *info)
{
	struct vmac *mac = info;

	if (vmac_interrupts == 2 && !in_hardirq())
		irq_work_queue(&mac->irq_again);
	else
		generic_handle_irq(mac->irq);
}

static void fire(struct vmac *mac)
{
	int err = smp_call_function_single_async(READ_ONCE(mac->irq_cpu), &mac->irq_call);

	/* Masked until its poll has ended, it cannot be under way still. */
	WARN_ON_ONCE(err);
}

/* Hard interrupt. */
static enum hrtimer_restart on_held(struct hrtimer *timer)
{
	struct vmac *mac = container_of(timer, struct vmac, held);
	bool held;

	raw_spin_lock(&mac->lock);
	held = mac->line_state == VMAC_LINE_HELD;
	if (held)
		mac->line_state = VMAC_LINE_MASKED;
	raw_spin_unlock(&mac->lock);
	if (held)
		fire(mac);
	return HRTIMER_NORESTART;
}

/* Lock held, hard interrupt, on the processor of the wire. What it has come to; one that is open may wait for more. */
static enum vmac_line_state state_with_more(struct vmac *mac)
{
	u64 hold_ns = (u64)READ_ONCE(mac->hold_us) * NSEC_PER_USEC;

	switch (mac->line_state) {
	case VMAC_LINE_OPEN:
		if (!hold_ns)
			return VMAC_LINE_MASKED;
		hrtimer_start(&mac->held, ns_to_ktime(ktime_get_ns() + hold_ns), HRTIMER_MODE_ABS_PINNED_HARD);
		return VMAC_LINE_HELD;
	case VMAC_LINE_MASKED:
		return VMAC_LINE_PENDING;
	default:
		return mac->line_state;
	}
}

/* Hard interrupt, lock not held. */
void vmac_interrupt(struct vmac *mac)
{
	bool fires;

	mac->interrupts++;
	if (!vmac_interrupts) {
		napi_schedule(&mac->napi);
		return;
	}
	raw_spin_lock(&mac->lock);
	fires = mac->line_state == VMAC_LINE_OPEN;
	mac->line_state = state_with_more(mac);
	fires &= mac->line_state == VMAC_LINE_MASKED;
	raw_spin_unlock(&mac->lock);
	if (fires)
		fire(mac);
}

/* A poll has ended. */
void vmac_interrupt_unmask(struct vmac *mac)
{
	unsigned long irq;
	bool again;

	if (!vmac_interrupts)
		return;
	raw_spin_lock_irqsave(&mac->lock, irq);
	again = mac->line_state == VMAC_LINE_PENDING;
	if (mac->line_state != VMAC_LINE_OFF)
		mac->line_state = again ? VMAC_LINE_MASKED : VMAC_LINE_OPEN;
	raw_spin_unlock_irqrestore(&mac->lock, irq);
	if (again)
		fire(mac);
}

static irqreturn_t on_interrupt(int irq, void *info)
{
	struct vmac *mac = info;

	napi_schedule(&mac->napi);
	return IRQ_HANDLED;
}

static void set_line(struct vmac *mac, enum vmac_line_state state)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&mac->lock, irq);
	mac->line_state = state;
	raw_spin_unlock_irqrestore(&mac->lock, irq);
}

/* The device comes up. */
int vmac_interrupt_open(struct vmac *mac)
{
	unsigned long flags = vmac_interrupts == 2 ? IRQF_NO_THREAD : 0;
	unsigned int cpu = READ_ONCE(mac->irq_cpu);
	int err;

	if (!vmac_interrupts)
		return 0;
	err = request_irq(mac->irq, on_interrupt, flags, mac->dev->name, mac);
	if (err)
		return err;
	/* Asked for, it has the system's default affinity. */
	irq_set_affinity(mac->irq, cpumask_of(cpu));
	set_line(mac, VMAC_LINE_OPEN);
	return 0;
}

/* The device goes down; NAPI still runs, and may be running. */
void vmac_interrupt_stop(struct vmac *mac)
{
	if (!vmac_interrupts)
		return;
	set_line(mac, VMAC_LINE_OFF);
	hrtimer_cancel(&mac->held);
	irq_work_sync(&mac->irq_again);
	free_irq(mac->irq, mac);
}

int vmac_interrupt_init(struct vmac *mac)
{
	mac->irq = -1;
	vmac_timer_init(&mac->held, on_held);
	mac->irq_cpu = min_t(unsigned int, vmac_irq_cpu[mac->index], nr_cpu_ids - 1);
	INIT_CSD(&mac->irq_call, handle, mac);
	mac->irq_again = IRQ_WORK_INIT_HARD(on_again);
	if (!vmac_interrupts)
		return 0;
	mac->irq = irq_alloc_desc(NUMA_NO_NODE);
	if (mac->irq < 0)
		return mac->irq;
	irq_set_chip_and_handler(mac->irq, &vmac_chip, handle_simple_irq);
	irq_set_chip_data(mac->irq, mac);
	irq_modify_status(mac->irq, IRQ_NOREQUEST | IRQ_NOPROBE, VMAC_MOVABLE);
	return 0;
}

void vmac_interrupt_exit(struct vmac *mac)
{
	if (mac->irq >= 0)
		irq_free_desc(mac->irq);
}
