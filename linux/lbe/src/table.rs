//! The table of background flows of this network namespace, over generic netlink.
//!
//! Blocks for as long as the kernel takes to answer. One request at a time; each is answered whole before the next.

use std::io;

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_DUMP, NLM_F_REQUEST, NetlinkDeserializable, NetlinkMessage, NetlinkPayload,
    NetlinkSerializable,
};
use netlink_packet_generic::GenlMessage;
use netlink_packet_generic::ctrl::nlas::GenlCtrlAttrs;
use netlink_packet_generic::ctrl::{GenlCtrl, GenlCtrlCmd};
use netlink_sys::protocols::NETLINK_GENERIC;
use netlink_sys::{Socket, SocketAddr};

use crate::Flow;
use crate::message::{Command, FAMILY, Message};

/// Why the table cannot be had or changed.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The family is not there.
    #[error("the kernel has no table of background flows: load the module first (modprobe sch_lbe)")]
    NoModule,
    /// Not the right.
    #[error("the kernel refuses: changing background flows needs CAP_NET_ADMIN; run it as root")]
    NotPermitted,
    /// Adding what is there.
    #[error("{0} is a background flow already")]
    Exists(Flow),
    /// Removing what is not there.
    #[error("{0} is no background flow; a flow is removed with the ports it was added with")]
    Absent(Flow),
    /// One too many.
    #[error(
        "the table of background flows is full (4096); remove some, or leave a port open to match several"
    )]
    Full,
    /// Anything else.
    #[error("netlink: {0}")]
    Netlink(#[from] io::Error),
}

/// The table, open.
pub struct FlowTable {
    socket: Socket,
    family: u16,
}

impl FlowTable {
    /// Finds the module's table.
    ///
    /// # Errors
    /// [`TableError::NoModule`] if it is not loaded.
    pub fn open() -> Result<FlowTable, TableError> {
        let mut socket = Socket::new(NETLINK_GENERIC)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        let family = family(&socket)?;
        Ok(FlowTable { socket, family })
    }

    /// Makes a flow background.
    ///
    /// # Errors
    /// As [`TableError`] says.
    pub fn add(&mut self, flow: Flow) -> Result<(), TableError> {
        self.change(Command::Add, Some(flow)).map_err(|error| told(error, Some(flow)))
    }

    /// Makes it foreground again.
    ///
    /// # Errors
    /// As [`TableError`] says.
    pub fn remove(&mut self, flow: Flow) -> Result<(), TableError> {
        self.change(Command::Remove, Some(flow)).map_err(|error| told(error, Some(flow)))
    }

    /// Empties the table.
    ///
    /// # Errors
    /// As [`TableError`] says.
    pub fn flush(&mut self) -> Result<(), TableError> {
        self.change(Command::Flush, None).map_err(|error| told(error, None))
    }

    /// All flows, sorted.
    ///
    /// # Errors
    /// As [`TableError`] says.
    pub fn flows(&mut self) -> Result<Vec<Flow>, TableError> {
        let answers = self.ask(Command::Get, None, NLM_F_DUMP)?;
        let mut flows: Vec<Flow> = answers.into_iter().filter_map(|message| message.flow).collect();
        flows.sort();
        Ok(flows)
    }

    fn change(&mut self, command: Command, flow: Option<Flow>) -> io::Result<()> {
        self.ask(command, flow, NLM_F_ACK).map(drop)
    }

    fn ask(&mut self, command: Command, flow: Option<Flow>, flags: u16) -> io::Result<Vec<Message>> {
        let mut message = GenlMessage::from_payload(Message { command, flow });
        message.set_resolved_family_id(self.family);
        let answers: Vec<GenlMessage<Message>> = exchange(&self.socket, message, flags)?;
        Ok(answers.into_iter().map(|answer| answer.payload).collect())
    }
}

fn told(error: io::Error, flow: Option<Flow>) -> TableError {
    // What the kernel means by them, LBE-82.
    const ENOENT: i32 = 2;
    const EEXIST: i32 = 17;
    const ENOSPC: i32 = 28;
    const EPERM: i32 = 1;
    match (error.raw_os_error(), flow) {
        (Some(EPERM), _) => TableError::NotPermitted,
        (Some(EEXIST), Some(flow)) => TableError::Exists(flow),
        (Some(ENOENT), Some(flow)) => TableError::Absent(flow),
        (Some(ENOSPC), _) => TableError::Full,
        _ => TableError::Netlink(error),
    }
}

/// The number the kernel has given the family.
fn family(socket: &Socket) -> Result<u16, TableError> {
    let nlas = vec![GenlCtrlAttrs::FamilyName(FAMILY.to_owned())];
    let request = GenlMessage::from_payload(GenlCtrl { cmd: GenlCtrlCmd::GetFamily, nlas });
    let answers: Vec<GenlMessage<GenlCtrl>> = match exchange(socket, request, NLM_F_ACK) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(TableError::NoModule),
        other => other?,
    };
    let mut ids = answers.iter().flat_map(|answer| &answer.payload.nlas).filter_map(|nla| match nla {
        GenlCtrlAttrs::FamilyId(id) => Some(*id),
        _ => None,
    });
    ids.next().ok_or(TableError::NoModule)
}

/// Sends a request and reads all of its answer: messages, until the acknowledgement or the dump's end.
fn exchange<M>(socket: &Socket, message: GenlMessage<M>, flags: u16) -> io::Result<Vec<GenlMessage<M>>>
where
    GenlMessage<M>: NetlinkSerializable + NetlinkDeserializable + Into<NetlinkPayload<GenlMessage<M>>>,
    M: std::fmt::Debug,
{
    let mut request = NetlinkMessage::from(message);
    request.header.flags = NLM_F_REQUEST | flags;
    request.finalize();
    let mut bytes = vec![0; request.buffer_len()];
    request.serialize(&mut bytes);
    socket.send(&bytes, 0)?;
    let mut answers = Vec::new();
    loop {
        let (packet, _) = socket.recv_from_full()?;
        let mut rest = packet.as_slice();
        while !rest.is_empty() {
            let answer = NetlinkMessage::<GenlMessage<M>>::deserialize(rest).map_err(io::Error::other)?;
            let length = (answer.header.length as usize).next_multiple_of(4).clamp(1, rest.len());
            rest = &rest[length..];
            match answer.payload {
                NetlinkPayload::Error(error) if error.code.is_none() => return Ok(answers),
                NetlinkPayload::Error(error) => return Err(error.to_io()),
                NetlinkPayload::Done(_) => return Ok(answers),
                NetlinkPayload::InnerMessage(message) => answers.push(message),
                _ => {}
            }
        }
    }
}
