// SPDX-License-Identifier: GPL-2.0
/* The module: its parameters, the pair of devices, and the folder of debugfs. */
#include <linux/debugfs.h>
#include <linux/module.h>

#include "vmac.h"

unsigned int vmac_rate_kbps[VMAC_DEVICES] = { 100000, 100000 };
unsigned int vmac_delay_us[VMAC_DEVICES];
unsigned int vmac_queue_bytes[VMAC_DEVICES];
bool vmac_discard[VMAC_DEVICES];
bool vmac_bql = true;
bool vmac_offload;

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
		free_netdev(vmac_devices[i]);
		vmac_devices[i] = NULL;
	}
}

static int create_devices(void)
{
	struct vmac *mac;
	int i, err;

	for (i = 0; i < VMAC_DEVICES; i++) {
		vmac_devices[i] = vmac_create(i);
		if (!vmac_devices[i])
			return -ENOMEM;
	}
	for (i = 0; i < VMAC_DEVICES; i++) {
		mac = netdev_priv(vmac_devices[i]);
		mac->peer = netdev_priv(vmac_devices[!i]);
		err = vmac_records_init(mac, vmac_folder);
		if (err)
			return err;
	}
	for (i = 0; i < VMAC_DEVICES; i++) {
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
MODULE_DESCRIPTION("A pair of Ethernet devices joined by a wire of stated rate and delay");
