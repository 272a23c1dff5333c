/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of sch_lbe share. SPEC.md holds the requirements, LBE-n. */
#ifndef LBE_H
#define LBE_H

#include <linux/interrupt.h>
#include <linux/netdevice.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#include "lbe_uapi.h"

/* --- door.h: how long the gate was shut, and how long of it a packet saw --- */

/*
 * A packet does not count its waiting, it remembers how long the door had been
 * shut in all when it came. So waiting for a slow device or for the foreground
 * is never taken for waiting at the gate (LBE-30). The lock is the owner's.
 */
struct lbe_door {
	u64 since;		/* 0: open */
	u64 total;		/* ns of former times */
	u64 longest;
	u64 count;
};

static inline u64 lbe_door_shut_ns(const struct lbe_door *door, u64 now)
{
	return door->total + (door->since ? now - door->since : 0);
}

static inline void lbe_door_shut(struct lbe_door *door, u64 now)
{
	if (door->since)
		return;
	door->since = now;
	door->count++;
}

static inline void lbe_door_open(struct lbe_door *door, u64 now)
{
	u64 shut;

	if (!door->since)
		return;
	shut = now - door->since;
	door->total += shut;
	door->longest = max(door->longest, shut);
	door->since = 0;
}

/* --- gate.c: whose time it is, and who waits for it to be a background task's --- */

struct lbe_waiter {
	struct list_head node;
	void (*release)(struct lbe_waiter *waiter);	/* hard interrupt */
	bool held;
	atomic64_t released;
	atomic64_t steered;
};

int lbe_gate_init(void);
void lbe_gate_exit(void);
bool lbe_gate_add(struct lbe_waiter *waiter);
void lbe_gate_remove(struct lbe_waiter *waiter);
void lbe_gate_hold(struct lbe_waiter *waiter, bool steer);
bool lbe_on_background_time(void);

/* --- classify.c: what is background (LBE-1 to LBE-6) --- */

enum lbe_kind {
	LBE_FOREGROUND,
	LBE_UNMARKED,		/* background; its DSCP was not looked at */
	LBE_MARKED,		/* background, and its DSCP is LE */
};

enum lbe_kind lbe_classify(struct net *net, struct sk_buff *skb);
bool lbe_is_background_received(struct net *net, struct sk_buff *skb);
bool lbe_mark(struct sk_buff *skb);

/* --- flows.c: the table of flows and its netlink family (LBE-4, LBE-82) --- */

struct lbe_flow_key {
	struct in6_addr remote;	/* IPv4 as ::ffff:a.b.c.d */
	__be16 remote_port;
	__be16 local_port;
};

int lbe_flows_init(void);
void lbe_flows_exit(void);
bool lbe_flows_any(struct net *net);
bool lbe_flows_match(struct net *net, const struct lbe_flow_key *key);

/* --- device.c: the queue behind the qdisc (LBE-40 to LBE-42) --- */

struct lbe_flight;

int lbe_device_init(void);
void lbe_device_exit(void);
struct lbe_flight *lbe_flight_create(struct Qdisc *sch);
void lbe_flight_destroy(struct lbe_flight *flight);
bool lbe_flight_full(struct lbe_flight *flight, u32 budget);
void lbe_flight_start(struct lbe_flight *flight, struct sk_buff *skb);
u32 lbe_flight_count(const struct lbe_flight *flight);
u32 lbe_auto_device_queue(struct net_device *dev);
u32 lbe_auto_budget(struct net_device *dev);

/*
 * num_queued counts all bytes since the device came up, and stays 0 in a driver
 * that tells of none. Before its first packet every device looks like that.
 */
static inline bool lbe_device_counts_bytes(const struct net_device *dev, const struct sk_buff *skb)
{
#ifdef CONFIG_BQL
	return READ_ONCE(netdev_get_tx_queue(dev, skb_get_queue_mapping(skb))->dql.num_queued);
#else
	return false;
#endif
}

struct lbe_cut {
	struct list_head node;	/* all cuts, under RTNL */
	struct net_device *dev;
	u32 bytes;		/* as asked: LBE_AUTO follows the MTU, 0 is none */
	u32 applied;
	unsigned int queues;
	u32 *before;		/* limit_max of each queue */
};

int lbe_cut_apply(struct lbe_cut *cut, struct net_device *dev, u32 bytes);
void lbe_cut_restore(struct lbe_cut *cut);

/* --- options.c: what of the options follows the device (LBE-41) --- */

void lbe_options_follow(struct net_device *dev);

/* --- receive.c: the receive gate (LBE-50 to LBE-52) --- */

struct lbe_receive;

struct lbe_receive *lbe_receive_create(struct net_device *dev, u32 max_hold_us, bool steer);
void lbe_receive_change(struct lbe_receive *receive, u32 max_hold_us, bool steer);
void lbe_receive_destroy(struct lbe_receive *receive);
void lbe_receive_stats(struct lbe_receive *receive, struct tc_lbe_xstats *st);

/* --- worker.c: a thread for each band (LBE-70) --- */

struct lbe_workers;

struct lbe_workers *lbe_workers_create(struct Qdisc *sch);
void lbe_workers_destroy(struct lbe_workers *workers);
void lbe_workers_wake(struct lbe_workers *workers, int band);
bool lbe_workers_is(const struct lbe_workers *workers, int band);

/* --- qdisc.c --- */

/*
 * Any context. A qdisc that is being taken off its device must not be scheduled
 * any more: the core waits once for what is scheduled, then frees it. It says
 * so by this bit, waits for a grace period, and only then looks.
 */
static inline void lbe_ask(struct Qdisc *sch)
{
	rcu_read_lock();
	if (!test_bit(__QDISC_STATE_DEACTIVATED, &sch->state))
		__netif_schedule(sch);
	rcu_read_unlock();
}

extern struct Qdisc_ops lbe_qdisc_ops;

#endif
