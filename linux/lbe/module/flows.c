// SPDX-License-Identifier: GPL-2.0
/*
 * The table of flows, one for each network namespace, and the netlink family
 * that writes it (LBE-4, LBE-82).
 *
 * Readers are in the send path: RCU, no lock. A port of 0 in a flow is any
 * port, the unspecified address (::) any address of both families; so a packet
 * is looked up in the shapes that the table has: the fields that some flow
 * names. Writers are rare and take the table's mutex.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <net/genetlink.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "lbe.h"

#define LBE_FLOW_BITS 8

struct lbe_flow {
	struct hlist_node node;
	struct lbe_flow_key key;
	struct rcu_head rcu;
};

/* What the flows of a shape name: its index has these bits. */
#define LBE_SHAPE_REMOTE_PORT	1
#define LBE_SHAPE_LOCAL_PORT	2
#define LBE_SHAPE_ADDRESS	4
#define LBE_SHAPES		8

struct lbe_flows {
	struct mutex mutex;
	unsigned int count;
	unsigned int of_shape[LBE_SHAPES];
	DECLARE_HASHTABLE(table, LBE_FLOW_BITS);
};

static unsigned int lbe_net_id;
static u32 lbe_seed __read_mostly;

static struct lbe_flows *flows_of(struct net *net)
{
	return net_generic(net, lbe_net_id);
}

static u32 hash_of(const struct lbe_flow_key *key)
{
	return jhash(key, offsetofend(struct lbe_flow_key, local_port), lbe_seed);
}

static bool same(const struct lbe_flow_key *a, const struct lbe_flow_key *b)
{
	return ipv6_addr_equal(&a->remote, &b->remote) && a->remote_port == b->remote_port &&
	       a->local_port == b->local_port;
}

static struct lbe_flow *find(struct lbe_flows *flows, const struct lbe_flow_key *key)
{
	struct lbe_flow *flow;

	hash_for_each_possible_rcu(flows->table, flow, node, hash_of(key),
				   lockdep_is_held(&flows->mutex))
		if (same(&flow->key, key))
			return flow;
	return NULL;
}

bool lbe_flows_any(struct net *net)
{
	return READ_ONCE(flows_of(net)->count);
}

/* Softirqs off or RCU read lock held. */
bool lbe_flows_match(struct net *net, const struct lbe_flow_key *packet)
{
	struct lbe_flows *flows = flows_of(net);
	struct lbe_flow_key key = *packet;
	bool found = false;
	int shape;

	rcu_read_lock();
	for (shape = 0; shape < LBE_SHAPES && !found; shape++) {
		if (!READ_ONCE(flows->of_shape[shape]))
			continue;
		key.remote = shape & LBE_SHAPE_ADDRESS ? packet->remote : in6addr_any;
		key.remote_port = shape & LBE_SHAPE_REMOTE_PORT ? packet->remote_port : 0;
		key.local_port = shape & LBE_SHAPE_LOCAL_PORT ? packet->local_port : 0;
		found = find(flows, &key);
	}
	rcu_read_unlock();
	return found;
}

static int shape_of(const struct lbe_flow_key *key)
{
	return (key->remote_port ? LBE_SHAPE_REMOTE_PORT : 0) |
	       (key->local_port ? LBE_SHAPE_LOCAL_PORT : 0) |
	       (ipv6_addr_any(&key->remote) ? 0 : LBE_SHAPE_ADDRESS);
}

static void count(struct lbe_flows *flows, const struct lbe_flow_key *key, int by)
{
	int shape = shape_of(key);

	WRITE_ONCE(flows->of_shape[shape], flows->of_shape[shape] + by);
	WRITE_ONCE(flows->count, flows->count + by);
}

static int add(struct lbe_flows *flows, const struct lbe_flow_key *key)
{
	struct lbe_flow *flow;

	lockdep_assert_held(&flows->mutex);
	if (find(flows, key))
		return -EEXIST;
	if (flows->count >= LBE_FLOWS_MAX)
		return -ENOSPC;
	flow = kzalloc(sizeof(*flow), GFP_KERNEL_ACCOUNT);
	if (!flow)
		return -ENOMEM;
	flow->key = *key;
	hash_add_rcu(flows->table, &flow->node, hash_of(key));
	count(flows, key, 1);
	return 0;
}

static void drop(struct lbe_flows *flows, struct lbe_flow *flow)
{
	lockdep_assert_held(&flows->mutex);
	hash_del_rcu(&flow->node);
	count(flows, &flow->key, -1);
	kfree_rcu(flow, rcu);
}

static void flush(struct lbe_flows *flows)
{
	struct lbe_flow *flow;
	struct hlist_node *next;
	int bucket;

	mutex_lock(&flows->mutex);
	hash_for_each_safe(flows->table, bucket, next, flow, node)
		drop(flows, flow);
	mutex_unlock(&flows->mutex);
}

/* --- generic netlink --- */

static const struct nla_policy policy[LBE_A_MAX + 1] = {
	[LBE_A_ADDR4] = NLA_POLICY_EXACT_LEN(sizeof(struct in_addr)),
	[LBE_A_ADDR6] = NLA_POLICY_EXACT_LEN(sizeof(struct in6_addr)),
	[LBE_A_REMOTE_PORT] = { .type = NLA_U16 },
	[LBE_A_LOCAL_PORT] = { .type = NLA_U16 },
};

static struct genl_family lbe_family;

static int read_key(struct genl_info *info, struct lbe_flow_key *key)
{
	struct nlattr *four = info->attrs[LBE_A_ADDR4], *six = info->attrs[LBE_A_ADDR6];

	if (four && six) {
		GENL_SET_ERR_MSG(info, "a flow has one remote address, IPv4 or IPv6");
		return -EINVAL;
	}
	memset(key, 0, sizeof(*key));
	if (four && nla_get_in_addr(four))
		ipv6_addr_set_v4mapped(nla_get_in_addr(four), &key->remote);
	else if (six)
		key->remote = nla_get_in6_addr(six);
	if (info->attrs[LBE_A_REMOTE_PORT])
		key->remote_port = htons(nla_get_u16(info->attrs[LBE_A_REMOTE_PORT]));
	if (info->attrs[LBE_A_LOCAL_PORT])
		key->local_port = htons(nla_get_u16(info->attrs[LBE_A_LOCAL_PORT]));
	if (!shape_of(key)) {
		GENL_SET_ERR_MSG(info, "a flow names a remote address or a port");
		return -EINVAL;
	}
	return 0;
}

static int on_add(struct sk_buff *request, struct genl_info *info)
{
	struct lbe_flows *flows = flows_of(genl_info_net(info));
	struct lbe_flow_key key;
	int err = read_key(info, &key);

	if (err)
		return err;
	mutex_lock(&flows->mutex);
	err = add(flows, &key);
	mutex_unlock(&flows->mutex);
	if (err == -ENOSPC)
		GENL_SET_ERR_MSG(info, "the table of background flows is full (4096)");
	return err;
}

static int on_del(struct sk_buff *request, struct genl_info *info)
{
	struct lbe_flows *flows = flows_of(genl_info_net(info));
	struct lbe_flow_key key;
	struct lbe_flow *flow;
	int err = read_key(info, &key);

	if (err)
		return err;
	mutex_lock(&flows->mutex);
	flow = find(flows, &key);
	if (flow)
		drop(flows, flow);
	mutex_unlock(&flows->mutex);
	return flow ? 0 : -ENOENT;
}

static int on_flush(struct sk_buff *request, struct genl_info *info)
{
	flush(flows_of(genl_info_net(info)));
	return 0;
}

static int put_flow(struct sk_buff *reply, struct netlink_callback *cb, const struct lbe_flow *flow)
{
	const struct lbe_flow_key *key = &flow->key;
	void *header = genlmsg_put(reply, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				   &lbe_family, NLM_F_MULTI, LBE_CMD_FLOW_GET);
	int err = 0;

	if (!header)
		return -EMSGSIZE;
	if (ipv6_addr_v4mapped(&key->remote))
		err = nla_put_in_addr(reply, LBE_A_ADDR4, key->remote.s6_addr32[3]);
	else if (!ipv6_addr_any(&key->remote))
		err = nla_put_in6_addr(reply, LBE_A_ADDR6, &key->remote);
	if (err || nla_put_u16(reply, LBE_A_REMOTE_PORT, ntohs(key->remote_port)) ||
	    nla_put_u16(reply, LBE_A_LOCAL_PORT, ntohs(key->local_port))) {
		genlmsg_cancel(reply, header);
		return -EMSGSIZE;
	}
	genlmsg_end(reply, header);
	return 0;
}

/* cb->args: bucket, and how many of its flows were told. */
static int on_dump(struct sk_buff *reply, struct netlink_callback *cb)
{
	struct lbe_flows *flows = flows_of(sock_net(cb->skb->sk));
	struct lbe_flow *flow;
	long told;

	mutex_lock(&flows->mutex);
	for (; cb->args[0] < HASH_SIZE(flows->table); cb->args[0]++, cb->args[1] = 0) {
		told = 0;
		hlist_for_each_entry(flow, &flows->table[cb->args[0]], node) {
			if (told++ < cb->args[1])
				continue;
			if (put_flow(reply, cb, flow))
				goto full;
			cb->args[1]++;
		}
	}
full:
	mutex_unlock(&flows->mutex);
	return reply->len;
}

static const struct genl_ops lbe_ops[] = {
	{ .cmd = LBE_CMD_FLOW_ADD, .doit = on_add, .flags = GENL_UNS_ADMIN_PERM },
	{ .cmd = LBE_CMD_FLOW_DEL, .doit = on_del, .flags = GENL_UNS_ADMIN_PERM },
	{ .cmd = LBE_CMD_FLOW_FLUSH, .doit = on_flush, .flags = GENL_UNS_ADMIN_PERM },
	{ .cmd = LBE_CMD_FLOW_GET, .dumpit = on_dump },
};

static struct genl_family lbe_family __ro_after_init = {
	.name = LBE_GENL_NAME,
	.version = LBE_GENL_VERSION,
	.maxattr = LBE_A_MAX,
	.policy = policy,
	.netnsok = true,
	.module = THIS_MODULE,
	.ops = lbe_ops,
	.n_ops = ARRAY_SIZE(lbe_ops),
	.resv_start_op = LBE_CMD_FLOW_FLUSH + 1,
};

static int __net_init on_net_init(struct net *net)
{
	struct lbe_flows *flows = flows_of(net);

	mutex_init(&flows->mutex);
	hash_init(flows->table);
	return 0;
}

static void __net_exit on_net_exit(struct net *net)
{
	flush(flows_of(net));
}

static struct pernet_operations lbe_net_ops = {
	.init = on_net_init,
	.exit = on_net_exit,
	.id = &lbe_net_id,
	.size = sizeof(struct lbe_flows),
};

int lbe_flows_init(void)
{
	int err;

	lbe_seed = get_random_u32();
	err = register_pernet_subsys(&lbe_net_ops);
	if (err)
		return err;
	err = genl_register_family(&lbe_family);
	if (err)
		unregister_pernet_subsys(&lbe_net_ops);
	return err;
}

void lbe_flows_exit(void)
{
	genl_unregister_family(&lbe_family);
	unregister_pernet_subsys(&lbe_net_ops);
	rcu_barrier();
}
