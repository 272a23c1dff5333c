// SPDX-License-Identifier: GPL-2.0
/* The network device: what the stack gives it, and what NAPI does. */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>

#include "vmac.h"

/* Lock held. */
bool vmac_has_room(const struct vmac *mac)
{
	u32 limit = READ_ONCE(vmac_queue_bytes[mac->index]);

	return skb_queue_len(&mac->ring) < VMAC_RING && (!limit || mac->ring_bytes < limit);
}

static netdev_tx_t vmac_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct vmac *mac = netdev_priv(dev);
	u32 bytes = skb->len;
	unsigned long irq;

	if (skb_shinfo(skb)->tx_flags & SKBTX_HW_TSTAMP)
		skb_shinfo(skb)->tx_flags |= SKBTX_IN_PROGRESS;
	skb_tx_timestamp(skb);
	vmac_cb(skb)->given_ns = ktime_get_ns();
	vmac_cb(skb)->bytes = bytes;
	if (vmac_bql)
		netdev_sent_queue(dev, bytes);
	raw_spin_lock_irqsave(&mac->lock, irq);
	__skb_queue_tail(&mac->ring, skb);
	mac->ring_bytes += bytes;
	if (skb_queue_len(&mac->ring) == 1)
		vmac_wire_start_frame(mac);
	if (!vmac_has_room(mac)) {
		netif_stop_queue(dev);
		mac->stops++;
	}
	raw_spin_unlock_irqrestore(&mac->lock, irq);
	return NETDEV_TX_OK;
}

static struct sk_buff *take_left(struct vmac *mac)
{
	struct sk_buff *skb;
	unsigned long irq;

	raw_spin_lock_irqsave(&mac->lock, irq);
	skb = __skb_dequeue(&mac->left);
	raw_spin_unlock_irqrestore(&mac->lock, irq);
	return skb;
}

static bool take_received(struct vmac *mac, struct vmac_frame *frame)
{
	unsigned long irq;
	bool any;

	raw_spin_lock_irqsave(&mac->lock, irq);
	any = vmac_fifo_pop(&mac->received, frame);
	raw_spin_unlock_irqrestore(&mac->lock, irq);
	return any;
}

static void tell_when_it_left(struct sk_buff *skb)
{
	struct skb_shared_hwtstamps left = { .hwtstamp = ns_to_ktime(vmac_cb(skb)->left_ns) };

	if (skb_shinfo(skb)->tx_flags & SKBTX_HW_TSTAMP)
		skb_tstamp_tx(skb, &left);
}

/*
 * The sender's memory is given back here, as a driver does that frees a frame:
 * TCP Small Queues and socket buffers go by it. Its bytes stay for as long as
 * they are on their way to the peer.
 */
static void complete_sent(struct vmac *mac, int budget)
{
	unsigned int frames = 0, bytes = 0;
	struct sk_buff *skb;
	unsigned long irq;
	bool room;

	while ((skb = take_left(mac))) {
		frames++;
		bytes += vmac_cb(skb)->bytes;
		tell_when_it_left(skb);
		skb_orphan(skb);
		napi_consume_skb(skb, budget);
	}
	if (!frames)
		return;
	mac->dev->stats.tx_packets += frames;
	mac->dev->stats.tx_bytes += bytes;
	if (vmac_bql)
		netdev_completed_queue(mac->dev, frames, bytes);
	raw_spin_lock_irqsave(&mac->lock, irq);
	room = vmac_has_room(mac);
	raw_spin_unlock_irqrestore(&mac->lock, irq);
	if (room && netif_queue_stopped(mac->dev))
		netif_wake_queue(mac->dev);
}

/* A copy, as by DMA: what the sender's skb says besides its bytes is not on a wire. */
static void receive(struct vmac *mac, struct vmac_frame *frame, int budget)
{
	struct sk_buff *sent = frame->skb, *skb = napi_alloc_skb(&mac->napi, sent->len);

	if (!skb || skb_copy_bits(sent, 0, skb_put(skb, sent->len), sent->len)) {
		mac->dev->stats.rx_dropped++;
		kfree_skb(skb);
		goto out;
	}
	/* Offloaded, a checksum is not in the bytes yet. */
	if (sent->ip_summed == CHECKSUM_PARTIAL)
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	skb_hwtstamps(skb)->hwtstamp = ns_to_ktime(frame->at_ns);
	mac->dev->stats.rx_packets++;
	mac->dev->stats.rx_bytes += skb->len;
	skb->protocol = eth_type_trans(skb, mac->dev);
	napi_gro_receive(&mac->napi, skb);
out:
	napi_consume_skb(sent, budget);
}

static int vmac_poll(struct napi_struct *napi, int budget)
{
	struct vmac *mac = container_of(napi, struct vmac, napi);
	struct vmac_frame frame;
	int done = 0;

	complete_sent(mac, budget);
	while (done < budget && take_received(mac, &frame)) {
		receive(mac, &frame, budget);
		done++;
	}
	if (done < budget && napi_complete_done(napi, done))
		vmac_interrupt_unmask(mac);
	return done;
}

static int vmac_open(struct net_device *dev)
{
	struct vmac *mac = netdev_priv(dev);
	int err;

	/* What the peer has sent meanwhile met nobody. */
	vmac_wire_stop(mac);
	netdev_reset_queue(dev);
	napi_enable(&mac->napi);
	err = vmac_interrupt_open(mac);
	if (err) {
		napi_disable(&mac->napi);
		return err;
	}
	netif_start_queue(dev);
	return 0;
}

static int vmac_stop(struct net_device *dev)
{
	struct vmac *mac = netdev_priv(dev);

	netif_stop_queue(dev);
	vmac_interrupt_stop(mac);
	napi_disable(&mac->napi);
	vmac_wire_stop(mac);
	netdev_reset_queue(dev);
	return 0;
}

static void vmac_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	struct vmac *mac = netdev_priv(dev);

	netdev_stats_to_stats64(stats, &dev->stats);
	stats->rx_missed_errors = READ_ONCE(mac->missed);
}

static int vmac_get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *link)
{
	struct vmac *mac = netdev_priv(dev);
	u32 rate = READ_ONCE(vmac_rate_kbps[mac->index]);

	/* In Mbit/s; there is no word for less. */
	link->base.speed = rate >= 1000 ? rate / 1000 : SPEED_UNKNOWN;
	link->base.duplex = DUPLEX_FULL;
	return 0;
}

static int vmac_get_coalesce(struct net_device *dev, struct ethtool_coalesce *coalesce,
			     struct kernel_ethtool_coalesce *more, struct netlink_ext_ack *words)
{
	struct vmac *mac = netdev_priv(dev);

	coalesce->rx_coalesce_usecs = READ_ONCE(mac->hold_us);
	return 0;
}

static int vmac_set_coalesce(struct net_device *dev, struct ethtool_coalesce *coalesce,
			     struct kernel_ethtool_coalesce *more, struct netlink_ext_ack *words)
{
	struct vmac *mac = netdev_priv(dev);

	if (!vmac_interrupts && coalesce->rx_coalesce_usecs) {
		NL_SET_ERR_MSG(words, "it has no interrupt of its own (interrupt=0)");
		return -EOPNOTSUPP;
	}
	if (coalesce->rx_coalesce_usecs > VMAC_HOLD_MAX_US) {
		NL_SET_ERR_MSG(words, "rx-usecs is at most 10000");
		return -ERANGE;
	}
	WRITE_ONCE(mac->hold_us, coalesce->rx_coalesce_usecs);
	return 0;
}

static const struct ethtool_ops vmac_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_RX_USECS,
	.get_coalesce = vmac_get_coalesce,
	.set_coalesce = vmac_set_coalesce,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = vmac_get_link_ksettings,
};

static const struct net_device_ops vmac_ops = {
	.ndo_open = vmac_open,
	.ndo_stop = vmac_stop,
	.ndo_start_xmit = vmac_xmit,
	.ndo_get_stats64 = vmac_get_stats64,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static void vmac_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &vmac_ops;
	dev->ethtool_ops = &vmac_ethtool_ops;
	if (vmac_offload) {
		dev->hw_features |= NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_HIGHDMA;
		dev->features |= dev->hw_features;
	}
}

struct net_device *vmac_create(int index)
{
	/* Of local administration, and the same in every run: neighbours can be entered by hand. */
	const u8 address[ETH_ALEN] = { 0x02, 0x76, 0x6d, 0x61, 0x63, index };
	struct net_device *dev;
	struct vmac *mac;

	dev = alloc_netdev(sizeof(*mac), "vmac%d", NET_NAME_ENUM, vmac_setup);
	if (!dev)
		return NULL;
	eth_hw_addr_set(dev, address);
	mac = netdev_priv(dev);
	mac->dev = dev;
	mac->index = index;
	raw_spin_lock_init(&mac->lock);
	__skb_queue_head_init(&mac->ring);
	__skb_queue_head_init(&mac->left);
	netif_napi_add(dev, &mac->napi, vmac_poll);
	if (vmac_interrupt_init(mac) < 0 || vmac_wire_init(mac)) {
		vmac_free(dev);
		return NULL;
	}
	return dev;
}

/* Also of one that was not made to its end. */
void vmac_free(struct net_device *dev)
{
	vmac_wire_exit(netdev_priv(dev));
	vmac_interrupt_exit(netdev_priv(dev));
	free_netdev(dev);
}
