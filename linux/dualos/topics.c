// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/tokkyu-topics: the memory that this Linux shares with the RTOS on the same processors, and bells both ways
 * (monitor/SPEC.md, MON-93, MON-94, MON-96).
 *
 *	probe			the device tree's /tokkyu-topics: its memory, its interrupt
 *	interrupt		the RTOS has written: a number goes up, and whoever waits is woken
 *	read, poll		per open file: how often since it last read
 *	write			BELL: the RTOS is to look
 *	mmap			the memory, cached as the RTOS has it; the RTOS's part cannot be made writable
 *
 * Nothing is copied here, and nothing in the memory is read: what it means is the programs' business.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/arm-smccc.h>
#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

/* The monitor's call; 0 is its answer where there is such a monitor. */
#define BELL 0x83000001

/* From here on the memory is Linux's to write (MON-90). */
#define OF_LINUX (2UL << 20)

/* There is one such device, which lives as long as the module: the device tree's. */
static struct {
	phys_addr_t base;
	resource_size_t bytes;
	atomic_t bells;
	wait_queue_head_t waiting;
} topics;

/* Of an open file: the bells that it has read. */
struct reader {
	atomic_t seen;
};

static irqreturn_t on_bell(int irq, void *data)
{
	atomic_inc(&topics.bells);
	wake_up_interruptible(&topics.waiting);
	return IRQ_HANDLED;
}

static int topics_open(struct inode *inode, struct file *file)
{
	struct reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL);

	if (!reader)
		return -ENOMEM;
	atomic_set(&reader->seen, atomic_read(&topics.bells));
	file->private_data = reader;
	return nonseekable_open(inode, file);
}

static int topics_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static bool has_rung(struct reader *reader)
{
	return atomic_read(&topics.bells) != atomic_read(&reader->seen);
}

static ssize_t topics_read(struct file *file, char __user *to, size_t bytes, loff_t *offset)
{
	struct reader *reader = file->private_data;
	u32 bells, seen;

	if (bytes < sizeof(seen))
		return -EINVAL;
	/* Two threads may read one file: each bell is one's alone, and who finds none waits again. */
	do {
		if (!has_rung(reader)) {
			if (file->f_flags & O_NONBLOCK)
				return -EAGAIN;
			if (wait_event_interruptible(topics.waiting, has_rung(reader)))
				return -ERESTARTSYS;
		}
		bells = atomic_read(&topics.bells);
		seen = bells - (u32)atomic_xchg(&reader->seen, bells);
	} while (!seen);
	return copy_to_user(to, &seen, sizeof(seen)) ? -EFAULT : sizeof(seen);
}

static __poll_t topics_poll(struct file *file, poll_table *table)
{
	poll_wait(file, &topics.waiting, table);
	return EPOLLOUT | EPOLLWRNORM | (has_rung(file->private_data) ? EPOLLIN | EPOLLRDNORM : 0);
}

static ssize_t topics_write(struct file *file, const char __user *from, size_t bytes, loff_t *offset)
{
	struct arm_smccc_res res;

	/* What was written to the memory before is there before the RTOS looks. */
	wmb();
	arm_smccc_1_1_smc(BELL, &res);
	return (long)res.a0 ? -EIO : bytes;
}

static int topics_mmap(struct file *file, struct vm_area_struct *vma)
{
	/* vm_iomap_memory looks whether all of it is there; an address that wraps is none of ours. */
	if (vma->vm_pgoff < OF_LINUX >> PAGE_SHIFT) {
		if (vma->vm_flags & VM_WRITE)
			return -EACCES;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	/* As the RTOS has it: the usual attributes of memory, which are vm_page_prot's. */
	return vm_iomap_memory(vma, topics.base, topics.bytes);
}

static const struct file_operations topics_operations = {
	.owner = THIS_MODULE,
	.open = topics_open,
	.release = topics_release,
	.read = topics_read,
	.write = topics_write,
	.poll = topics_poll,
	.mmap = topics_mmap,
};

static struct miscdevice topics_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "tokkyu-topics",
	.mode = 0600,
	.fops = &topics_operations,
};

static int topics_probe(struct platform_device *pdev)
{
	struct resource *memory = platform_get_resource(pdev, IORESOURCE_MEM, 0);
	int irq = platform_get_irq(pdev, 0);
	int err;

	if (!memory || resource_size(memory) <= OF_LINUX)
		return dev_err_probe(&pdev->dev, -EINVAL, "the device tree's memory of topics is none\n");
	if (irq < 0)
		return irq;
	if (topics.bytes)
		return dev_err_probe(&pdev->dev, -EBUSY, "there is more than one memory of topics\n");
	topics.base = memory->start;
	topics.bytes = resource_size(memory);
	err = devm_request_irq(&pdev->dev, irq, on_bell, 0, "tokkyu-topics", &topics);
	if (!err)
		err = misc_register(&topics_device);
	if (err)
		topics.bytes = 0;
	return err;
}

static void topics_remove(struct platform_device *pdev)
{
	/* Files keep the module, and an unbound device wakes nobody any more. */
	misc_deregister(&topics_device);
	topics.bytes = 0;
}

static const struct of_device_id topics_match[] = {
	{ .compatible = "tokkyu,topics" },
	{ }
};
MODULE_DEVICE_TABLE(of, topics_match);

static struct platform_driver topics_driver = {
	.probe = topics_probe,
	.remove = topics_remove,
	.driver = {
		.name = "tokkyu-topics",
		.of_match_table = topics_match,
		/* Unbinding below open files is for nobody. */
		.suppress_bind_attrs = true,
	},
};

static int __init topics_init(void)
{
	init_waitqueue_head(&topics.waiting);
	return platform_driver_register(&topics_driver);
}

static void __exit topics_exit(void)
{
	platform_driver_unregister(&topics_driver);
}

module_init(topics_init);
module_exit(topics_exit);

MODULE_DESCRIPTION("Topics shared with an RTOS on the same processors");
MODULE_LICENSE("GPL");
