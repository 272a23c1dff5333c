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

	vmac_cb(skb)->given_ns = ktime_get_ns();
	vmac_cb(skb)->bytes = bytes;
	if (vmac_bql)
		netdev_sent_queue(dev, bytes);
	spin_lock_irqsave(&mac->lock, irq);
	__skb_queue_tail(&mac->ring, skb);
	mac->ring_bytes += bytes;
	if (skb_queue_len(&mac->ring) == 1)
		vmac_wire_start_frame(mac);
	if (!vmac_has_room(mac)) {
		netif_stop_queue(dev);
		mac->stops++;
	}
	spin_unlock_irqrestore(&mac->lock, irq);
	return NETDEV_TX_OK;
}

static struct sk_buff *take(struct vmac *mac, struct sk_buff_head *queue)
{
	struct sk_buff *skb;
	unsigned long irq;

	spin_lock_irqsave(&mac->lock, irq);
	skb = __skb_dequeue(queue);
	spin_unlock_irqrestore(&mac->lock, irq);
	return skb;
}

/*
 * The sender's memory is given back here, as a driver does that frees a frame:
 * TCP Small Queues and socket buffers go by it. The frame itself goes on to the
 * peer, where a real wire would have copied it.
 */
static void complete_sent(struct vmac *mac)
{
	unsigned int frames = 0, bytes = 0;
	struct sk_buff *skb;
	unsigned long irq;
	bool room;

	while ((skb = take(mac, &mac->left))) {
		frames++;
		bytes += vmac_cb(skb)->bytes;
		skb_orphan(skb);
		if (READ_ONCE(vmac_discard[mac->index]))
			consume_skb(skb);
		else
			vmac_line_send(mac, skb);
	}
	if (!frames)
		return;
	mac->dev->stats.tx_packets += frames;
	mac->dev->stats.tx_bytes += bytes;
	if (vmac_bql)
		netdev_completed_queue(mac->dev, frames, bytes);
	spin_lock_irqsave(&mac->lock, irq);
	room = vmac_has_room(mac);
	spin_unlock_irqrestore(&mac->lock, irq);
	if (room && netif_queue_stopped(mac->dev))
		netif_wake_queue(mac->dev);
}

static void receive(struct vmac *mac, struct sk_buff *skb)
{
	mac->dev->stats.rx_packets++;
	mac->dev->stats.rx_bytes += skb->len;
	skb->protocol = eth_type_trans(skb, mac->dev);
	skb_scrub_packet(skb, true);
	skb->priority = 0;
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	napi_gro_receive(&mac->napi, skb);
}

static int vmac_poll(struct napi_struct *napi, int budget)
{
	struct vmac *mac = container_of(napi, struct vmac, napi);
	struct sk_buff *skb;
	int done = 0;

	complete_sent(mac);
	while (done < budget && (skb = take(mac, &mac->received))) {
		receive(mac, skb);
		done++;
	}
	if (done < budget)
		napi_complete_done(napi, done);
	return done;
}

static int vmac_open(struct net_device *dev)
{
	struct vmac *mac = netdev_priv(dev);

	/* What the peer has sent meanwhile met nobody. */
	vmac_wire_stop(mac);
	netdev_reset_queue(dev);
	napi_enable(&mac->napi);
	netif_start_queue(dev);
	return 0;
}

static int vmac_stop(struct net_device *dev)
{
	struct vmac *mac = netdev_priv(dev);

	netif_stop_queue(dev);
	/* Before the timers: NAPI gives frames to the line, which starts one. */
	napi_disable(&mac->napi);
	vmac_wire_stop(mac);
	netdev_reset_queue(dev);
	return 0;
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

static const struct ethtool_ops vmac_ethtool_ops = {
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = vmac_get_link_ksettings,
};

static const struct net_device_ops vmac_ops = {
	.ndo_open = vmac_open,
	.ndo_stop = vmac_stop,
	.ndo_start_xmit = vmac_xmit,
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
	spin_lock_init(&mac->lock);
	skb_queue_head_init(&mac->ring);
	skb_queue_head_init(&mac->left);
	skb_queue_head_init(&mac->line);
	skb_queue_head_init(&mac->received);
	vmac_wire_init(mac);
	netif_napi_add(dev, &mac->napi, vmac_poll);
	return dev;
}
