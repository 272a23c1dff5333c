// SPDX-License-Identifier: GPL-2.0
/*
 * The queueing discipline: two bands, and the four questions a background
 * packet is asked before it leaves (SPEC sections 2 to 5).
 *
 * Everything here runs under the qdisc's root lock, softirqs off, but for what
 * rtnetlink calls (init, change, dump, destroy: RTNL) and the two ways in which
 * the band is asked again: the tasklet of a deferral and the gate's release.
 * The time of a dequeue is bounded: one packet, no loop.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#include <net/gso.h>
#endif

#include "sched.h"

/* The foreground counts as busy for so long after its last packet (LBE-15). */
#define LBE_BUSY (HZ / 10)

struct lbe_skb_cb {
	u64 shut_ns;			/* how long the gate had been shut when it came */
};

static struct lbe_skb_cb *lbe_cb(struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct lbe_skb_cb));
	return (struct lbe_skb_cb *)qdisc_skb_cb(skb)->data;
}

static bool has(const struct lbe_sched *q, u32 lbe_switch)
{
	return q->opt.switches & lbe_switch;
}

/* --- in --- */

static int drop_on_entry(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct lbe_sched *q = qdisc_priv(sch);

	q->qstats.drops++;
	return qdisc_drop(skb, sch, to_free);
}

static int enqueue_packet(struct sk_buff *skb, struct Qdisc *sch, u64 shut_ns,
			  struct sk_buff **to_free)
{
	struct lbe_sched *q = qdisc_priv(sch);

	if (q->background.qlen >= q->opt.limit)
		return drop_on_entry(skb, sch, to_free);
	lbe_cb(skb)->shut_ns = shut_ns;
	__qdisc_enqueue_tail(skb, &q->background);
	q->qstats.backlog += qdisc_pkt_len(skb);
	qdisc_qstats_backlog_inc(sch, skb);
	sch->q.qlen++;
	return NET_XMIT_SUCCESS;
}

/* A large packet would be cut up behind the qdisc, and all of it go before the next foreground one. */
static int enqueue_split(struct sk_buff *skb, struct Qdisc *sch, u64 shut_ns,
			 struct sk_buff **to_free)
{
	netdev_features_t features = netif_skb_features(skb) & ~NETIF_F_GSO_MASK;
	struct sk_buff *segments = skb_gso_segment(skb, features), *segment, *next;
	struct lbe_sched *q = qdisc_priv(sch);
	int entered = 0;

	if (IS_ERR_OR_NULL(segments))
		return drop_on_entry(skb, sch, to_free);
	skb_list_walk_safe(segments, segment, next) {
		skb_mark_not_on_list(segment);
		qdisc_skb_cb(segment)->pkt_len = segment->len;
		if (enqueue_packet(segment, sch, shut_ns, to_free) == NET_XMIT_SUCCESS)
			entered++;
	}
	q->xstats.split++;
	consume_skb(skb);
	return entered ? NET_XMIT_SUCCESS : NET_XMIT_DROP;
}

static int enqueue_background(struct sk_buff *skb, struct Qdisc *sch, enum lbe_kind kind,
			      struct sk_buff **to_free)
{
	struct lbe_sched *q = qdisc_priv(sch);
	u64 shut_ns = q->door.since ? lbe_door_shut_ns(&q->door, ktime_get_ns()) : q->door.total;

	if (kind == LBE_UNMARKED && has(q, LBE_SWITCH_MARK) && lbe_mark(skb))
		q->xstats.marked++;
	if (has(q, LBE_SWITCH_SPLIT) && skb_is_gso(skb))
		return enqueue_split(skb, sch, shut_ns, to_free);
	return enqueue_packet(skb, sch, shut_ns, to_free);
}

static int enqueue_foreground(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct lbe_sched *q = qdisc_priv(sch);
	unsigned int bytes = qdisc_pkt_len(skb);	/* the child may free or change it */
	int ret = qdisc_enqueue(skb, q->foreground, to_free);

	if (ret == NET_XMIT_SUCCESS) {
		sch->qstats.backlog += bytes;
		sch->q.qlen++;
	} else if (net_xmit_drop_count(ret)) {
		qdisc_qstats_drop(sch);
	}
	return ret;
}

static int lbe_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	enum lbe_kind kind = lbe_classify(dev_net(qdisc_dev(sch)), skb);

	if (kind == LBE_FOREGROUND)
		return enqueue_foreground(skb, sch, to_free);
	return enqueue_background(skb, sch, kind, to_free);
}

/* --- out --- */

static struct sk_buff *take_foreground(struct Qdisc *sch)
{
	struct lbe_sched *q = qdisc_priv(sch);
	struct sk_buff *skb;

	/* Most background packets leave past an empty child, which need not be asked. */
	if (!q->foreground->q.qlen)
		return NULL;
	skb = q->foreground->dequeue(q->foreground);
	if (!skb)
		return NULL;
	qdisc_bstats_update(sch, skb);
	qdisc_qstats_backlog_dec(sch, skb);
	sch->q.qlen--;
	q->deferred = false;
	q->foreground_at = jiffies;
	return skb;
}

static struct sk_buff *take_background(struct Qdisc *sch)
{
	struct lbe_sched *q = qdisc_priv(sch);
	struct sk_buff *skb = __qdisc_dequeue_head(&q->background);

	q->qstats.backlog -= qdisc_pkt_len(skb);
	bstats_update(&q->bstats, skb);
	qdisc_bstats_update(sch, skb);
	qdisc_qstats_backlog_dec(sch, skb);
	sch->q.qlen--;
	return skb;
}

/*
 * First question: is the foreground band really empty? TCP Small Queues refill
 * its sockets from a tasklet, which runs after this softirq: pass once, and ask
 * again behind it (LBE-15).
 */
static bool deferring(struct lbe_sched *q)
{
	if (!has(q, LBE_SWITCH_DEFER) || q->deferred ||
	    time_after_eq(jiffies, q->foreground_at + LBE_BUSY))
		return false;
	q->deferred = true;
	q->xstats.deferred++;
	tasklet_schedule(&q->again);
	return true;
}

static void on_again(struct tasklet_struct *tasklet)
{
	struct lbe_sched *q = from_tasklet(q, tasklet, again);

	lbe_ask(q->sch);
}

static u64 hold_ns(const struct lbe_sched *q)
{
	return (u64)q->opt.max_hold_us * NSEC_PER_USEC;
}

/*
 * Asks again at the latest then. A timer that is due before stays: it asks too
 * early, and is set again. So the usual case, in which something else asks long
 * before, sets no timer for each packet.
 */
static void ask_at(struct lbe_sched *q, u64 at_ns)
{
	if (!hrtimer_is_queued(&q->valve.timer) || q->valve_ns > at_ns) {
		q->valve_ns = at_ns;
		qdisc_watchdog_schedule_ns(&q->valve, at_ns);
	}
}

static u32 budget_for(const struct lbe_sched *q, const struct sk_buff *skb)
{
	if (q->opt.budget != LBE_AUTO)
		return q->opt.budget;
	/* Byte queue limits, cut, do the same for less. */
	return lbe_device_counts_bytes(qdisc_dev(q->sch), skb) ? 0 : READ_ONCE(q->auto_budget);
}

/*
 * Second question: has the device got its share of background packets? One that
 * frees none is waited for no longer than a packet may be held (LBE-42).
 */
static bool over_budget(struct lbe_sched *q, u32 budget)
{
	u64 patience = hold_ns(q) ?: NSEC_PER_SEC;

	if (!budget || !lbe_flight_full(q->flight, budget)) {
		q->full = false;
		return false;
	}
	if (!q->full) {
		q->full = true;
		q->full_since = jiffies;
		q->xstats.budget_waits++;
	}
	if (time_after(jiffies, q->full_since + nsecs_to_jiffies(patience))) {
		q->full = false;
		q->xstats.budget_timeouts++;
		return false;
	}
	if (!hrtimer_is_queued(&q->valve.timer))
		ask_at(q, ktime_get_ns() + patience + TICK_NSEC);
	return true;
}

/*
 * Third question: whose time is it? And the fourth, if it is not a background
 * task's: has the packet been held for as long as it may (LBE-30)?
 */
static bool gate_holds(struct lbe_sched *q, struct sk_buff *skb)
{
	u64 now, held, max_hold = hold_ns(q);

	if (q->opt.mode != LBE_MODE_GATE || !q->gated || lbe_on_background_time()) {
		if (q->door.since)
			lbe_door_open(&q->door, ktime_get_ns());
		return false;
	}
	now = ktime_get_ns();
	lbe_door_shut(&q->door, now);
	held = lbe_door_shut_ns(&q->door, now) - lbe_cb(skb)->shut_ns;
	if (max_hold && held >= max_hold) {
		q->xstats.valve++;
		return false;
	}
	if (max_hold)
		ask_at(q, now + max_hold - held);
	lbe_gate_hold(&q->waiter, has(q, LBE_SWITCH_STEER));
	return true;
}

static void on_release(struct lbe_waiter *waiter)
{
	lbe_ask(container_of(waiter, struct lbe_sched, waiter)->sch);
}

static struct sk_buff *dequeue_background(struct Qdisc *sch)
{
	struct lbe_sched *q = qdisc_priv(sch);
	struct sk_buff *skb = q->background.head;
	u32 budget;

	if (!skb || deferring(q))
		return NULL;
	budget = budget_for(q, skb);
	if (over_budget(q, budget) || gate_holds(q, skb))
		return NULL;
	q->deferred = false;
	skb = take_background(sch);
	if (budget)
		lbe_flight_start(q->flight, skb);
	return skb;
}

/* Mode task: only a band's own thread takes its packets; everybody else wakes it. */
static struct sk_buff *dequeue_by_worker(struct Qdisc *sch)
{
	struct lbe_sched *q = qdisc_priv(sch);
	struct sk_buff *skb = NULL;

	if (lbe_workers_is(q->workers, FOREGROUND)) {
		skb = take_foreground(sch);
	} else if (q->foreground->q.qlen) {
		lbe_workers_wake(q->workers, FOREGROUND);
		return NULL;
	} else if (lbe_workers_is(q->workers, BACKGROUND)) {
		return dequeue_background(sch);
	}
	if (!skb && q->background.head)
		lbe_workers_wake(q->workers, BACKGROUND);
	return skb;
}

static struct sk_buff *lbe_dequeue(struct Qdisc *sch)
{
	struct lbe_sched *q = qdisc_priv(sch);
	struct sk_buff *skb;

	if (unlikely(q->workers))
		return dequeue_by_worker(sch);
	skb = take_foreground(sch);
	return skb ?: dequeue_background(sch);
}

static void lbe_reset(struct Qdisc *sch)
{
	struct lbe_sched *q = qdisc_priv(sch);

	if (!q->foreground)
		return;
	qdisc_reset(q->foreground);
	__qdisc_reset_queue(&q->background);
	q->qstats.backlog = 0;
	lbe_door_open(&q->door, ktime_get_ns());
	q->deferred = false;
	q->full = false;
	qdisc_watchdog_cancel(&q->valve);
}

/* --- its life --- */

static int check_place(struct Qdisc *sch, struct netlink_ext_ack *extack)
{
	struct net_device *dev = qdisc_dev(sch);

	if (sch->parent != TC_H_ROOT) {
		NL_SET_ERR_MSG_MOD(extack, "lbe is a root qdisc: below another (mq, htb) it cannot see all of the device's traffic");
		return -EOPNOTSUPP;
	}
	if (netif_is_bridge_master(dev) || netif_is_bond_master(dev) || netif_is_team_master(dev)) {
		NL_SET_ERR_MSG_MOD(extack, "this device has no queue of its own: put lbe on its ports");
		return -EOPNOTSUPP;
	}
	if (dev->flags & IFF_LOOPBACK) {
		NL_SET_ERR_MSG_MOD(extack, "nothing waits on the loopback device");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* If this fails the core calls destroy(), for whatever was there by then. */
static int lbe_init(struct Qdisc *sch, struct nlattr *attrs, struct netlink_ext_ack *extack)
{
	struct lbe_options opt = lbe_options_default;
	struct lbe_sched *q = qdisc_priv(sch);
	int err;

	q->sch = sch;
	q->foreground_at = jiffies - LBE_BUSY;
	gnet_stats_basic_sync_init(&q->bstats);
	qdisc_watchdog_init(&q->valve, sch);
	tasklet_setup(&q->again, on_again);
	q->waiter.release = on_release;
	INIT_LIST_HEAD(&q->waiter.node);
	err = check_place(sch, extack) ?: lbe_options_read(attrs, &opt, extack);
	if (err)
		return err;
	q->flight = lbe_flight_create(sch);
	if (!q->flight)
		return -ENOMEM;
	err = lbe_foreground_create(sch, extack);
	if (err)
		return err;
	q->gated = lbe_gate_add(&q->waiter);
	return lbe_options_apply(sch, &opt);
}

static void lbe_destroy(struct Qdisc *sch)
{
	struct lbe_sched *q = qdisc_priv(sch);

	qdisc_watchdog_cancel(&q->valve);
	tasklet_kill(&q->again);
	if (!list_empty(&q->waiter.node))
		lbe_gate_remove(&q->waiter);
	lbe_workers_destroy(q->workers);
	lbe_receive_destroy(q->receive);
	lbe_cut_restore(&q->cut);
	lbe_flight_destroy(q->flight);
	if (q->foreground)
		qdisc_put(q->foreground);
}

/* --- what it says of itself --- */

static int lbe_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct lbe_sched *q = qdisc_priv(sch);
	struct tc_lbe_xstats st = q->xstats;

	st.flags = (q->gated ? 0 : LBE_STATE_NO_PROBE) | (q->door.since ? LBE_STATE_SHUT : 0);
	st.in_device = lbe_flight_count(q->flight);
	st.shut = q->door.count;
	st.shut_ns = lbe_door_shut_ns(&q->door, ktime_get_ns());
	st.shut_longest_ns = q->door.longest;
	st.released = atomic64_read(&q->waiter.released);
	st.steered = atomic64_read(&q->waiter.steered);
	if (q->receive)
		lbe_receive_stats(q->receive, &st);
	return gnet_stats_copy_app(d, &st, sizeof(st));
}

struct Qdisc_ops lbe_qdisc_ops = {
	.id = "lbe",
	.priv_size = sizeof(struct lbe_sched),
	.cl_ops = &lbe_class_ops,
	.enqueue = lbe_enqueue,
	.dequeue = lbe_dequeue,
	.peek = qdisc_peek_dequeued,
	.init = lbe_init,
	.reset = lbe_reset,
	.destroy = lbe_destroy,
	.change = lbe_options_change,
	.dump = lbe_options_dump,
	.dump_stats = lbe_dump_stats,
	.owner = THIS_MODULE,
};
