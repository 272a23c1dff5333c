// SPDX-License-Identifier: GPL-2.0
/*
 * The receive gate: received background packets wait while the current task is
 * not background (SPEC section 6).
 *
 * One queue for each device, and one processor at a time that lets packets on:
 * so their order is kept whichever processor received them.
 *
 *            hook: background, and may not go on
 *   nothing ─────────────────────────────────► waiting ─┐
 *      ▲ hook: goes on at once                    │     │ hook: queues behind
 *      │                                          ▼     │
 *      └──────────── queue empty ◄──────────── draining ┘   on a processor that may
 *
 * The hook is netfilter's at ingress of the device, which bridge ports have
 * too. A packet goes on from the start of the receive path with
 * tc_skip_classify set, by which that path leaves out what the packet has seen
 * already: packet sockets, tc, and this hook.
 */
#include <linux/hrtimer.h>
#include <linux/netfilter.h>
#include <linux/netfilter_netdev.h>
#include <linux/version.h>

#include "lbe.h"

#define LBE_RECEIVE_LIMIT	1000	/* packets (LBE-51) */
#define LBE_RECEIVE_BATCH	64	/* packets for each run of the tasklet */

struct lbe_receive {
	struct net_device *dev;
	struct nf_hook_ops hook;
	spinlock_t lock;		/* all below, softirqs */
	struct sk_buff_head queue;
	bool draining;			/* the tasklet has packets in hand */
	bool overflow;			/* all of the queue goes on now */
	bool gated;
	bool steer;
	u64 max_hold_ns;
	struct lbe_door door;
	struct lbe_waiter waiter;
	struct tasklet_struct drain;
	struct hrtimer valve;
	u64 passed, held, by_valve, overflows;
};

struct lbe_receive_cb {
	u64 shut_ns;
};

static struct lbe_receive_cb *receive_cb(struct sk_buff *skb)
{
	return (struct lbe_receive_cb *)skb->cb;
}

/* Lock held. Whether the packet may go on now; if not the gate is told who waits. */
static bool may_go_on(struct lbe_receive *receive, struct sk_buff *skb)
{
	u64 now, held;

	if (receive->overflow)
		return true;
	now = ktime_get_ns();
	if (!receive->gated || lbe_on_background_time()) {
		lbe_door_open(&receive->door, now);
		return true;
	}
	lbe_door_shut(&receive->door, now);
	held = lbe_door_shut_ns(&receive->door, now) - receive_cb(skb)->shut_ns;
	if (receive->max_hold_ns && held >= receive->max_hold_ns) {
		receive->by_valve++;
		return true;
	}
	if (receive->max_hold_ns)
		hrtimer_start(&receive->valve, ns_to_ktime(receive->max_hold_ns - held),
			      HRTIMER_MODE_REL_SOFT);
	return false;
}

/* The next packet that may go on, or NULL: then nobody drains. */
static struct sk_buff *next_to_go(struct lbe_receive *receive)
{
	struct sk_buff *skb;
	bool waits = false;

	spin_lock(&receive->lock);
	skb = skb_peek(&receive->queue);
	if (skb && may_go_on(receive, skb)) {
		__skb_unlink(skb, &receive->queue);
	} else {
		waits = skb;
		skb = NULL;
		receive->draining = false;
		receive->overflow = false;
	}
	spin_unlock(&receive->lock);
	if (waits)
		lbe_gate_hold(&receive->waiter, receive->steer);
	return skb;
}

static void on_drain(struct tasklet_struct *tasklet)
{
	struct lbe_receive *receive = from_tasklet(receive, tasklet, drain);
	struct sk_buff *skb;
	int count;

	spin_lock(&receive->lock);
	receive->draining = true;
	spin_unlock(&receive->lock);
	for (count = 0; count < LBE_RECEIVE_BATCH; count++) {
		skb = next_to_go(receive);
		if (!skb)
			return;
		skb->tc_skip_classify = 1;
		netif_receive_skb_core(skb);
	}
	tasklet_schedule(tasklet);
}

static void on_release(struct lbe_waiter *waiter)
{
	tasklet_schedule(&container_of(waiter, struct lbe_receive, waiter)->drain);
}

static enum hrtimer_restart on_valve(struct hrtimer *timer)
{
	tasklet_schedule(&container_of(timer, struct lbe_receive, valve)->drain);
	return HRTIMER_NORESTART;
}

/* Lock held. */
static void queue_packet(struct lbe_receive *receive, struct sk_buff *skb)
{
	u64 now = receive->door.since ? ktime_get_ns() : 0;

	receive_cb(skb)->shut_ns = lbe_door_shut_ns(&receive->door, now);
	__skb_queue_tail(&receive->queue, skb);
	receive->held++;
	if (skb_queue_len(&receive->queue) > LBE_RECEIVE_LIMIT) {
		receive->overflow = true;
		receive->overflows++;
	}
}

static unsigned int on_ingress(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct lbe_receive *receive = priv;

	if (!lbe_is_background_received(state->net, skb))
		return NF_ACCEPT;
	spin_lock(&receive->lock);
	if (!receive->draining && skb_queue_empty(&receive->queue) &&
	    (!receive->gated || lbe_on_background_time())) {
		receive->passed++;
		spin_unlock(&receive->lock);
		return NF_ACCEPT;
	}
	queue_packet(receive, skb);
	spin_unlock(&receive->lock);
	/* It finds out who may go on, and tells the gate who may not. */
	tasklet_schedule(&receive->drain);
	return NF_STOLEN;
}

void lbe_receive_change(struct lbe_receive *receive, u32 max_hold_us, bool steer)
{
	spin_lock_bh(&receive->lock);
	receive->max_hold_ns = (u64)max_hold_us * NSEC_PER_USEC;
	receive->steer = steer;
	spin_unlock_bh(&receive->lock);
	tasklet_schedule(&receive->drain);
}

void lbe_receive_stats(struct lbe_receive *receive, struct tc_lbe_xstats *st)
{
	spin_lock_bh(&receive->lock);
	st->rx_passed = receive->passed;
	st->rx_held = receive->held;
	st->rx_valve = receive->by_valve;
	st->rx_overflows = receive->overflows;
	spin_unlock_bh(&receive->lock);
}

static void init_valve(struct lbe_receive *receive)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&receive->valve, on_valve, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
#else
	hrtimer_init(&receive->valve, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	receive->valve.function = on_valve;
#endif
}

struct lbe_receive *lbe_receive_create(struct net_device *dev, u32 max_hold_us, bool steer)
{
	struct lbe_receive *receive = kzalloc(sizeof(*receive), GFP_KERNEL);
	int err;

	if (!receive)
		return ERR_PTR(-ENOMEM);
	receive->dev = dev;
	receive->steer = steer;
	receive->max_hold_ns = (u64)max_hold_us * NSEC_PER_USEC;
	spin_lock_init(&receive->lock);
	skb_queue_head_init(&receive->queue);
	tasklet_setup(&receive->drain, on_drain);
	init_valve(receive);
	receive->waiter.release = on_release;
	receive->gated = lbe_gate_add(&receive->waiter);
	receive->hook = (struct nf_hook_ops) {
		.hook = on_ingress,
		.dev = dev,
		.priv = receive,
		.pf = NFPROTO_NETDEV,
		.hooknum = NF_NETDEV_INGRESS,
		.priority = INT_MIN,
	};
	err = nf_register_net_hook(dev_net(dev), &receive->hook);
	if (!err)
		return receive;
	lbe_gate_remove(&receive->waiter);
	kfree(receive);
	return ERR_PTR(err);
}

/* RTNL held, sleeps. What still waits goes on: nobody holds it any more (LBE-32). */
void lbe_receive_destroy(struct lbe_receive *receive)
{
	struct sk_buff *skb;

	if (!receive)
		return;
	nf_unregister_net_hook(dev_net(receive->dev), &receive->hook);
	synchronize_net();
	lbe_gate_remove(&receive->waiter);
	/* From here on nothing waits: a run of the tasklet sets the timer no more, the timer may still want one. */
	spin_lock_bh(&receive->lock);
	receive->gated = false;
	spin_unlock_bh(&receive->lock);
	tasklet_kill(&receive->drain);
	hrtimer_cancel(&receive->valve);
	tasklet_kill(&receive->drain);
	local_bh_disable();
	while ((skb = __skb_dequeue(&receive->queue))) {
		skb->tc_skip_classify = 1;
		netif_receive_skb_core(skb);
	}
	local_bh_enable();
	kfree(receive);
}
