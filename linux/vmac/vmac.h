/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vmac: a pair of Ethernet devices joined by a wire, for experiments.
 *
 *   vmac0 ─ ring ─ wire (rate) ─ line (delay) ─► vmac1, and the same the other way
 *
 * What is like a real device: a ring of frames that the driver fills, one frame
 * at a time on the wire for as long as its bytes take, an interrupt when it has
 * left, completion and reception in NAPI, byte queue accounting. What is
 * better: rate and delay are stated, and it is known to the nanosecond when
 * each frame was on the wire.
 */
#ifndef VMAC_H
#define VMAC_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/smp.h>
#include <linux/version.h>

#include "fifo.h"

#define VMAC_DEVICES	4		/* two pairs at most */
#define VMAC_RING	256		/* frames */
#define VMAC_LINE	16384		/* frames under way */
#define VMAC_HOLD_MAX_US 10000
#define VMAC_RECEIVED	256		/* frames that wait for NAPI; of more the newest are missed */
/* Preamble, frame check sequence, gap: bytes of a frame on the wire that no skb has. */
#define VMAC_OVERHEAD	24

struct vmac_record {
	u64 given_ns;			/* the driver got the frame; all CLOCK_MONOTONIC */
	u64 start_ns;			/* its first bit on the wire */
	u64 end_ns;			/* its last */
	u32 bytes;			/* without VMAC_OVERHEAD */
	u32 dsfield;			/* IPv4 TOS or IPv6 traffic class, 256 if neither */
};

enum vmac_line_state {
	VMAC_LINE_OFF,			/* the device is down */
	VMAC_LINE_OPEN,
	VMAC_LINE_HELD,			/* something came, the interrupt waits for more */
	VMAC_LINE_MASKED,
	VMAC_LINE_PENDING,		/* masked, and something came */
};

struct vmac {
	struct net_device *dev;
	struct vmac *peer;
	int index;
	struct napi_struct napi;

	raw_spinlock_t lock;		/* all below; hard interrupts */
	struct sk_buff_head ring;	/* given by the stack; the first is on the wire */
	u32 ring_bytes;
	u64 start_ns;			/* of the first */
	struct hrtimer frame_end;
	call_single_data_t start_call;	/* starts a frame on the wire's processor */
	struct sk_buff_head left;	/* left the wire, to be completed */
	struct vmac_fifo line;		/* under way to the peer */
	struct hrtimer arrival;
	struct vmac_fifo received;	/* arrived from the peer, to be received */

	int irq;
	unsigned int irq_cpu;
	enum vmac_line_state line_state;
	unsigned int hold_us;		/* how long an interrupt waits for more (ethtool -C rx-usecs) */
	struct hrtimer held;
	call_single_data_t irq_call;
	struct irq_work irq_again;	/* takes a call that came to the idle loop to a hard interrupt */

	u64 stops;			/* times the send queue was stopped */
	u64 interrupts;
	u64 missed;			/* came while received was full */
	struct vmac_record *records;
	u64 recorded;
};

struct vmac_cb {
	u64 given_ns;
	u64 left_ns;
	u32 bytes;
};

static inline struct vmac_cb *vmac_cb(struct sk_buff *skb)
{
	return (struct vmac_cb *)skb->cb;
}

/* Parameters, main.c; those that sysfs lets write may be changed while frames flow. */
extern unsigned int vmac_rate_kbps[VMAC_DEVICES];
extern unsigned int vmac_delay_us[VMAC_DEVICES];
extern unsigned int vmac_queue_bytes[VMAC_DEVICES];
extern bool vmac_discard[VMAC_DEVICES];
extern bool vmac_bql;
extern bool vmac_offload;
extern int vmac_interrupts;
extern int vmac_wire_cpu;
extern unsigned int vmac_irq_cpu[VMAC_DEVICES];

/* device.c */
struct net_device *vmac_create(int index);
void vmac_free(struct net_device *dev);
bool vmac_has_room(const struct vmac *mac);

/* wire.c */
int vmac_wire_init(struct vmac *mac);
void vmac_wire_exit(struct vmac *mac);
void vmac_wire_stop(struct vmac *mac);
void vmac_wire_start_frame(struct vmac *mac);

/* interrupt.c */
int vmac_interrupt_init(struct vmac *mac);
void vmac_interrupt_exit(struct vmac *mac);
int vmac_interrupt_open(struct vmac *mac);
void vmac_interrupt_stop(struct vmac *mac);
void vmac_interrupt(struct vmac *mac);
void vmac_interrupt_unmask(struct vmac *mac);

/* record.c */
int vmac_records_init(struct vmac *mac, struct dentry *folder);
void vmac_records_exit(struct vmac *mac);
void vmac_record(struct vmac *mac, struct sk_buff *skb, u64 start_ns, u64 end_ns);

/* meter.c */
int vmac_meter_init(struct dentry *folder);
void vmac_meter_exit(void);
void vmac_meter_emulated(u64 ns);

static inline void vmac_timer_init(struct hrtimer *timer,
				   enum hrtimer_restart (*function)(struct hrtimer *timer))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	timer->function = function;
#endif
}

#endif
