// SPDX-License-Identifier: GPL-2.0
/*
 * sch_lbe: lower than best effort.
 *
 * Background packets take what the wire and the processor have left, and are
 * gone the moment a foreground packet or a foreground task needs either. Four
 * things together do that, each in a file:
 *
 *   qdisc.c    two bands; a background packet only when the other band is empty,
 *              also across the refill of TCP Small Queues
 *   gate.c     and only while the current task is idle or background itself
 *   device.c   with no more than one packet in the device's own queue
 *   receive.c  the same for received background packets, if wanted
 *
 * What it refuses to do: shape to a rate (there is none to state), drop for the
 * sake of delay, hold a packet for longer than max_hold, work below another
 * qdisc, or run on a PREEMPT_RT kernel, where `current` in a softirq is the
 * softirq's own thread.
 *
 * After: T. Yamamoto, S. Saruwatari, H. Morikawa, "Lightweight
 * Lower-than-Best-Effort", 2012. SPEC.md has the requirements.
 */
#include <linux/module.h>

#include "lbe.h"

static int __init lbe_init(void)
{
	int err;

	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		pr_err("sch_lbe: not on a PREEMPT_RT kernel, where softirqs are tasks of their own\n");
		return -EOPNOTSUPP;
	}
	err = lbe_gate_init();
	if (err)
		return err;
	err = lbe_device_init();
	if (err)
		goto no_device;
	err = lbe_flows_init();
	if (err)
		goto no_flows;
	err = register_qdisc(&lbe_qdisc_ops);
	if (err)
		goto no_qdisc;
	return 0;

no_qdisc:
	lbe_flows_exit();
no_flows:
	lbe_device_exit();
no_device:
	lbe_gate_exit();
	return err;
}

static void __exit lbe_exit(void)
{
	unregister_qdisc(&lbe_qdisc_ops);
	lbe_flows_exit();
	lbe_device_exit();
	lbe_gate_exit();
}

module_init(lbe_init);
module_exit(lbe_exit);
MODULE_LICENSE("GPL");
MODULE_AUTHOR("tokkyu");
MODULE_DESCRIPTION("Lower-than-best-effort queueing discipline");
MODULE_ALIAS("net-sch-lbe");
