//! Messages of the generic netlink family `lbe` (LBE-82): `module/lbe_uapi.h` in Rust.

use std::net::IpAddr;

use netlink_packet_core::{DecodeError, DefaultNla, Emitable, NlasIterator, ParseableParametrized};
use netlink_packet_generic::{GenlFamily, GenlHeader};

use crate::Flow;

pub(crate) const FAMILY: &str = "lbe";
const VERSION: u8 = 1;

const ADDR4: u16 = 1;
const ADDR6: u16 = 2;
const REMOTE_PORT: u16 = 3;
const LOCAL_PORT: u16 = 4;

/// What the table is asked, or what it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Command {
    Add = 1,
    Remove = 2,
    Get = 3,
    Flush = 4,
}

/// A command, with the flow it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) command: Command,
    pub(crate) flow: Option<Flow>,
}

impl GenlFamily for Message {
    fn family_name() -> &'static str {
        FAMILY
    }

    fn command(&self) -> u8 {
        self.command as u8
    }

    fn version(&self) -> u8 {
        VERSION
    }
}

fn attributes(flow: &Flow) -> Vec<DefaultNla> {
    let address = flow.canonical().remote.map(|address| match address {
        IpAddr::V4(address) => DefaultNla::new(ADDR4, address.octets().to_vec()),
        IpAddr::V6(address) => DefaultNla::new(ADDR6, address.octets().to_vec()),
    });
    let port =
        |kind: u16, port: Option<u16>| port.map(|port| DefaultNla::new(kind, port.to_ne_bytes().to_vec()));
    let ports = [port(REMOTE_PORT, flow.remote_port), port(LOCAL_PORT, flow.local_port)];
    address.into_iter().chain(ports.into_iter().flatten()).collect()
}

impl Emitable for Message {
    fn buffer_len(&self) -> usize {
        self.flow.map_or(0, |flow| attributes(&flow).as_slice().buffer_len())
    }

    fn emit(&self, buffer: &mut [u8]) {
        if let Some(flow) = &self.flow {
            attributes(flow).as_slice().emit(buffer);
        }
    }
}

impl ParseableParametrized<[u8], GenlHeader> for Message {
    fn parse_with_param(bytes: &[u8], header: GenlHeader) -> Result<Message, DecodeError> {
        let command = match header.cmd {
            1 => Command::Add,
            2 => Command::Remove,
            3 => Command::Get,
            4 => Command::Flush,
            other => return Err(DecodeError::from(format!("command {other} of a newer sch_lbe"))),
        };
        Ok(Message { command, flow: read_flow(bytes)? })
    }
}

fn read_flow(bytes: &[u8]) -> Result<Option<Flow>, DecodeError> {
    let (mut remote, mut remote_port, mut local_port) = (None, None, None);
    for attribute in NlasIterator::new(bytes) {
        let attribute = attribute?;
        let value = attribute.value();
        match attribute.kind() {
            ADDR4 => remote = Some(IpAddr::from(exact::<4>(value)?)),
            ADDR6 => remote = Some(IpAddr::from(exact::<16>(value)?)),
            REMOTE_PORT => remote_port = Some(u16::from_ne_bytes(exact(value)?)),
            LOCAL_PORT => local_port = Some(u16::from_ne_bytes(exact(value)?)),
            // Of a newer module.
            _ => {}
        }
    }
    let named = |port: Option<u16>| port.filter(|port| *port != 0);
    let flow = Flow { remote, remote_port: named(remote_port), local_port: named(local_port) }.canonical();
    Ok(Some(flow).filter(|flow| !flow.names_nothing()))
}

fn exact<const N: usize>(value: &[u8]) -> Result<[u8; N], DecodeError> {
    value.try_into().map_err(|_| DecodeError::from(format!("{} bytes in place of {N}", value.len())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header(cmd: u8) -> GenlHeader {
        GenlHeader { cmd, version: VERSION }
    }

    #[test]
    fn a_flow_comes_back_from_its_bytes() {
        for text in ["10.0.0.2", "10.0.0.2:443,5000", "[fd00::1]:443", "fd00::1,5000", "*:443"] {
            let message = Message { command: Command::Add, flow: Some(text.parse().unwrap()) };
            let mut bytes = vec![0; message.buffer_len()];
            message.emit(&mut bytes);
            assert_eq!(Message::parse_with_param(&bytes, header(1)).unwrap(), message);
        }
    }

    #[test]
    fn an_address_of_another_length_is_refused() {
        let nla = DefaultNla::new(ADDR4, vec![1, 2, 3]);
        let mut bytes = vec![0; nla.buffer_len()];
        nla.emit(&mut bytes);
        assert!(Message::parse_with_param(&bytes, header(3)).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, cmd: u8) {
            let _ = Message::parse_with_param(&bytes, header(cmd));
        }
    }
}
