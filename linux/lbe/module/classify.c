// SPDX-License-Identifier: GPL-2.0
/*
 * What is background: priority, then DSCP, then the flow table (LBE-1).
 *
 * Runs for every packet sent through the qdisc, and for every packet received
 * where the receive gate is on; so the cheap questions come first, and headers
 * are read only as far as the next question needs.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_sched.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "lbe.h"

#define LBE_PRIORITY	TC_PRIO_FILLER
#define LBE_DSFIELD	(1 << 2)	/* DSCP 000001, RFC 8622 */

struct lbe_ports {
	__be16 source;
	__be16 dest;
};

struct lbe_headers {
	struct in6_addr source;
	struct in6_addr dest;
	struct lbe_ports ports;
	bool has_ports;
	u8 dsfield;
};

static bool protocol_has_ports(u8 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
}

static void read_ports(const struct sk_buff *skb, int offset, u8 protocol, struct lbe_headers *h)
{
	const struct lbe_ports *ports;
	struct lbe_ports buffer;

	if (!protocol_has_ports(protocol))
		return;
	ports = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!ports)
		return;
	h->ports = *ports;
	h->has_ports = true;
}

static bool read_ipv4(const struct sk_buff *skb, struct lbe_headers *h, bool with_ports)
{
	int offset = skb_network_offset(skb);
	const struct iphdr *ip;
	struct iphdr buffer;

	ip = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!ip || ip->ihl < 5)
		return false;
	h->dsfield = ip->tos;
	if (!with_ports || (ip->frag_off & htons(IP_OFFSET)))
		return true;
	ipv6_addr_set_v4mapped(ip->saddr, &h->source);
	ipv6_addr_set_v4mapped(ip->daddr, &h->dest);
	read_ports(skb, offset + ip->ihl * 4, ip->protocol, h);
	return true;
}

static bool read_ipv6(const struct sk_buff *skb, struct lbe_headers *h, bool with_ports)
{
	int offset = skb_network_offset(skb);
	const struct ipv6hdr *ip;
	struct ipv6hdr buffer;

	ip = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!ip)
		return false;
	h->dsfield = ipv6_get_dsfield(ip);
	if (!with_ports)
		return true;
	h->source = ip->saddr;
	h->dest = ip->daddr;
	read_ports(skb, offset + sizeof(buffer), ip->nexthdr, h);
	return true;
}

static bool read_headers(const struct sk_buff *skb, struct lbe_headers *h, bool with_ports)
{
	h->has_ports = false;
	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_IP):
		return read_ipv4(skb, h, with_ports);
	case htons(ETH_P_IPV6):
		return read_ipv6(skb, h, with_ports);
	default:
		return false;
	}
}

enum lbe_kind lbe_classify(struct net *net, struct sk_buff *skb)
{
	bool flows = lbe_flows_any(net);
	struct lbe_flow_key key;
	struct lbe_headers h;

	if (skb->priority == LBE_PRIORITY)
		return LBE_UNMARKED;
	if (!read_headers(skb, &h, flows))
		return LBE_FOREGROUND;
	if ((h.dsfield & ~INET_ECN_MASK) == LBE_DSFIELD)
		return LBE_MARKED;
	if (!flows || !h.has_ports)
		return LBE_FOREGROUND;
	key.remote = h.dest;
	key.remote_port = h.ports.dest;
	key.local_port = h.ports.source;
	return lbe_flows_match(net, &key) ? LBE_UNMARKED : LBE_FOREGROUND;
}

bool lbe_is_background_received(struct net *net, struct sk_buff *skb)
{
	struct lbe_flow_key key;
	struct lbe_headers h;

	if (!lbe_flows_any(net) || !read_headers(skb, &h, true) || !h.has_ports)
		return false;
	key.remote = h.source;
	key.remote_port = h.ports.source;
	key.local_port = h.ports.dest;
	return lbe_flows_match(net, &key);
}

/*
 * True if the packet was changed. One that cannot be written (no memory) leaves
 * as it is, and so does one without a whole header: a packet socket's, which is
 * background by its priority before anybody has looked at it.
 */
bool lbe_mark(struct sk_buff *skb)
{
	int offset = skb_network_offset(skb);

	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_IP):
		if (!pskb_may_pull(skb, offset + sizeof(struct iphdr)))
			return false;
		if (ipv4_get_dsfield(ip_hdr(skb)) >> 2 == LBE_DSFIELD >> 2)
			return false;
		if (skb_ensure_writable(skb, offset + sizeof(struct iphdr)))
			return false;
		ipv4_change_dsfield(ip_hdr(skb), INET_ECN_MASK, LBE_DSFIELD);
		return true;
	case htons(ETH_P_IPV6):
		if (!pskb_may_pull(skb, offset + sizeof(struct ipv6hdr)))
			return false;
		if (ipv6_get_dsfield(ipv6_hdr(skb)) >> 2 == LBE_DSFIELD >> 2)
			return false;
		if (skb_ensure_writable(skb, offset + sizeof(struct ipv6hdr)))
			return false;
		ipv6_change_dsfield(ipv6_hdr(skb), INET_ECN_MASK, LBE_DSFIELD);
		return true;
	default:
		return false;
	}
}
