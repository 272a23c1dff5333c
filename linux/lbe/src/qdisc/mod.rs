//! The root qdisc of a device, over rtnetlink.

mod options;
mod statistics;

use std::io;

use netlink_packet_core::{NLM_F_ACK, NLM_F_CREATE, NLM_F_DUMP, NLM_F_REPLACE};
use netlink_sys::Socket;
use netlink_sys::protocols::NETLINK_ROUTE;
use nix::net::if_::if_nametoindex;

pub use self::options::{Auto, QdiscOptions};
pub use self::statistics::{Band, GateStatistics};
use tokkyu_netlink::tc::{
    DEL_QDISC, GET_CLASS, GET_QDISC, NEW_QDISC, ROOT, TCA_KIND, TCA_OPTIONS, TCA_STATS2, TcMessage,
};
use tokkyu_netlink::{Attribute, NetlinkError, exchange, of_kind};

/// Name of the module's qdisc.
pub const LBE: &str = "lbe";
/// Handle of the root qdiscs that are set up here, so that they are known again.
pub const HANDLE: u32 = 0x7c1e_0000;
/// Minor number of the foreground's class, of both ways.
pub const FOREGROUND: u16 = 1;
/// Minor number of the background's class, of both ways.
pub const BACKGROUND: u16 = 2;

/// A root qdisc, as the kernel tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootQdisc {
    /// Such as `fq_codel`.
    pub kind: String,
    /// 0 for the kernel's own default.
    pub handle: u32,
    /// Of the qdisc `lbe`.
    pub options: Option<QdiscOptions>,
    /// Of the qdisc `lbe`.
    pub gate: Option<GateStatistics>,
}

impl RootQdisc {
    /// Whether somebody has set it up, in place of the kernel.
    pub fn was_set_up(&self) -> bool {
        self.handle != 0
    }
}

/// Traffic control of this network namespace.
pub struct TrafficControl {
    socket: Socket,
}

impl TrafficControl {
    /// Opens it.
    ///
    /// # Errors
    /// The kernel has no sockets left.
    pub fn open() -> Result<TrafficControl, NetlinkError> {
        Ok(TrafficControl { socket: tokkyu_netlink::open(NETLINK_ROUTE)? })
    }

    /// The root qdisc of a device; `None` where nothing waits, as on a virtual device.
    ///
    /// # Errors
    /// There is no such device; the kernel refuses.
    pub fn root(&self, device: &str) -> Result<Option<RootQdisc>, NetlinkError> {
        let interface = index(device)?;
        let answers = exchange(&self.socket, asking(GET_QDISC, interface), NLM_F_DUMP)?;
        let found = answers.into_iter().find(|answer| answer.interface == interface && answer.parent == ROOT);
        Ok(found.map(|answer| {
            let value = |kind: u16| of_kind(&answer.attributes, kind).map(|found| found.value.as_slice());
            let ours = answer.name() == Some(LBE);
            RootQdisc {
                kind: answer.name().unwrap_or_default().to_owned(),
                handle: answer.handle,
                options: value(TCA_OPTIONS).filter(|_| ours).and_then(QdiscOptions::read),
                gate: value(TCA_STATS2).filter(|_| ours).and_then(GateStatistics::read),
            }
        }))
    }

    /// Counters of the class with this minor number.
    ///
    /// # Errors
    /// As [`TrafficControl::root`].
    pub fn class(&self, device: &str, minor: u16) -> Result<Option<Band>, NetlinkError> {
        let interface = index(device)?;
        let answers = exchange(&self.socket, asking(GET_CLASS, interface), NLM_F_DUMP)?;
        let found = answers.iter().find(|answer| answer.handle & 0xffff == u32::from(minor));
        Ok(found.map(|answer| {
            of_kind(&answer.attributes, TCA_STATS2).map_or(Band::default(), |stats| Band::read(&stats.value))
        }))
    }

    /// Makes the module's qdisc the device's root, or changes its options where it is there.
    ///
    /// # Errors
    /// The kernel refuses: its words say why.
    pub fn set_lbe(&self, device: &str, options: &QdiscOptions) -> Result<(), NetlinkError> {
        let there = self.root(device)?.filter(|root| root.kind == LBE);
        let handle = there.as_ref().map_or(HANDLE, |root| root.handle);
        let mut message = asking(NEW_QDISC, index(device)?);
        message.handle = handle;
        message.parent = ROOT;
        message.attributes = vec![
            Attribute::new(TCA_KIND, format!("{LBE}\0").as_bytes()),
            Attribute::nested(TCA_OPTIONS, &options.attributes()),
        ];
        let flags = if there.is_some() { 0 } else { NLM_F_CREATE | NLM_F_REPLACE };
        exchange(&self.socket, message, NLM_F_ACK | flags).map(drop)
    }

    /// Removes the device's root qdisc; the kernel puts its default there.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn remove_root(&self, device: &str) -> Result<(), NetlinkError> {
        let mut message = asking(DEL_QDISC, index(device)?);
        message.parent = ROOT;
        exchange(&self.socket, message, NLM_F_ACK).map(drop)
    }
}

fn asking(kind: u16, interface: i32) -> TcMessage {
    TcMessage { kind, interface, handle: 0, parent: 0, attributes: Vec::new() }
}

fn index(device: &str) -> Result<i32, NetlinkError> {
    let found = if_nametoindex(device).map_err(|error| NetlinkError::Refused {
        words: Some(format!("no network device {device}")),
        source: io::Error::from(error),
    })?;
    i32::try_from(found).map_err(|_| io::Error::other("interface number out of range").into())
}
