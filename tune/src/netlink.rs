//! What of a device is set over rtnetlink: the longest train of segments, and the root queueing discipline.

use std::io;

use netlink_packet_core::{NLM_F_ACK, NLM_F_CREATE, NLM_F_DUMP, NLM_F_REPLACE};
use netlink_sys::protocols::NETLINK_ROUTE;
use nix::net::if_::if_nametoindex;
use tokkyu_netlink::link::{GET_LINK, IFLA_GSO_MAX_SEGS, LinkMessage, SET_LINK};
use tokkyu_netlink::tc::{DEL_QDISC, GET_QDISC, NEW_QDISC, ROOT, TCA_KIND, TCA_OPTIONS, TcMessage};
use tokkyu_netlink::{Attribute, NetlinkError, exchange, of_kind, open};

/// Handle of the root that is set up here, so that it is known again.
const HANDLE: u32 = 0x7c1f_0000;
/// Bands of our root: one for each class.
const BANDS: i32 = 4;
/// `TC_PRIO_MAX` and 0: values of `skb->priority` that choose a band.
pub(crate) const PRIORITIES: usize = 16;
const PRIO: &str = "prio";

/// A root queueing discipline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    /// Such as `fq_codel`.
    pub kind: String,
    /// Whether somebody has set it up, in place of the kernel.
    pub was_set_up: bool,
    /// The band of each `skb->priority`, of the one that is set up here.
    pub bands: Option<[u8; PRIORITIES]>,
}

/// The device's number.
pub(crate) fn index(device: &str) -> io::Result<i32> {
    let found = if_nametoindex(device).map_err(io::Error::from)?;
    i32::try_from(found).map_err(io::Error::other)
}

/// Most segments in one packet on its way to the device.
pub(crate) fn gso_max_segs(device: &str) -> io::Result<u32> {
    let message = LinkMessage { kind: GET_LINK, interface: index(device)?, attributes: Vec::new() };
    let answers = ask(message, NLM_F_ACK)?;
    let found = answers.iter().find_map(|answer| of_kind(&answer.attributes, IFLA_GSO_MAX_SEGS)?.u32());
    found.ok_or_else(|| io::Error::other("the kernel does not say"))
}

/// Sets it.
pub(crate) fn set_gso_max_segs(device: &str, segments: u32) -> io::Result<()> {
    let attributes = vec![Attribute::new(IFLA_GSO_MAX_SEGS, &segments.to_ne_bytes())];
    ask(LinkMessage { kind: SET_LINK, interface: index(device)?, attributes }, NLM_F_ACK).map(drop)
}

/// The root of a device; `None` where nothing waits, as on a virtual device.
pub(crate) fn root(device: &str) -> io::Result<Option<Root>> {
    let interface = index(device)?;
    let answers = ask(about_qdisc(GET_QDISC, interface), NLM_F_DUMP)?;
    let found = answers.into_iter().find(|answer| answer.interface == interface && answer.parent == ROOT);
    Ok(found.map(|message| {
        let kind = message.name().unwrap_or_default().to_owned();
        let ours = message.handle == HANDLE && kind == PRIO;
        Root { kind, was_set_up: message.handle != 0, bands: ours.then(|| bands(&message)).flatten() }
    }))
}

/// Of `struct tc_prio_qopt`: a number of bands, and the band of each priority.
fn bands(message: &TcMessage) -> Option<[u8; PRIORITIES]> {
    let options = of_kind(&message.attributes, TCA_OPTIONS)?;
    options.value.get(size_of_val(&BANDS)..)?.first_chunk().copied()
}

/// Makes `prio` the root: a band for each value of `skb->priority`.
pub(crate) fn set_bands(device: &str, bands: [u8; PRIORITIES]) -> io::Result<()> {
    let mut message = about_qdisc(NEW_QDISC, index(device)?);
    let options = [BANDS.to_ne_bytes().as_slice(), bands.as_slice()].concat();
    (message.handle, message.parent) = (HANDLE, ROOT);
    message.attributes =
        vec![Attribute::new(TCA_KIND, format!("{PRIO}\0").as_bytes()), Attribute::new(TCA_OPTIONS, &options)];
    ask(message, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE).map(drop).map_err(|error| match error.kind() {
        // The same number as of a file that is not there, which would say that the device is gone.
        io::ErrorKind::NotFound => io::Error::other("this kernel has no sch_prio (CONFIG_NET_SCH_PRIO)"),
        _ => error,
    })
}

/// Removes the root; the kernel puts its default there.
pub(crate) fn remove_root(device: &str) -> io::Result<()> {
    let mut message = about_qdisc(DEL_QDISC, index(device)?);
    message.parent = ROOT;
    ask(message, NLM_F_ACK).map(drop)
}

fn about_qdisc(kind: u16, interface: i32) -> TcMessage {
    TcMessage { kind, interface, handle: 0, parent: 0, attributes: Vec::new() }
}

fn ask<M>(message: M, flags: u16) -> io::Result<Vec<M>>
where
    M: netlink_packet_core::NetlinkSerializable
        + netlink_packet_core::NetlinkDeserializable
        + Into<netlink_packet_core::NetlinkPayload<M>>,
{
    exchange(&open(NETLINK_ROUTE)?, message, flags).map_err(to_io)
}

/// The kernel's own words where it has any.
pub(crate) fn to_io(error: NetlinkError) -> io::Error {
    match error {
        NetlinkError::Refused { words: Some(words), source } => {
            io::Error::new(source.kind(), format!("{words}: {source}"))
        }
        NetlinkError::Refused { words: None, source } | NetlinkError::Socket(source) => source,
    }
}
