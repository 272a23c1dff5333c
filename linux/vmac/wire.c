// SPDX-License-Identifier: GPL-2.0
/*
 * The wire: one frame at a time, then the line's delay. Both timers are hard;
 * they run on the processor that sends, or on one that is named (wire_cpu), so
 * that what the emulation costs is not the sender's.
 *
 *          ┌──────────► left ──(NAPI)──► the sender has its memory back
 *   ring ──┤ frame_end
 *          └──────────► line ──arrival──► received of the peer ──(NAPI)──► a copy, to the stack
 */
#include "vmac.h"

static u64 frame_ns(const struct vmac *mac, const struct sk_buff *skb)
{
	u32 rate = max(READ_ONCE(vmac_rate_kbps[mac->index]), 1U);

	u32 bytes = max_t(u32, vmac_cb((struct sk_buff *)skb)->bytes, ETH_ZLEN);

	return div_u64((u64)(bytes + VMAC_OVERHEAD) * 8 * 1000000, rate);
}

/*
 * Interrupts off; also from the timer's own function. A real wire needs no
 * timer: what setting one costs, which depends on whether others run, is the
 * emulation's and kept out of what the processors did (LAB-52).
 */
static void set_timer(struct hrtimer *timer, u64 at_ns)
{
	u64 begun_ns = ktime_get_mono_fast_ns();

	hrtimer_start(timer, ns_to_ktime(at_ns), HRTIMER_MODE_ABS_PINNED_HARD);
	vmac_meter_emulated(ktime_get_mono_fast_ns() - begun_ns);
}

/* Lock held, on the processor of the wire. The first frame of the ring is on it. */
static void time_frame(struct vmac *mac)
{
	set_timer(&mac->frame_end, mac->start_ns + frame_ns(mac, mac->ring.next));
}

static void on_start_call(void *info)
{
	struct vmac *mac = info;

	raw_spin_lock(&mac->lock);
	/* The device may have gone down meanwhile. */
	if (!skb_queue_empty(&mac->ring))
		time_frame(mac);
	raw_spin_unlock(&mac->lock);
}

/* Lock held. The first frame of the ring begins now, however late its timer is set. */
void vmac_wire_start_frame(struct vmac *mac)
{
	int cpu = READ_ONCE(vmac_wire_cpu);

	mac->start_ns = ktime_get_ns();
	/* Until this frame has left no other begins, so the call cannot be under way still. */
	if (cpu < 0 || cpu == smp_processor_id() ||
	    smp_call_function_single_async(cpu, &mac->start_call))
		time_frame(mac);
}

/* A processor of its own has taken the frame, and it is on its way to the peer too. False: there is no room. */
static bool put_on_line(struct vmac *mac, struct sk_buff *skb, u64 end_ns)
{
	u64 at_ns = end_ns + (u64)READ_ONCE(vmac_delay_us[mac->index]) * NSEC_PER_USEC;

	if (!vmac_fifo_push(&mac->line, skb, at_ns)) {
		mac->dev->stats.tx_dropped++;
		return false;
	}
	skb_get(skb);
	return true;
}

/* Hard interrupt, no lock held. What has arrived is the peer's; two locks are never held at once. */
static void deliver(struct vmac *mac, u64 now)
{
	bool any = false, room = false;
	struct vmac_frame *first, frame;

	for (;;) {
		raw_spin_lock(&mac->lock);
		first = vmac_fifo_peek(&mac->line);
		if (!first || first->at_ns > now) {
			if (first)
				set_timer(&mac->arrival, first->at_ns);
			raw_spin_unlock(&mac->lock);
			break;
		}
		vmac_fifo_pop(&mac->line, &frame);
		raw_spin_unlock(&mac->lock);
		any = true;

		raw_spin_lock(&mac->peer->lock);
		/* A cable whose other end is down: what is sent is gone. */
		room = netif_running(mac->peer->dev) &&
		       vmac_fifo_push(&mac->peer->received, frame.skb, frame.at_ns);
		if (!room)
			mac->peer->missed++;
		raw_spin_unlock(&mac->peer->lock);
		if (!room)
			dev_kfree_skb_irq(frame.skb);
	}
	if (any && netif_running(mac->peer->dev))
		vmac_interrupt(mac->peer);
}

/* The frame on the wire has left; the next begins at once, however late this interrupt is. */
static enum hrtimer_restart on_frame_end(struct hrtimer *timer)
{
	struct vmac *mac = container_of(timer, struct vmac, frame_end);
	u64 end_ns = ktime_to_ns(hrtimer_get_expires(timer));
	struct sk_buff *skb;
	bool first = false;

	raw_spin_lock(&mac->lock);
	skb = __skb_dequeue(&mac->ring);
	if (skb) {
		mac->ring_bytes -= vmac_cb(skb)->bytes;
		vmac_cb(skb)->left_ns = end_ns;
		vmac_record(mac, skb, mac->start_ns, end_ns);
		if (!READ_ONCE(vmac_discard[mac->index])) {
			first = !vmac_fifo_peek(&mac->line);
			first = put_on_line(mac, skb, end_ns) && first;
		}
		__skb_queue_tail(&mac->left, skb);
	}
	if (!skb_queue_empty(&mac->ring)) {
		mac->start_ns = end_ns;
		time_frame(mac);
	}
	raw_spin_unlock(&mac->lock);
	vmac_interrupt(mac);
	/* Behind others it is delivered by their timer. */
	if (first)
		deliver(mac, end_ns);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart on_arrival(struct hrtimer *timer)
{
	deliver(container_of(timer, struct vmac, arrival), ktime_get_ns());
	return HRTIMER_NORESTART;
}

int vmac_wire_init(struct vmac *mac)
{
	vmac_timer_init(&mac->frame_end, on_frame_end);
	vmac_timer_init(&mac->arrival, on_arrival);
	INIT_CSD(&mac->start_call, on_start_call, mac);
	return vmac_fifo_init(&mac->line, VMAC_LINE) ?:
	       vmac_fifo_init(&mac->received, VMAC_RECEIVED);
}

void vmac_wire_exit(struct vmac *mac)
{
	vmac_fifo_exit(&mac->line);
	vmac_fifo_exit(&mac->received);
}

static void purge(struct vmac *mac, struct sk_buff_head *queue)
{
	struct sk_buff_head all;
	unsigned long irq;

	__skb_queue_head_init(&all);
	raw_spin_lock_irqsave(&mac->lock, irq);
	skb_queue_splice_tail_init(queue, &all);
	raw_spin_unlock_irqrestore(&mac->lock, irq);
	__skb_queue_purge(&all);
}

static void purge_fifo(struct vmac *mac, struct vmac_fifo *fifo)
{
	struct vmac_frame frame;
	unsigned long irq;
	bool any;

	do {
		raw_spin_lock_irqsave(&mac->lock, irq);
		any = vmac_fifo_pop(fifo, &frame);
		raw_spin_unlock_irqrestore(&mac->lock, irq);
		if (any)
			kfree_skb(frame.skb);
	} while (any);
}

/* The device goes down: what is in it or on its way is lost, as on a cable that is pulled. */
void vmac_wire_stop(struct vmac *mac)
{
	hrtimer_cancel(&mac->frame_end);
	purge(mac, &mac->ring);
	/* A call that was under way has set its timer by now, or finds an empty ring. */
	hrtimer_cancel(&mac->frame_end);
	mac->ring_bytes = 0;
	hrtimer_cancel(&mac->arrival);
	purge(mac, &mac->left);
	purge_fifo(mac, &mac->line);
	purge_fifo(mac, &mac->received);
}
