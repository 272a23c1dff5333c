// SPDX-License-Identifier: GPL-2.0
/*
 * The options of a qdisc: read and checked, put in force, told (LBE-80).
 *
 * A change goes through a copy: attributes are laid over the options in force,
 * the whole is checked, and only then are threads, receive gate and limits made
 * or taken away. So what is refused or fails leaves the qdisc as it was. All of
 * it under RTNL, and it may sleep; the root lock is taken for the moment in
 * which the packets' path sees the new ones.
 */
#include <net/netlink.h>

#include "sched.h"

const struct lbe_options lbe_options_default = {
	.mode = LBE_MODE_GATE,
	.limit = LBE_LIMIT_DEFAULT,
	.max_hold_us = LBE_MAX_HOLD_DEFAULT,
	.device_queue = LBE_AUTO,
	.budget = LBE_AUTO,
	.switches = LBE_SWITCHES_DEFAULT,
};

static const struct nla_policy lbe_policy[TCA_LBE_MAX + 1] = {
	[TCA_LBE_MODE] = NLA_POLICY_MAX(NLA_U32, __LBE_MODE_MAX - 1),
	[TCA_LBE_LIMIT] = NLA_POLICY_MIN(NLA_U32, 1),
	[TCA_LBE_MAX_HOLD] = { .type = NLA_U32 },
	[TCA_LBE_DEVICE_QUEUE] = { .type = NLA_U32 },
	[TCA_LBE_BUDGET] = { .type = NLA_U32 },
	[TCA_LBE_SWITCHES] = NLA_POLICY_BITFIELD32(LBE_SWITCHES),
};

static void read_u32(struct nlattr *attr, u32 *value)
{
	if (attr)
		*value = nla_get_u32(attr);
}

static int check(const struct lbe_options *opt, struct netlink_ext_ack *extack)
{
	if (opt->max_hold_us > LBE_MAX_HOLD_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "max_hold is 3600 s at most");
		return -ERANGE;
	}
	if (opt->device_queue > LBE_DEVICE_QUEUE_MAX && opt->device_queue != LBE_AUTO) {
		NL_SET_ERR_MSG_MOD(extack, "device_queue is 16 MiB at most, 0 or auto");
		return -ERANGE;
	}
	if (opt->budget > LBE_BUDGET_MAX && opt->budget != LBE_AUTO) {
		NL_SET_ERR_MSG_MOD(extack, "budget is 64 packets at most, 0 or auto");
		return -ERANGE;
	}
	if (opt->mode != LBE_MODE_GATE && (opt->switches & LBE_SWITCH_RECEIVE)) {
		NL_SET_ERR_MSG_MOD(extack, "receive needs mode gate");
		return -EINVAL;
	}
	return 0;
}

int lbe_options_read(struct nlattr *attrs, struct lbe_options *opt, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_LBE_MAX + 1];
	int err;

	if (!attrs)
		return 0;
	err = nla_parse_nested(tb, TCA_LBE_MAX, attrs, lbe_policy, extack);
	if (err)
		return err;
	read_u32(tb[TCA_LBE_MODE], &opt->mode);
	read_u32(tb[TCA_LBE_LIMIT], &opt->limit);
	read_u32(tb[TCA_LBE_MAX_HOLD], &opt->max_hold_us);
	read_u32(tb[TCA_LBE_DEVICE_QUEUE], &opt->device_queue);
	read_u32(tb[TCA_LBE_BUDGET], &opt->budget);
	if (tb[TCA_LBE_SWITCHES]) {
		struct nla_bitfield32 bits = nla_get_bitfield32(tb[TCA_LBE_SWITCHES]);

		opt->switches = (opt->switches & ~bits.selector) | (bits.value & bits.selector);
	}
	return check(opt, extack);
}

/* RTNL held, no lock: what may fail comes first, and on failure nothing has changed. */
int lbe_options_apply(struct Qdisc *sch, const struct lbe_options *opt)
{
	struct lbe_sched *q = qdisc_priv(sch);
	struct lbe_workers *workers = q->workers, *old_workers = NULL;
	struct lbe_receive *receive = q->receive, *old_receive = NULL;
	bool steer = opt->switches & LBE_SWITCH_STEER;
	u32 auto_budget;
	int err;

	if (opt->mode == LBE_MODE_TASK && !workers) {
		workers = lbe_workers_create(sch);
		if (IS_ERR(workers))
			return PTR_ERR(workers);
	} else if (opt->mode != LBE_MODE_TASK) {
		old_workers = workers;
		workers = NULL;
	}
	if ((opt->switches & LBE_SWITCH_RECEIVE) && !receive) {
		receive = lbe_receive_create(qdisc_dev(sch), opt->max_hold_us, steer);
		if (IS_ERR(receive)) {
			err = PTR_ERR(receive);
			goto no_receive;
		}
	} else if (!(opt->switches & LBE_SWITCH_RECEIVE)) {
		old_receive = receive;
		receive = NULL;
	}
	err = lbe_cut_apply(&q->cut, qdisc_dev(sch), opt->device_queue);
	if (err)
		goto no_cut;
	if (receive)
		lbe_receive_change(receive, opt->max_hold_us, steer);
	/* Asks the driver, which may sleep (LBE-64). */
	auto_budget = lbe_auto_budget(qdisc_dev(sch));
	sch_tree_lock(sch);
	q->opt = *opt;
	WRITE_ONCE(q->auto_budget, auto_budget);
	q->workers = workers;
	q->receive = receive;
	sch_tree_unlock(sch);
	lbe_workers_destroy(old_workers);
	lbe_receive_destroy(old_receive);
	/* What the old options held may go by the new ones. */
	lbe_ask(sch);
	return 0;

no_cut:
	if (receive != q->receive)
		lbe_receive_destroy(receive);
no_receive:
	if (workers != q->workers)
		lbe_workers_destroy(workers);
	return err;
}

/*
 * RTNL held, sleeps. With another MTU or another link the automatic budget is
 * another. lbe is the root of its device or not there (LBE-60).
 */
void lbe_options_follow(struct net_device *dev)
{
	struct Qdisc *sch = rtnl_dereference(dev->qdisc);
	struct lbe_sched *q;

	if (!sch || sch->ops != &lbe_qdisc_ops)
		return;
	q = qdisc_priv(sch);
	WRITE_ONCE(q->auto_budget, lbe_auto_budget(dev));
	/* What waited for a smaller one may go. */
	lbe_ask(sch);
}

int lbe_options_change(struct Qdisc *sch, struct nlattr *attrs, struct netlink_ext_ack *extack)
{
	struct lbe_sched *q = qdisc_priv(sch);
	struct lbe_options opt = q->opt;
	int err = lbe_options_read(attrs, &opt, extack);

	return err ?: lbe_options_apply(sch, &opt);
}

int lbe_options_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lbe_sched *q = qdisc_priv(sch);
	struct nlattr *nest = nla_nest_start(skb, TCA_OPTIONS);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, TCA_LBE_MODE, q->opt.mode) ||
	    nla_put_u32(skb, TCA_LBE_LIMIT, q->opt.limit) ||
	    nla_put_u32(skb, TCA_LBE_MAX_HOLD, q->opt.max_hold_us) ||
	    nla_put_u32(skb, TCA_LBE_DEVICE_QUEUE, q->opt.device_queue) ||
	    nla_put_u32(skb, TCA_LBE_BUDGET, q->opt.budget) ||
	    nla_put_bitfield32(skb, TCA_LBE_SWITCHES, q->opt.switches, LBE_SWITCHES)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	return nla_nest_end(skb, nest);
}
