/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames that are under way or have arrived. A frame is the sender's skb with a
 * reference of ours: its bytes are copied at the other end, as by DMA. An array,
 * as an skb can be on one list alone, and memory cannot be had in a hard
 * interrupt on PREEMPT_RT.
 */
#ifndef VMAC_FIFO_H
#define VMAC_FIFO_H

#include <linux/skbuff.h>
#include <linux/vmalloc.h>

struct vmac_frame {
	struct sk_buff *skb;
	u64 at_ns;			/* its last bit arrives, CLOCK_MONOTONIC */
};

struct vmac_fifo {
	struct vmac_frame *frames;
	u32 size;			/* a power of two */
	u32 first;
	u32 end;
};

static inline int vmac_fifo_init(struct vmac_fifo *fifo, u32 size)
{
	fifo->frames = vzalloc(array_size(size, sizeof(*fifo->frames)));
	fifo->size = size;
	return fifo->frames ? 0 : -ENOMEM;
}

static inline void vmac_fifo_exit(struct vmac_fifo *fifo)
{
	vfree(fifo->frames);
}

static inline bool vmac_fifo_push(struct vmac_fifo *fifo, struct sk_buff *skb, u64 at_ns)
{
	struct vmac_frame *frame = &fifo->frames[fifo->end & (fifo->size - 1)];

	if (fifo->end - fifo->first == fifo->size)
		return false;
	frame->skb = skb;
	frame->at_ns = at_ns;
	fifo->end++;
	return true;
}

static inline struct vmac_frame *vmac_fifo_peek(struct vmac_fifo *fifo)
{
	return fifo->first == fifo->end ? NULL : &fifo->frames[fifo->first & (fifo->size - 1)];
}

static inline bool vmac_fifo_pop(struct vmac_fifo *fifo, struct vmac_frame *frame)
{
	struct vmac_frame *first = vmac_fifo_peek(fifo);

	if (!first)
		return false;
	*frame = *first;
	fifo->first++;
	return true;
}

#endif
