// SPDX-License-Identifier: GPL-2.0
/* The module: its parameters, the pairs of devices, and the folder of debugfs. */
#include <linux/debugfs.h>
#include <linux/module.h>

#include "vmac.h"

unsigned int vmac_rate_kbps[VMAC_DEVICES] = { 100000, 100000, 100000, 100000 };
unsigned int vmac_delay_us[VMAC_DEVICES];
unsigned int vmac_queue_bytes[VMAC_DEVICES];
bool vmac_discard[VMAC_DEVICES];
bool vmac_bql = true;
bool vmac_offload;
int vmac_interrupts;
int vmac_wire_cpu = -1;
unsigned int vmac_irq_cpu[VMAC_DEVICES];
static unsigned int vmac_pairs = 1;

module_param_array_named(rate_kbps, vmac_rate_kbps, uint, NULL, 0644);
MODULE_PARM_DESC(rate_kbps, "what vmac0 and vmac1 send at most, kbit/s");
module_param_array_named(delay_us, vmac_delay_us, uint, NULL, 0644);
MODULE_PARM_DESC(delay_us, "from the end of a frame on the wire to its interrupt at the other end, us");
module_param_array_named(queue_bytes, vmac_queue_bytes, uint, NULL, 0644);
MODULE_PARM_DESC(queue_bytes, "the driver stops the queue at so many bytes in the ring (0: when it is full)");
module_param_array_named(discard, vmac_discard, bool, NULL, 0644);
MODULE_PARM_DESC(discard, "frames sent by this device end on the wire, nobody receives them");
module_param_named(bql, vmac_bql, bool, 0444);
MODULE_PARM_DESC(bql, "byte queue accounting (default on)");
module_param_named(offload, vmac_offload, bool, 0444);
MODULE_PARM_DESC(offload, "scatter-gather and checksums in the device, which software GSO needs (default off)");

module_param_named(interrupt, vmac_interrupts, int, 0444);
MODULE_PARM_DESC(interrupt, "0: the wire's timers are the interrupts; 1: each device has one, threaded where the kernel threads them; 2: never threaded");
module_param_named(wire_cpu, vmac_wire_cpu, int, 0644);
MODULE_PARM_DESC(wire_cpu, "processor of the wire's timers (-1: the one that sends)");
module_param_array_named(irq_cpu, vmac_irq_cpu, uint, NULL, 0444);
MODULE_PARM_DESC(irq_cpu, "processor of each device's interrupt at first; its affinity can be set");
module_param_named(pairs, vmac_pairs, uint, 0444);
MODULE_PARM_DESC(pairs, "1, or 2: vmac2 and vmac3 are joined too");

static struct net_device *vmac_devices[VMAC_DEVICES];
static struct dentry *vmac_folder;

static void remove_devices(void)
{
	int i;

	for (i = 0; i < VMAC_DEVICES; i++) {
		if (!vmac_devices[i])
			continue;
		if (vmac_devices[i]->reg_state == NETREG_REGISTERED)
			unregister_netdev(vmac_devices[i]);
	}
	/* Frames of one may be on the other's queues until both are down. */
	for (i = 0; i < VMAC_DEVICES; i++) {
		if (!vmac_devices[i])
			continue;
		vmac_wire_stop(netdev_priv(vmac_devices[i]));
		vmac_records_exit(netdev_priv(vmac_devices[i]));
		vmac_free(vmac_devices[i]);
		vmac_devices[i] = NULL;
	}
}

static int create_devices(void)
{
	int i, err, count = 2 * clamp(vmac_pairs, 1U, VMAC_DEVICES / 2U);
	struct vmac *mac;

	for (i = 0; i < count; i++) {
		vmac_devices[i] = vmac_create(i);
		if (!vmac_devices[i])
			return -ENOMEM;
	}
	for (i = 0; i < count; i++) {
		mac = netdev_priv(vmac_devices[i]);
		mac->peer = netdev_priv(vmac_devices[i ^ 1]);
		err = vmac_records_init(mac, vmac_folder);
		if (err)
			return err;
	}
	for (i = 0; i < count; i++) {
		err = register_netdev(vmac_devices[i]);
		if (err)
			return err;
	}
	return 0;
}

static int __init vmac_init(void)
{
	int err;

	vmac_folder = debugfs_create_dir("vmac", NULL);
	err = create_devices();
	if (err)
		goto fail;
	err = vmac_meter_init(vmac_folder);
	if (err)
		goto fail;
	return 0;
fail:
	debugfs_remove_recursive(vmac_folder);
	remove_devices();
	return err;
}

static void __exit vmac_exit(void)
{
	debugfs_remove_recursive(vmac_folder);
	vmac_meter_exit();
	remove_devices();
}

module_init(vmac_init);
module_exit(vmac_exit);
MODULE_LICENSE("GPL");
MODULE_AUTHOR("tokkyu");
MODULE_DESCRIPTION("Pairs of Ethernet devices joined by a wire of stated rate and delay");
