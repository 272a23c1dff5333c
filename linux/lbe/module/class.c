// SPDX-License-Identifier: GPL-2.0
/*
 * The two bands as tc sees them: class :1, the foreground, with a child qdisc of
 * the user's choice (LBE-11), and class :2, the background, which keeps its own
 * queue (LBE-12). They are always there, and are neither made nor removed.
 *
 * All under RTNL. A child is exchanged under the root lock (qdisc_replace), so
 * the packets' path never sees one that is gone.
 */
#include <net/pkt_cls.h>

#include "sched.h"

int lbe_foreground_create(struct Qdisc *sch, struct netlink_ext_ack *extack)
{
	const struct Qdisc_ops *ops = default_qdisc_ops;
	struct lbe_sched *q = qdisc_priv(sch);

	/* One that brings its own locking (pfifo_fast) cannot be below our lock, nor lbe below anything. */
	if ((ops->static_flags & TCQ_F_NOLOCK) || ops == &lbe_qdisc_ops)
		ops = &pfifo_qdisc_ops;
	q->foreground = qdisc_create_dflt(sch->dev_queue, ops, TC_H_MAKE(sch->handle, 1), extack);
	if (!q->foreground)
		return -ENOMEM;
	if (q->foreground != &noop_qdisc)
		qdisc_hash_add(q->foreground, true);
	return 0;
}

static unsigned long lbe_class_find(struct Qdisc *sch, u32 classid)
{
	unsigned long minor = TC_H_MIN(classid);

	return minor >= 1 && minor <= BANDS ? minor : 0;
}

static int lbe_class_graft(struct Qdisc *sch, unsigned long class, struct Qdisc *new,
			   struct Qdisc **old, struct netlink_ext_ack *extack)
{
	struct lbe_sched *q = qdisc_priv(sch);

	if (class - 1 != FOREGROUND) {
		NL_SET_ERR_MSG_MOD(extack, "the background band keeps its own queue");
		return -EOPNOTSUPP;
	}
	if (!new)
		new = &noop_qdisc;
	*old = qdisc_replace(sch, new, &q->foreground);
	return 0;
}

static struct Qdisc *lbe_class_leaf(struct Qdisc *sch, unsigned long class)
{
	struct lbe_sched *q = qdisc_priv(sch);

	return class - 1 == FOREGROUND ? q->foreground : NULL;
}

static int lbe_class_dump(struct Qdisc *sch, unsigned long class, struct sk_buff *skb,
			  struct tcmsg *tcm)
{
	struct lbe_sched *q = qdisc_priv(sch);

	tcm->tcm_handle |= TC_H_MIN(class);
	if (class - 1 == FOREGROUND)
		tcm->tcm_info = q->foreground->handle;
	return 0;
}

static int lbe_class_dump_stats(struct Qdisc *sch, unsigned long class, struct gnet_dump *d)
{
	struct lbe_sched *q = qdisc_priv(sch);
	struct Qdisc *child = q->foreground;

	if (class - 1 == FOREGROUND) {
		if (gnet_stats_copy_basic(d, child->cpu_bstats, &child->bstats, true) < 0 ||
		    qdisc_qstats_copy(d, child) < 0)
			return -1;
		return 0;
	}
	if (gnet_stats_copy_basic(d, NULL, &q->bstats, true) < 0 ||
	    gnet_stats_copy_queue(d, NULL, &q->qstats, q->background.qlen) < 0)
		return -1;
	return 0;
}

static void lbe_class_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	unsigned long class;

	for (class = 1; class <= BANDS && !walker->stop; class++) {
		if (walker->count >= walker->skip && walker->fn(sch, class, walker) < 0) {
			walker->stop = 1;
			return;
		}
		walker->count++;
	}
}

const struct Qdisc_class_ops lbe_class_ops = {
	.find = lbe_class_find,
	.graft = lbe_class_graft,
	.leaf = lbe_class_leaf,
	.walk = lbe_class_walk,
	.dump = lbe_class_dump,
	.dump_stats = lbe_class_dump_stats,
};
