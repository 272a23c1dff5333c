// SPDX-License-Identifier: GPL-2.0
/*
 * bare: one device, bare0, of which everything may be set, for tests alone.
 *
 * Like WireGuard's its packets have no header of the link layer, and its MTU
 * may be 0. The link's speed is what the parameter says, and as a driver that
 * asks its PHY over a bus, its own sleeps before it tells. What it is given to
 * send it keeps until it goes down, as a device that hangs: so whoever counts
 * what a device has, counts all that was given to it.
 */
#include <linux/delay.h>
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>

static unsigned int bare_speed = SPEED_UNKNOWN;
module_param_named(speed, bare_speed, uint, 0644);
MODULE_PARM_DESC(speed, "of the link, Mbit/s; 4294967295: unknown");

static unsigned int bare_asked;
module_param_named(asked, bare_asked, uint, 0444);
MODULE_PARM_DESC(asked, "how often the driver has slept and told");

static struct net_device *bare_device;
static struct sk_buff_head bare_kept;

/* Softirqs off, its send queue's lock held. */
static netdev_tx_t bare_xmit(struct sk_buff *skb, struct net_device *dev)
{
	skb_queue_tail(&bare_kept, skb);
	return NETDEV_TX_OK;
}

static int bare_open(struct net_device *dev)
{
	netif_start_queue(dev);
	return 0;
}

/* RTNL held. Nobody sends any more. */
static int bare_stop(struct net_device *dev)
{
	netif_stop_queue(dev);
	skb_queue_purge(&bare_kept);
	return 0;
}

/* RTNL held, sleeps: who asks in atomic context makes the kernel complain. */
static int bare_get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *link)
{
	usleep_range(1000, 2000);
	bare_asked++;
	link->base.speed = READ_ONCE(bare_speed);
	link->base.duplex = DUPLEX_FULL;
	return 0;
}

static const struct ethtool_ops bare_ethtool_ops = {
	.get_link_ksettings = bare_get_link_ksettings,
};

static const struct net_device_ops bare_ops = {
	.ndo_open = bare_open,
	.ndo_stop = bare_stop,
	.ndo_start_xmit = bare_xmit,
};

/* With min_mtu, max_mtu and hard_header_len as they are: 0, no bound, none. */
static void bare_setup(struct net_device *dev)
{
	dev->netdev_ops = &bare_ops;
	dev->ethtool_ops = &bare_ethtool_ops;
	dev->type = ARPHRD_NONE;
	dev->flags = IFF_POINTOPOINT | IFF_NOARP;
	dev->mtu = 1500;
	dev->tx_queue_len = DEFAULT_TX_QUEUE_LEN;
}

static int __init bare_init(void)
{
	int err;

	skb_queue_head_init(&bare_kept);
	bare_device = alloc_netdev(0, "bare%d", NET_NAME_ENUM, bare_setup);
	if (!bare_device)
		return -ENOMEM;
	err = register_netdev(bare_device);
	if (err)
		free_netdev(bare_device);
	return err;
}

static void __exit bare_exit(void)
{
	unregister_netdev(bare_device);
	free_netdev(bare_device);
}

module_init(bare_init);
module_exit(bare_exit);
MODULE_LICENSE("GPL");
MODULE_AUTHOR("tokkyu");
MODULE_DESCRIPTION("A device without a header of the link layer, whose MTU may be 0");
