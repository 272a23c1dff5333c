// SPDX-License-Identifier: GPL-2.0
/*
 * The queue behind the qdisc: whatever lies there already goes before a
 * foreground packet that comes now, so background packets get as little of it
 * as keeps the wire busy.
 *
 * Two means. Where the driver does byte queue accounting (BQL) its limit is cut
 * to one packet (LBE-40). Where it does not, background packets are counted
 * from when the device gets them to when it frees them (LBE-41): each gets our
 * destructor, which runs the socket's own first. The table of packets under way
 * is small, as the budget is.
 *
 *   dequeue ──start──► in the device ──destructor──► freed: count it, ask the qdisc again
 *
 * A packet may outlive its qdisc; then it takes the flight with it, which keeps
 * the module, as the destructor is its code.
 */
#include <linux/ethtool.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>

#include "lbe.h"

/* --- background packets under way in a device --- */

struct lbe_flight_packet {
	struct hlist_node node;
	struct sk_buff *skb;		/* NULL: the entry is free */
	void (*destructor)(struct sk_buff *skb);
	struct lbe_flight *flight;
};

struct lbe_flight {
	struct Qdisc *sch;		/* all under lbe_flying_lock; NULL: gone */
	u32 count;
	bool awaited;			/* the qdisc wants to hear of the next one freed */
	struct lbe_flight_packet packets[LBE_BUDGET_MAX];
};

static DEFINE_HASHTABLE(lbe_flying, 6);
static DEFINE_SPINLOCK(lbe_flying_lock);

/* The module stays as long as the flight, which is as long as a packet has its destructor. */
struct lbe_flight *lbe_flight_create(struct Qdisc *sch)
{
	struct lbe_flight *flight = kzalloc(sizeof(*flight), GFP_KERNEL);

	if (!flight)
		return NULL;
	__module_get(THIS_MODULE);
	flight->sch = sch;
	return flight;
}

static void free_flight(struct lbe_flight *flight)
{
	kfree(flight);
	module_put(THIS_MODULE);
}

/* The qdisc goes; the last packet takes the flight with it. */
void lbe_flight_destroy(struct lbe_flight *flight)
{
	unsigned long irq;
	bool landed;

	if (!flight)
		return;
	spin_lock_irqsave(&lbe_flying_lock, irq);
	flight->sch = NULL;
	landed = !flight->count;
	spin_unlock_irqrestore(&lbe_flying_lock, irq);
	if (landed)
		free_flight(flight);
}

u32 lbe_flight_count(const struct lbe_flight *flight)
{
	return READ_ONCE(flight->count);
}

static struct lbe_flight_packet *find(const struct sk_buff *skb)
{
	struct lbe_flight_packet *packet;

	hash_for_each_possible(lbe_flying, packet, node, (unsigned long)skb)
		if (packet->skb == skb)
			return packet;
	return NULL;
}

/* Any context. The socket's destructor runs outside the lock: it may free the socket. */
static void on_freed(struct sk_buff *skb)
{
	void (*destructor)(struct sk_buff *skb);
	struct lbe_flight_packet *packet;
	struct lbe_flight *flight;
	unsigned long irq;
	bool last;

	spin_lock_irqsave(&lbe_flying_lock, irq);
	packet = find(skb);
	if (WARN_ON_ONCE(!packet)) {
		spin_unlock_irqrestore(&lbe_flying_lock, irq);
		return;
	}
	destructor = packet->destructor;
	flight = packet->flight;
	hash_del(&packet->node);
	packet->skb = NULL;
	WRITE_ONCE(flight->count, flight->count - 1);
	/* Under the lock, or the qdisc could be freed before it is asked. */
	if (flight->sch && flight->awaited)
		lbe_ask(flight->sch);
	flight->awaited = false;
	last = !flight->sch && !flight->count;
	spin_unlock_irqrestore(&lbe_flying_lock, irq);
	if (destructor)
		destructor(skb);
	if (last)
		free_flight(flight);
}

/*
 * Whether the device has as many as it may. If so the qdisc is asked again when
 * one of them is freed: decided under the lock, so that one that is freed
 * meanwhile is either counted here or sees who waits.
 */
bool lbe_flight_full(struct lbe_flight *flight, u32 budget)
{
	unsigned long irq;
	bool full;

	if (READ_ONCE(flight->count) < budget)
		return false;
	spin_lock_irqsave(&lbe_flying_lock, irq);
	full = flight->count >= budget;
	flight->awaited = full;
	spin_unlock_irqrestore(&lbe_flying_lock, irq);
	return full;
}

/* Qdisc lock held. One that finds no room is not counted; by the budget's bound there is always one. */
void lbe_flight_start(struct lbe_flight *flight, struct sk_buff *skb)
{
	struct lbe_flight_packet *packet = flight->packets;
	unsigned long irq;

	spin_lock_irqsave(&lbe_flying_lock, irq);
	while (packet < flight->packets + LBE_BUDGET_MAX && packet->skb)
		packet++;
	if (packet == flight->packets + LBE_BUDGET_MAX)
		goto out;
	packet->skb = skb;
	packet->destructor = skb->destructor;
	packet->flight = flight;
	WRITE_ONCE(flight->count, flight->count + 1);
	hash_add(lbe_flying, &packet->node, (unsigned long)skb);
	skb->destructor = on_freed;
out:
	spin_unlock_irqrestore(&lbe_flying_lock, irq);
}

/* --- how much keeps the wire busy --- */

/*
 * Bytes that the link sends in the time an interrupt may take to be answered:
 * less in the device, and a fast wire would stand idle between packets. Of a
 * link of unknown speed (modems, most virtual devices) nothing.
 */
#define LBE_ANSWER_US 250

/* RTNL held, sleeps: a driver may ask its PHY over a bus (LBE-64). */
static u32 bytes_of_answer(struct net_device *dev)
{
	struct ethtool_link_ksettings link;

	ASSERT_RTNL();
	might_sleep();
	if (!netif_device_present(dev) || __ethtool_get_link_ksettings(dev, &link) ||
	    link.base.speed == (u32)SPEED_UNKNOWN)
		return 0;
	return min_t(u64, (u64)link.base.speed * LBE_ANSWER_US / 8, LBE_DEVICE_QUEUE_MAX);
}

/*
 * 0 where the MTU is and the link has no header (WireGuard): then no packet
 * fits (LBE-63). An MTU that somebody sets is below 2^31, so the sum is a u32.
 */
static u32 packet_bytes(const struct net_device *dev)
{
	return READ_ONCE(dev->mtu) + dev->hard_header_len;
}

/*
 * A queue is full when it holds more than its limit: with 0 one packet fills
 * it, however small. That is right where the wire is slower than the answer to
 * an interrupt is late.
 */
u32 lbe_auto_device_queue(struct net_device *dev)
{
	u32 bytes = bytes_of_answer(dev);

	return bytes < packet_bytes(dev) ? 0 : bytes;
}

u32 lbe_auto_budget(struct net_device *dev)
{
	u32 packet = packet_bytes(dev);

	return packet ? clamp(bytes_of_answer(dev) / packet, 1U, LBE_BUDGET_MAX) : 1;
}

/* --- byte queue limits --- */

#ifdef CONFIG_BQL

static LIST_HEAD(lbe_cuts);	/* under RTNL */

static void set_limits(struct lbe_cut *cut)
{
	u32 bytes = cut->bytes == LBE_AUTO ? lbe_auto_device_queue(cut->dev) : cut->bytes;
	unsigned int i;

	for (i = 0; i < cut->queues; i++)
		WRITE_ONCE(netdev_get_tx_queue(cut->dev, i)->dql.max_limit, bytes);
	cut->applied = bytes;
}

/* RTNL held. The limits in force move at the next completion, which clamps them. */
int lbe_cut_apply(struct lbe_cut *cut, struct net_device *dev, u32 bytes)
{
	unsigned int i;

	ASSERT_RTNL();
	if (!bytes) {
		lbe_cut_restore(cut);
		return 0;
	}
	if (!cut->before) {
		cut->before = kcalloc(dev->num_tx_queues, sizeof(*cut->before), GFP_KERNEL);
		if (!cut->before)
			return -ENOMEM;
		cut->dev = dev;
		cut->queues = dev->num_tx_queues;
		for (i = 0; i < cut->queues; i++)
			cut->before[i] = READ_ONCE(netdev_get_tx_queue(dev, i)->dql.max_limit);
		list_add_tail(&cut->node, &lbe_cuts);
	}
	cut->bytes = bytes;
	set_limits(cut);
	return 0;
}

/* RTNL held. A limit that somebody else has set since is theirs. */
void lbe_cut_restore(struct lbe_cut *cut)
{
	unsigned int i;

	if (!cut->before)
		return;
	for (i = 0; i < cut->queues; i++) {
		struct dql *dql = &netdev_get_tx_queue(cut->dev, i)->dql;

		if (READ_ONCE(dql->max_limit) == cut->applied)
			WRITE_ONCE(dql->max_limit, cut->before[i]);
	}
	list_del(&cut->node);
	kfree(cut->before);
	cut->before = NULL;
	cut->applied = 0;
}

static void follow_by_cuts(struct net_device *dev)
{
	struct lbe_cut *cut;

	list_for_each_entry(cut, &lbe_cuts, node)
		if (cut->dev == dev && cut->bytes == LBE_AUTO)
			set_limits(cut);
}

#else /* a kernel without BQL: no limit to cut, the budget does it alone */

int lbe_cut_apply(struct lbe_cut *cut, struct net_device *dev, u32 bytes)
{
	return 0;
}

void lbe_cut_restore(struct lbe_cut *cut)
{
}

static void follow_by_cuts(struct net_device *dev)
{
}

#endif

/* --- another MTU, another link --- */

/* RTNL held. */
static int on_device_event(struct notifier_block *block, unsigned long event, void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);

	/* The link's speed is known, or another, after NETDEV_CHANGE. */
	if (event != NETDEV_CHANGEMTU && event != NETDEV_CHANGE && event != NETDEV_UP)
		return NOTIFY_DONE;
	follow_by_cuts(dev);
	lbe_options_follow(dev);
	return NOTIFY_DONE;
}

static struct notifier_block lbe_device_notifier = {
	.notifier_call = on_device_event,
};

int lbe_device_init(void)
{
	return register_netdevice_notifier(&lbe_device_notifier);
}

void lbe_device_exit(void)
{
	unregister_netdevice_notifier(&lbe_device_notifier);
}
