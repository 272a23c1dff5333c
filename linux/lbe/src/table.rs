//! The table of background flows of this network namespace, over generic netlink.
//!
//! Blocks for as long as the kernel takes to answer. One request at a time; each is answered whole before the next.

use netlink_packet_core::{NLM_F_ACK, NLM_F_DUMP};
use netlink_packet_generic::GenlMessage;
use netlink_sys::Socket;
use netlink_sys::protocols::NETLINK_GENERIC;

use crate::Flow;
use crate::message::{Command, FAMILY, Message};
use tokkyu_netlink::generic::family;
use tokkyu_netlink::{NetlinkError, exchange};

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
    #[error(transparent)]
    Netlink(#[from] NetlinkError),
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
        let socket = tokkyu_netlink::open(NETLINK_GENERIC).map_err(NetlinkError::from)?;
        let family = family(&socket, FAMILY)?.ok_or(TableError::NoModule)?;
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

    fn change(&mut self, command: Command, flow: Option<Flow>) -> Result<(), NetlinkError> {
        self.ask(command, flow, NLM_F_ACK).map(drop)
    }

    fn ask(
        &mut self,
        command: Command,
        flow: Option<Flow>,
        flags: u16,
    ) -> Result<Vec<Message>, NetlinkError> {
        let mut message = GenlMessage::from_payload(Message { command, flow });
        message.set_resolved_family_id(self.family);
        let answers: Vec<GenlMessage<Message>> = exchange(&self.socket, message, flags)?;
        Ok(answers.into_iter().map(|answer| answer.payload).collect())
    }
}

fn told(error: NetlinkError, flow: Option<Flow>) -> TableError {
    use libc::{EEXIST, ENOENT, ENOSPC, EPERM};
    // What the kernel means by them, LBE-82.
    match (error.code(), flow) {
        (Some(EPERM), _) => TableError::NotPermitted,
        (Some(EEXIST), Some(flow)) => TableError::Exists(flow),
        (Some(ENOENT), Some(flow)) => TableError::Absent(flow),
        (Some(ENOSPC), _) => TableError::Full,
        _ => TableError::Netlink(error),
    }
}
