// SPDX-License-Identifier: GPL-2.0
/*
 * When each frame was on the wire: the last 65536 of each device, read as
 * struct vmac_record from /sys/kernel/debug/vmac/vmacN, oldest first; writing
 * anything forgets them. Read it when no frames flow.
 */
#include <linux/debugfs.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/vmalloc.h>
#include <net/dsfield.h>
#include <net/ipv6.h>

#include "vmac.h"

#define VMAC_RECORDS 65536

static u32 dsfield_of(const struct sk_buff *skb)
{
	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_IP):
		return ipv4_get_dsfield(ip_hdr(skb));
	case htons(ETH_P_IPV6):
		return ipv6_get_dsfield(ipv6_hdr(skb));
	default:
		return 256;
	}
}

/* Lock held. */
void vmac_record(struct vmac *mac, struct sk_buff *skb, u64 start_ns, u64 end_ns)
{
	struct vmac_record *record = &mac->records[mac->recorded++ % VMAC_RECORDS];

	record->given_ns = vmac_cb(skb)->given_ns;
	record->start_ns = start_ns;
	record->end_ns = end_ns;
	record->bytes = vmac_cb(skb)->bytes;
	record->dsfield = dsfield_of(skb);
}

static ssize_t records_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
	struct vmac *mac = file->private_data;
	u64 count = min_t(u64, mac->recorded, VMAC_RECORDS);
	u64 first = mac->recorded - count, index = div_u64(*at, sizeof(struct vmac_record));
	size_t done = 0;

	/* Whole records alone. */
	while (index < count && size - done >= sizeof(struct vmac_record)) {
		if (copy_to_user(to + done, &mac->records[(first + index) % VMAC_RECORDS],
				 sizeof(struct vmac_record)))
			return -EFAULT;
		done += sizeof(struct vmac_record);
		index++;
	}
	*at += done;
	return done;
}

static ssize_t records_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	struct vmac *mac = file->private_data;
	unsigned long irq;

	raw_spin_lock_irqsave(&mac->lock, irq);
	mac->recorded = 0;
	raw_spin_unlock_irqrestore(&mac->lock, irq);
	return size;
}

static const struct file_operations records_ops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = records_read,
	.write = records_write,
};

int vmac_records_init(struct vmac *mac, struct dentry *folder)
{
	char name[] = "vmac0";

	mac->records = vzalloc(array_size(VMAC_RECORDS, sizeof(*mac->records)));
	if (!mac->records)
		return -ENOMEM;
	name[4] += mac->index;
	debugfs_create_file(name, 0600, folder, mac, &records_ops);
	return 0;
}

void vmac_records_exit(struct vmac *mac)
{
	vfree(mac->records);
}
