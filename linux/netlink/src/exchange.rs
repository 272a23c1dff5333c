//! One request to the kernel, and all of its answer.

use std::io;

use netlink_packet_core::{
    ErrorMessage, NLM_F_REQUEST, NetlinkDeserializable, NetlinkMessage, NetlinkPayload, NetlinkSerializable,
    NlasIterator,
};
use netlink_sys::{Socket, SocketAddr};

/// Attribute of a refusal: its reason in words (`linux/netlink.h`).
const NLMSGERR_ATTR_MSG: u16 = 1;
/// With `NETLINK_CAP_ACK` a refusal repeats no more of the request than its header.
const REPEATED_HEADER: usize = 16;

/// Why the kernel refused.
#[derive(Debug, thiserror::Error)]
pub enum NetlinkError {
    /// It said so, with a number and perhaps in words.
    #[error("{}{source}", words.as_ref().map(|words| format!("{words}: ")).unwrap_or_default())]
    Refused {
        /// The kernel's own.
        words: Option<String>,
        /// The number.
        source: io::Error,
    },
    /// It was not reached, or not understood.
    #[error("netlink: {0}")]
    Socket(#[from] io::Error),
}

impl NetlinkError {
    /// The number of the refusal.
    pub fn code(&self) -> Option<i32> {
        match self {
            NetlinkError::Refused { source, .. } => source.raw_os_error(),
            NetlinkError::Socket(_) => None,
        }
    }
}

/// A socket of this protocol, which gets refusals in words.
///
/// # Errors
/// The kernel has no sockets left.
pub fn open(protocol: isize) -> io::Result<Socket> {
    let mut socket = Socket::new(protocol)?;
    socket.set_cap_ack(true)?;
    socket.set_ext_ack(true)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    Ok(socket)
}

/// Sends a request and reads all of its answer: messages, until the acknowledgement or the dump's end. One of the flags must
/// ask for either.
///
/// # Errors
/// The kernel refuses, or what it says is not understood.
pub fn exchange<M>(socket: &Socket, message: M, flags: u16) -> Result<Vec<M>, NetlinkError>
where
    M: NetlinkSerializable + NetlinkDeserializable + Into<NetlinkPayload<M>>,
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
            let answer = NetlinkMessage::<M>::deserialize(rest).map_err(io::Error::other)?;
            let length = (answer.header.length as usize).next_multiple_of(4).clamp(1, rest.len());
            rest = &rest[length..];
            match answer.payload {
                NetlinkPayload::Error(error) if error.code.is_none() => return Ok(answers),
                NetlinkPayload::Error(error) => return Err(refusal(&error)),
                NetlinkPayload::Done(_) => return Ok(answers),
                NetlinkPayload::InnerMessage(message) => answers.push(message),
                _ => {}
            }
        }
    }
}

fn refusal(error: &ErrorMessage) -> NetlinkError {
    let attributes = error.header.get(REPEATED_HEADER..).unwrap_or_default();
    let words = NlasIterator::new(attributes).flatten().find(|nla| nla.kind() == NLMSGERR_ATTR_MSG);
    let words = words.map(|nla| String::from_utf8_lossy(nla.value()).trim_end_matches('\0').to_owned());
    NetlinkError::Refused { words, source: error.to_io() }
}
