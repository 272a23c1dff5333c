// SPDX-License-Identifier: GPL-2.0
/*
 * The wire: one frame at a time, then the line's delay. Both timers are the
 * interrupts of their device: hard, on the processor that started them.
 *
 *   ring ──frame_end──► left ──(NAPI)──► line ──arrival──► received of the peer
 */
#include "vmac.h"

static u64 frame_ns(const struct vmac *mac, const struct sk_buff *skb)
{
	u32 rate = max(READ_ONCE(vmac_rate_kbps[mac->index]), 1U);

	return div_u64((u64)(vmac_cb((struct sk_buff *)skb)->bytes + VMAC_OVERHEAD) * 8 * 1000000,
		       rate);
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

/* Lock held. The first frame of the ring begins. */
static void start_frame_at(struct vmac *mac, u64 start_ns)
{
	mac->start_ns = start_ns;
	set_timer(&mac->frame_end, start_ns + frame_ns(mac, mac->ring.next));
}

void vmac_wire_start_frame(struct vmac *mac)
{
	start_frame_at(mac, ktime_get_ns());
}

/* The frame on the wire has left; the next begins at once, however late this interrupt is. */
static enum hrtimer_restart on_frame_end(struct hrtimer *timer)
{
	struct vmac *mac = container_of(timer, struct vmac, frame_end);
	u64 end_ns = ktime_to_ns(hrtimer_get_expires(timer));
	struct sk_buff *skb;

	spin_lock(&mac->lock);
	mac->interrupts++;
	skb = __skb_dequeue(&mac->ring);
	if (skb) {
		mac->ring_bytes -= vmac_cb(skb)->bytes;
		vmac_cb(skb)->left_ns = end_ns;
		vmac_record(mac, skb, mac->start_ns, end_ns);
		__skb_queue_tail(&mac->left, skb);
	}
	if (!skb_queue_empty(&mac->ring))
		start_frame_at(mac, end_ns);
	spin_unlock(&mac->lock);
	napi_schedule(&mac->napi);
	return HRTIMER_NORESTART;
}

static u64 due_ns(const struct vmac *mac, const struct sk_buff *skb)
{
	return vmac_cb((struct sk_buff *)skb)->left_ns +
	       (u64)READ_ONCE(vmac_delay_us[mac->index]) * NSEC_PER_USEC;
}

void vmac_line_send(struct vmac *mac, struct sk_buff *skb)
{
	unsigned long irq;

	spin_lock_irqsave(&mac->lock, irq);
	if (skb_queue_len(&mac->line) >= VMAC_LINE) {
		mac->dev->stats.tx_dropped++;
		spin_unlock_irqrestore(&mac->lock, irq);
		kfree_skb(skb);
		return;
	}
	__skb_queue_tail(&mac->line, skb);
	if (skb_queue_len(&mac->line) == 1)
		set_timer(&mac->arrival, due_ns(mac, skb));
	spin_unlock_irqrestore(&mac->lock, irq);
}

static void give_to_peer(struct vmac *mac, struct sk_buff_head *frames)
{
	spin_lock(&mac->peer->lock);
	mac->peer->interrupts++;
	skb_queue_splice_tail_init(frames, &mac->peer->received);
	spin_unlock(&mac->peer->lock);
	/* Of a device that goes down meanwhile NAPI is off, and this does nothing. */
	napi_schedule(&mac->peer->napi);
}

/* Frames move from our line to the peer's queue: its lock is taken after ours is given back. */
static enum hrtimer_restart on_arrival(struct hrtimer *timer)
{
	struct vmac *mac = container_of(timer, struct vmac, arrival);
	u64 now = ktime_get_ns();
	struct sk_buff_head due;
	struct sk_buff *skb;

	__skb_queue_head_init(&due);
	spin_lock(&mac->lock);
	while ((skb = skb_peek(&mac->line)) && due_ns(mac, skb) <= now) {
		__skb_unlink(skb, &mac->line);
		__skb_queue_tail(&due, skb);
	}
	if (skb)
		set_timer(timer, due_ns(mac, skb));
	spin_unlock(&mac->lock);
	if (netif_running(mac->peer->dev))
		give_to_peer(mac, &due);
	/* A cable whose other end is down: what is sent is gone. */
	while ((skb = __skb_dequeue(&due)))
		dev_kfree_skb_irq(skb);
	return HRTIMER_NORESTART;
}

void vmac_wire_init(struct vmac *mac)
{
	vmac_timer_init(&mac->frame_end, on_frame_end);
	vmac_timer_init(&mac->arrival, on_arrival);
}

static void purge(struct vmac *mac, struct sk_buff_head *queue)
{
	struct sk_buff_head all;
	unsigned long irq;

	__skb_queue_head_init(&all);
	spin_lock_irqsave(&mac->lock, irq);
	skb_queue_splice_tail_init(queue, &all);
	spin_unlock_irqrestore(&mac->lock, irq);
	__skb_queue_purge(&all);
}

/* The device goes down: what is in it or on its way is lost, as on a cable that is pulled. */
void vmac_wire_stop(struct vmac *mac)
{
	hrtimer_cancel(&mac->frame_end);
	hrtimer_cancel(&mac->arrival);
	purge(mac, &mac->ring);
	mac->ring_bytes = 0;
	purge(mac, &mac->left);
	purge(mac, &mac->line);
	purge(mac, &mac->received);
}
