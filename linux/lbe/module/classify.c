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

/* The two ends of a packet that has ports. */
struct lbe_ends {
	struct in6_addr source;
	struct in6_addr dest;
	struct lbe_ports ports;
};

/*
 * DSCP and ECN of both versions are in the header's first two bytes. They are
 * all that most packets are asked for, so nothing else of it is read here.
 */
static bool is_marked(const struct sk_buff *skb)
{
	const __be16 *first;
	__be16 buffer;
	u16 word;

	first = skb_header_pointer(skb, skb_network_offset(skb), sizeof(buffer), &buffer);
	if (!first)
		return false;
	word = ntohs(*first);
	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_IP):
		return (word & 0xff & ~INET_ECN_MASK) == LBE_DSFIELD;
	case htons(ETH_P_IPV6):
		return (word >> 4 & 0xff & ~INET_ECN_MASK) == LBE_DSFIELD;
	default:
		return false;
	}
}

static bool read_ports(const struct sk_buff *skb, int offset, u8 protocol, struct lbe_ports *ports)
{
	const struct lbe_ports *found;

	if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP)
		return false;
	found = skb_header_pointer(skb, offset, sizeof(*ports), ports);
	if (!found)
		return false;
	*ports = *found;
	return true;
}

static bool read_ipv4(const struct sk_buff *skb, struct lbe_ends *ends)
{
	int offset = skb_network_offset(skb);
	const struct iphdr *ip;
	struct iphdr buffer;

	ip = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	/* Only a packet's first fragment has its ports. */
	if (!ip || ip->ihl < 5 || (ip->frag_off & htons(IP_OFFSET)))
		return false;
	ipv6_addr_set_v4mapped(ip->saddr, &ends->source);
	ipv6_addr_set_v4mapped(ip->daddr, &ends->dest);
	return read_ports(skb, offset + ip->ihl * 4, ip->protocol, &ends->ports);
}

static bool read_ipv6(const struct sk_buff *skb, struct lbe_ends *ends)
{
	int offset = skb_network_offset(skb);
	const struct ipv6hdr *ip;
	struct ipv6hdr buffer;

	ip = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!ip)
		return false;
	ends->source = ip->saddr;
	ends->dest = ip->daddr;
	return read_ports(skb, offset + sizeof(buffer), ip->nexthdr, &ends->ports);
}

static bool read_ends(const struct sk_buff *skb, struct lbe_ends *ends)
{
	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_IP):
		return read_ipv4(skb, ends);
	case htons(ETH_P_IPV6):
		return read_ipv6(skb, ends);
	default:
		return false;
	}
}

static bool sent_by_a_flow(struct net *net, const struct sk_buff *skb)
{
	struct lbe_flow_key key;
	struct lbe_ends ends;

	if (!read_ends(skb, &ends))
		return false;
	key.remote = ends.dest;
	key.remote_port = ends.ports.dest;
	key.local_port = ends.ports.source;
	return lbe_flows_match(net, &key);
}

enum lbe_kind lbe_classify(struct net *net, struct sk_buff *skb)
{
	if (skb->priority == LBE_PRIORITY)
		return LBE_UNMARKED;
	if (is_marked(skb))
		return LBE_MARKED;
	if (lbe_flows_any(net) && sent_by_a_flow(net, skb))
		return LBE_UNMARKED;
	return LBE_FOREGROUND;
}

bool lbe_is_background_received(struct net *net, struct sk_buff *skb)
{
	struct lbe_flow_key key;
	struct lbe_ends ends;

	if (!lbe_flows_any(net) || !read_ends(skb, &ends))
		return false;
	key.remote = ends.source;
	key.remote_port = ends.ports.source;
	key.local_port = ends.ports.dest;
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
