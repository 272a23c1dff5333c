//! Which processors and ports a board has, and what of it is whose.

use crate::board::Step;
use crate::board::pair::{load, modprobe, must};

/// Loads the far end's programs by this.
pub(super) const FAR: &str = "ip netns exec far";

/// Processors and ports of the board; the peer has one processor more, and as many ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// 1 or 2.
    pub cores: u32,
    /// 1: the bulk traffic and what is measured share it. 2: the bulk traffic has the first, what is measured the second.
    pub ports: u32,
    /// Half as fast: a processor that bulk traffic at 100 Mbit/s keeps busy, as the paper's. With less the peer, which is as slow, cannot take
    /// so much.
    pub slow: bool,
}

impl Layout {
    /// The paper's.
    pub const ONE: Layout = Layout { cores: 1, ports: 1, slow: false };

    /// What an instruction takes. Board and peer share one stream of them: with three processors twice as many, so that each has about as
    /// many as each of two, 250 to 330 million a second when all are busy.
    pub fn instruction_ns(self) -> u32 {
        match (self.slow, self.processors()) {
            (true, _) => 4,
            (false, 2) => 2,
            (false, _) => 1,
        }
    }

    /// Of the whole virtual machine.
    pub(super) fn processors(self) -> u32 {
        self.cores + 1
    }

    /// The processor that is the peer, its interrupts and the wire.
    pub(super) fn peer_cpu(self) -> u32 {
        self.cores
    }

    /// The peer's address for what is measured.
    pub(super) fn far_address(self) -> &'static str {
        if self.ports == 2 { "10.0.1.2" } else { BULK_FAR }
    }

    /// The board's.
    pub(super) fn near_address(self) -> &'static str {
        if self.ports == 2 { "10.0.1.1" } else { BULK_NEAR }
    }

    /// Arguments of the kernel: nobody's work comes to the peer's processor by itself.
    pub(super) fn arguments(self) -> String {
        format!("isolcpus={0} rcu_nocbs={0} norandmaps", self.peer_cpu())
    }

    /// Loads the fixture and brings all ends up. `interrupt` is vmac's: 1 threaded, 2 not.
    pub(super) fn join(self, interrupt: u32) -> Vec<Step> {
        let peer = self.peer_cpu();
        let ports = |of: &[u32]| of.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let irq: Vec<u32> = (0..2 * self.ports).map(|index| if index % 2 == 0 { 0 } else { peer }).collect();
        let rates = vec![RATE_KBPS; 2 * self.ports as usize];
        let parameters = format!(
            "interrupt={interrupt} pairs={} wire_cpu={peer} irq_cpu={} rate_kbps={}",
            self.ports,
            ports(&irq),
            ports(&rates)
        );
        // A kernel loads what it misses by modprobe, which a board has not.
        let mut steps = vec![modprobe("sch_prio"), load("vmac.ko", &parameters)];
        steps.extend(["ip link set lo up", "ip netns add far"].map(must));
        steps.push(must("ip -n far link set lo up"));
        steps.extend((0..self.ports).flat_map(join_port));
        steps
    }
}

/// The paper's link.
pub(super) const RATE_KBPS: u32 = 100_000;
/// The board's address of the bulk traffic.
pub(super) const BULK_NEAR: &str = "10.0.0.1";
/// The peer's.
pub(super) const BULK_FAR: &str = "10.0.0.2";
/// The board's device of the bulk traffic.
pub(super) const BULK_DEVICE: &str = "vmac0";
/// The peer's.
pub(super) const BULK_FAR_DEVICE: &str = "vmac1";
/// The board's device of what is measured, where that has a port of its own.
pub(super) const MEASURED_DEVICE: &str = "vmac2";

/// Neighbours are entered by hand (hardware addresses: `linux/vmac/device.c`), so that nobody asks for them in the middle.
fn join_port(port: u32) -> Vec<Step> {
    let (near, far) = (2 * port, 2 * port + 1);
    [
        format!("ip link set vmac{far} netns far"),
        format!("ip addr add 10.0.{port}.1/24 dev vmac{near}"),
        format!("ip link set vmac{near} up"),
        format!("ip -n far addr add 10.0.{port}.2/24 dev vmac{far}"),
        format!("ip -n far link set vmac{far} up"),
        format!("ip neigh replace 10.0.{port}.2 lladdr 02:76:6d:61:63:0{far} dev vmac{near} nud permanent"),
        format!(
            "ip -n far neigh replace 10.0.{port}.1 lladdr 02:76:6d:61:63:0{near} dev vmac{far} nud permanent"
        ),
    ]
    .iter()
    .map(|line| must(line))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_has_its_processors_and_ports() {
        let two = Layout { cores: 2, ports: 2, slow: false };
        assert_eq!((two.processors(), two.peer_cpu(), two.far_address()), (3, 2, "10.0.1.2"));
        let Step::Load { parameters, .. } = &two.join(1)[1] else { panic!("{:?}", two.join(1)) };
        assert!(parameters.contains("irq_cpu=0,2,0,2"), "{parameters}");
        assert!(two.join(1).len() > Layout::ONE.join(1).len());
        assert_eq!(Layout::ONE.far_address(), BULK_FAR);
    }
}
