//! Families of generic netlink: one has a name that stays, and a number that the kernel gives it when it comes.

use std::io;

use netlink_packet_core::{DecodeError, Emitable, NLM_F_ACK, ParseableParametrized};
use netlink_packet_generic::ctrl::nlas::GenlCtrlAttrs;
use netlink_packet_generic::ctrl::{GenlCtrl, GenlCtrlCmd};
use netlink_packet_generic::{GenlFamily, GenlHeader, GenlMessage};
use netlink_sys::Socket;
use netlink_sys::protocols::NETLINK_GENERIC;

use crate::attribute::Attribute;
use crate::exchange::{NetlinkError, exchange, open};

/// The number of a family, by a socket of `NETLINK_GENERIC`; `None`: the kernel does not have it.
///
/// # Errors
/// The kernel does not say, or is not understood.
pub fn family(socket: &Socket, name: &str) -> Result<Option<u16>, NetlinkError> {
    let nlas = vec![GenlCtrlAttrs::FamilyName(name.to_owned())];
    let request = GenlMessage::from_payload(GenlCtrl { cmd: GenlCtrlCmd::GetFamily, nlas });
    let answers: Vec<GenlMessage<GenlCtrl>> = match exchange(socket, request, NLM_F_ACK) {
        Err(error) if error.code() == Some(libc::ENOENT) => return Ok(None),
        other => other?,
    };
    let mut nlas = answers.iter().flat_map(|answer| &answer.payload.nlas);
    Ok(nlas.find_map(|nla| if let GenlCtrlAttrs::FamilyId(number) = nla { Some(*number) } else { None }))
}

/// Asks a family: the attributes of each message of its answer. One of the flags must ask for an acknowledgement or a dump.
///
/// # Errors
/// The kernel does not have the family (`EOPNOTSUPP`), refuses, or is not understood.
pub fn ask(
    name: &str,
    command: u8,
    attributes: Vec<Attribute>,
    flags: u16,
) -> Result<Vec<Vec<Attribute>>, NetlinkError> {
    let socket = open(NETLINK_GENERIC)?;
    let absent =
        || NetlinkError::Refused { words: None, source: io::Error::from_raw_os_error(libc::EOPNOTSUPP) };
    let number = family(&socket, name)?.ok_or_else(absent)?;
    let mut message = GenlMessage::from_payload(Message { command, attributes });
    message.set_resolved_family_id(number);
    let answers: Vec<GenlMessage<Message>> = exchange(&socket, message, flags)?;
    Ok(answers.into_iter().map(|answer| answer.payload.attributes).collect())
}

/// A message of any family.
#[derive(Clone, Debug)]
struct Message {
    command: u8,
    attributes: Vec<Attribute>,
}

impl GenlFamily for Message {
    /// Nobody asks: the number is known when it is sent.
    fn family_name() -> &'static str {
        ""
    }

    fn command(&self) -> u8 {
        self.command
    }

    fn version(&self) -> u8 {
        1
    }
}

impl Emitable for Message {
    fn buffer_len(&self) -> usize {
        Attribute::length(&self.attributes)
    }

    fn emit(&self, buffer: &mut [u8]) {
        Attribute::write_all(&self.attributes, buffer);
    }
}

impl ParseableParametrized<[u8], GenlHeader> for Message {
    fn parse_with_param(bytes: &[u8], header: GenlHeader) -> Result<Message, DecodeError> {
        Ok(Message { command: header.cmd, attributes: Attribute::read_all(bytes)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_of_families_is_known_and_a_name_that_nobody_has_is_not() {
        let socket = open(NETLINK_GENERIC).unwrap();
        assert_eq!(family(&socket, "nlctrl").unwrap(), Some(0x10));
        assert_eq!(family(&socket, "no-such-family").unwrap(), None);
    }

    /// `CTRL_CMD_GETFAMILY` of the family of families, whose second attribute is a name.
    #[test]
    fn a_family_is_asked_by_its_name() {
        let wanted = Attribute::new(2, b"nlctrl\0");
        let answers = ask("nlctrl", 3, vec![wanted.clone()], NLM_F_ACK).unwrap();
        assert_eq!(crate::of_kind(&answers[0], 2), Some(&wanted));
        let refused = ask("no-such-family", 1, Vec::new(), NLM_F_ACK).unwrap_err();
        assert_eq!(refused.code(), Some(libc::EOPNOTSUPP), "{refused}");
    }
}
