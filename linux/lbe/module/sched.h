/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of one qdisc, which qdisc.c, options.c and class.c share. Written
 * under the qdisc's root lock; what only rtnetlink writes (opt, workers,
 * receive, cut, auto_budget) may be read under RTNL without it. auto_budget
 * follows the device, and is written without it too.
 */
#ifndef LBE_SCHED_H
#define LBE_SCHED_H

#include "lbe.h"

enum { FOREGROUND, BACKGROUND, BANDS };

struct lbe_options {
	u32 mode;
	u32 limit;
	u32 max_hold_us;
	u32 device_queue;
	u32 budget;
	u32 switches;
};

struct lbe_sched {
	struct Qdisc *foreground;
	struct qdisc_skb_head background;
	struct gnet_stats_queue qstats;		/* of the background band, as bstats */
	struct gnet_stats_basic_sync bstats;
	struct lbe_options opt;

	bool deferred;
	unsigned long foreground_at;	/* jiffies when it gave its last packet */
	struct tasklet_struct again;

	bool gated;			/* the gate works (LBE-25) */
	struct lbe_door door;
	struct lbe_waiter waiter;
	struct qdisc_watchdog valve;	/* asks again, at the latest */
	u64 valve_ns;

	struct lbe_flight *flight;
	u32 auto_budget;		/* of a device without byte queue accounting */
	bool full;			/* the device has its budget, ... */
	unsigned long full_since;	/* jiffies, since then */
	struct lbe_cut cut;

	struct lbe_workers *workers;	/* mode task */
	struct lbe_receive *receive;
	struct tc_lbe_xstats xstats;
	struct Qdisc *sch;
};

/* --- options.c: what a qdisc is told, and the change from one to another (LBE-80) --- */

extern const struct lbe_options lbe_options_default;

int lbe_options_read(struct nlattr *attrs, struct lbe_options *opt, struct netlink_ext_ack *extack);
int lbe_options_apply(struct Qdisc *sch, const struct lbe_options *opt);
int lbe_options_change(struct Qdisc *sch, struct nlattr *attrs, struct netlink_ext_ack *extack);
int lbe_options_dump(struct Qdisc *sch, struct sk_buff *skb);

/* --- class.c: the two bands as tc sees them (LBE-11, LBE-12) --- */

extern const struct Qdisc_class_ops lbe_class_ops;

int lbe_foreground_create(struct Qdisc *sch, struct netlink_ext_ack *extack);

#endif
