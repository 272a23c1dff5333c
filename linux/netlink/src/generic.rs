//! Families of generic netlink: one has a name that stays, and a number that the kernel gives it when it comes.

use netlink_packet_core::NLM_F_ACK;
use netlink_packet_generic::GenlMessage;
use netlink_packet_generic::ctrl::nlas::GenlCtrlAttrs;
use netlink_packet_generic::ctrl::{GenlCtrl, GenlCtrlCmd};
use netlink_sys::Socket;

use crate::exchange::{NetlinkError, exchange};

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

#[cfg(test)]
mod tests {
    use netlink_sys::protocols::NETLINK_GENERIC;

    use super::*;
    use crate::open;

    #[test]
    fn the_family_of_families_is_known_and_a_name_that_nobody_has_is_not() {
        let socket = open(NETLINK_GENERIC).unwrap();
        assert_eq!(family(&socket, "nlctrl").unwrap(), Some(0x10));
        assert_eq!(family(&socket, "no-such-family").unwrap(), None);
    }
}
