/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Apache-2.0 OR MIT) */
/*
 * What user space and sch_lbe say to each other: rtnetlink attributes of the
 * qdisc (SPEC LBE-80, LBE-81) and the generic netlink family of the flow
 * table (LBE-82). Attributes are only ever added, at the end.
 */
#ifndef LBE_UAPI_H
#define LBE_UAPI_H

#include <linux/types.h>

enum lbe_mode {
	LBE_MODE_PRIO,		/* two bands, nothing else */
	LBE_MODE_GATE,		/* and the background band only on background tasks' time */
	LBE_MODE_TASK,		/* a kernel thread for each band, the rival of the paper */
	__LBE_MODE_MAX,
};

/* TCA_LBE_SWITCHES, all but RECEIVE on unless said otherwise. */
#define LBE_SWITCH_SPLIT	(1U << 0)	/* LBE-13 */
#define LBE_SWITCH_DEFER	(1U << 1)	/* LBE-15 */
#define LBE_SWITCH_MARK		(1U << 2)	/* LBE-6 */
#define LBE_SWITCH_STEER	(1U << 3)	/* LBE-22 */
#define LBE_SWITCH_RECEIVE	(1U << 4)	/* LBE-50 */
#define LBE_SWITCHES		(LBE_SWITCH_SPLIT | LBE_SWITCH_DEFER | LBE_SWITCH_MARK | \
				 LBE_SWITCH_STEER | LBE_SWITCH_RECEIVE)
#define LBE_SWITCHES_DEFAULT	(LBE_SWITCHES & ~LBE_SWITCH_RECEIVE)

#define LBE_AUTO		(~0U)		/* of DEVICE_QUEUE and BUDGET */
#define LBE_LIMIT_DEFAULT	1000U		/* packets */
#define LBE_MAX_HOLD_DEFAULT	1000000U	/* us */
#define LBE_MAX_HOLD_MAX	3600000000U	/* us */
#define LBE_BUDGET_MAX		64U		/* packets */
#define LBE_DEVICE_QUEUE_MAX	(1U << 24)	/* bytes */
#define LBE_FLOWS_MAX		4096U

enum {
	TCA_LBE_UNSPEC,
	TCA_LBE_MODE,		/* u32, enum lbe_mode */
	TCA_LBE_LIMIT,		/* u32, packets of the background band, 1 and more */
	TCA_LBE_MAX_HOLD,	/* u32, us, 0 = no valve */
	TCA_LBE_DEVICE_QUEUE,	/* u32, bytes, 0 = as it is, LBE_AUTO = by the link */
	TCA_LBE_BUDGET,		/* u32, packets, 0 = no bound, LBE_AUTO = by the device */
	TCA_LBE_SWITCHES,	/* struct nla_bitfield32 of LBE_SWITCH_* */
	__TCA_LBE_MAX,
};
#define TCA_LBE_MAX (__TCA_LBE_MAX - 1)

/* tc_lbe_xstats.flags */
#define LBE_STATE_NO_PROBE	(1U << 0)	/* the gate is open for want of a probe (LBE-25) */
#define LBE_STATE_SHUT		(1U << 1)	/* the gate holds packets now */

struct tc_lbe_xstats {
	__u32 flags;
	__u32 in_device;	/* background packets that the device has, if counted */
	__u64 split;		/* large packets that were split */
	__u64 marked;		/* packets that got DSCP LE here */
	__u64 deferred;		/* times the background band was passed over (LBE-15) */
	__u64 shut;		/* times the gate shut */
	__u64 shut_ns;		/* time it was shut */
	__u64 shut_longest_ns;
	__u64 valve;		/* packets let out by the valve */
	__u64 released;		/* times a task switch asked for held packets */
	__u64 steered;		/* times another processor was asked */
	__u64 budget_waits;	/* times the device had enough background packets */
	__u64 budget_timeouts;	/* times the device was not waited for any longer */
	__u64 rx_passed;	/* received background packets that did not wait */
	__u64 rx_held;		/* and that waited */
	__u64 rx_valve;		/* and of these, let on by the valve */
	__u64 rx_overflows;	/* times the receive queue was full */
};

#define LBE_GENL_NAME		"lbe"
#define LBE_GENL_VERSION	1

enum {
	LBE_CMD_UNSPEC,
	LBE_CMD_FLOW_ADD,
	LBE_CMD_FLOW_DEL,
	LBE_CMD_FLOW_GET,
	LBE_CMD_FLOW_FLUSH,
};

enum {
	LBE_A_UNSPEC,
	LBE_A_ADDR4,		/* 4 bytes, network order: remote address */
	LBE_A_ADDR6,		/* 16 bytes, network order: one of the two; none or all 0 = any */
	LBE_A_REMOTE_PORT,	/* u16, host order, 0 or absent = any */
	LBE_A_LOCAL_PORT,	/* u16, host order, 0 or absent = any */
	__LBE_A_MAX,
};
#define LBE_A_MAX (__LBE_A_MAX - 1)

#endif
