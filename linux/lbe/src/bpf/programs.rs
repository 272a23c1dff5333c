//! The programs of a background group (LBE-91), and the one of a group of which some packets are background (LBE-110).
//!
//! Offsets of contexts are those of `linux/bpf.h`, which the kernel keeps.

use std::net::IpAddr;

use super::instruction::{Condition, Helper, Instruction, Label, Register, Size, Writer};
use super::system_call::{Hook, Kind};
use Register::{R1, R2, R3, R4, R5, R6, R7, R10};

/// DSCP LE (RFC 8622) as it stands in the byte of IPv4's TOS and IPv6's traffic class: above the two bits of ECN.
const LE: i32 = 0b00_0001 << 2;

const SOL_IP: i32 = libc::SOL_IP;
const IP_TOS: i32 = libc::IP_TOS;
const SOL_IPV6: i32 = libc::SOL_IPV6;
const IPV6_TCLASS: i32 = libc::IPV6_TCLASS;
const SOL_SOCKET: i32 = libc::SOL_SOCKET;
const SO_PRIORITY: i32 = libc::SO_PRIORITY;

/// `priority` of `struct __sk_buff`.
const SKB_PRIORITY: i16 = 32;

/// `Condition::Always` looks at no register.
const NONE: Register = Register::R0;

/// What the kernel is told: go on.
const GO_ON: i32 = 1;

/// A program and where it is hooked in.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) hook: Hook,
    pub(super) instructions: Vec<Instruction>,
}

/// All programs of a group whose every packet is background, with this `skb->priority`.
pub(super) fn of_background(priority: u32) -> Vec<Program> {
    let address = |name, hook, instructions| Program { name, kind: Kind::SocketAddress, hook, instructions };
    vec![
        Program {
            name: "lbe_egress",
            kind: Kind::Packet,
            hook: Hook::Egress,
            instructions: egress(priority),
        },
        address("lbe_connect4", Hook::Connect4, mark(SOL_IP, IP_TOS)),
        address("lbe_connect6", Hook::Connect6, mark(SOL_IPV6, IPV6_TCLASS)),
        address("lbe_sendmsg4", Hook::SendMessage4, mark(SOL_IP, IP_TOS)),
        address("lbe_sendmsg6", Hook::SendMessage6, mark(SOL_IPV6, IPV6_TCLASS)),
        Program {
            name: "lbe_accept",
            kind: Kind::SocketState,
            hook: Hook::SocketState,
            instructions: accept(),
        },
        Program {
            name: "lbe_setsockopt",
            kind: Kind::SocketOption,
            hook: Hook::SetSocketOption,
            instructions: keep_options(),
        },
    ]
}

/// The program of a group of which only packets with these fields are background.
pub(super) fn of_matching(priority: u32, fields: &Fields) -> Vec<Program> {
    let instructions = matching(priority, fields);
    vec![Program { name: "lbe_match", kind: Kind::Packet, hook: Hook::Egress, instructions }]
}

/// What a packet must have; all that is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Where it goes.
    pub destination: Option<IpAddr>,
    /// To which port, TCP or UDP.
    pub destination_port: Option<u16>,
    /// From which port, TCP or UDP.
    pub source_port: Option<u16>,
}

fn egress(priority: u32) -> Vec<Instruction> {
    set_priority(Writer::default(), R1, priority).end(GO_ON).finish()
}

/// By way of a register: a number cannot be stored in a context.
fn set_priority(writer: Writer, context: Register, priority: u32) -> Writer {
    writer.set(R2, priority.cast_signed()).store(Size::Word, context, SKB_PRIORITY, R2)
}

/// `setsockopt(level, option, LE)`; whether it could be done changes nothing.
fn set_mark(writer: Writer, context: Register, level: i32, option: i32) -> Writer {
    writer
        .store_number(R10, -4, LE)
        .copy(R1, context)
        .set(R2, level)
        .set(R3, option)
        .copy(R4, R10)
        .add(R4, -4)
        .set(R5, 4)
        .call(Helper::SetSocketOption)
}

fn mark(level: i32, option: i32) -> Vec<Instruction> {
    set_mark(Writer::default(), R1, level, option).end(GO_ON).finish()
}

/// Sockets that were connected to: marked when they listen, for the answer to SYN, and when they stand.
fn accept() -> Vec<Instruction> {
    const OP: i16 = 0;
    const REPLY: i16 = 4;
    const FAMILY: i16 = 20;
    const PASSIVE_ESTABLISHED: i32 = 5;
    const LISTEN: i32 = 11;
    const NO_ANSWER: i32 = -1;
    let (marked, six, out) = (Label(0), Label(1), Label(2));
    let writer = Writer::default()
        .copy(R6, R1)
        // Other operations ask for a number: the kernel's own is taken.
        .set(R2, NO_ANSWER)
        .store(Size::Word, R6, REPLY, R2)
        .load(Size::Word, R2, R6, OP)
        .jump(Condition::Equal, R2, PASSIVE_ESTABLISHED, marked)
        .jump(Condition::NotEqual, R2, LISTEN, out)
        .at(marked)
        .load(Size::Word, R2, R6, FAMILY)
        .jump(Condition::Equal, R2, libc::AF_INET6, six)
        .jump(Condition::NotEqual, R2, libc::AF_INET, out);
    let writer = set_mark(writer, R6, SOL_IP, IP_TOS).jump(Condition::Always, NONE, 0, out).at(six);
    set_mark(writer, R6, SOL_IPV6, IPV6_TCLASS).at(out).end(GO_ON).finish()
}

/// A program that sets its own DSCP or priority (ssh does) is told that it has, and has not.
fn keep_options() -> Vec<Instruction> {
    const LEVEL: i16 = 24;
    const OPTION: i16 = 28;
    const LENGTH: i16 = 32;
    /// What the hook can show of an option's value; longer ones must be let through by a length of 0.
    const PAGE: i32 = 4096;
    const DONE_ALREADY: i32 = -1;
    let (swallow, out, long) = (Label(0), Label(1), Label(2));
    let pairs = [(SOL_IP, IP_TOS), (SOL_IPV6, IPV6_TCLASS), (SOL_SOCKET, SO_PRIORITY)];
    let mut writer = Writer::default().load(Size::Word, R2, R1, LEVEL).load(Size::Word, R3, R1, OPTION);
    for (number, (level, option)) in (10..).zip(pairs) {
        let next = Label(number);
        writer = writer
            .jump(Condition::NotEqual, R2, level, next)
            .jump(Condition::Equal, R3, option, swallow)
            .at(next);
    }
    writer
        .load(Size::Word, R4, R1, LENGTH)
        .jump(Condition::Greater, R4, PAGE, long)
        .jump(Condition::Always, NONE, 0, out)
        .at(long)
        .set(R4, 0)
        .store(Size::Word, R1, LENGTH, R4)
        .jump(Condition::Always, NONE, 0, out)
        .at(swallow)
        .set(R4, DONE_ALREADY)
        .store(Size::Word, R1, LENGTH, R4)
        .at(out)
        .end(GO_ON)
        .finish()
}

/// The IP header is copied to the stack: 40 bytes, or the 20 that an IPv4 packet has at least.
const HEADER: i16 = -40;
const PORTS: i16 = -48;

fn matching(priority: u32, fields: &Fields) -> Vec<Instruction> {
    let (six, hit, out) = (Label(0), Label(1), Label(2));
    let writer = load_bytes(Writer::default().copy(R6, R1).set(R7, 0), HEADER, 20, out)
        .load(Size::Byte, R2, R10, HEADER)
        .and(R2, 0xf0)
        .jump(Condition::Equal, R2, 0x60, six)
        .jump(Condition::NotEqual, R2, 0x40, out);
    let writer = version_four(writer, fields, hit, out).at(six);
    let writer = load_bytes(writer, HEADER, 40, out);
    let writer = version_six(writer, fields, hit, out).at(hit);
    set_priority(writer, R6, priority).at(out).end(GO_ON).finish()
}

/// `bpf_skb_load_bytes(skb, R7, stack + to, length)`; a packet that is shorter is not a match.
fn load_bytes(writer: Writer, to: i16, length: i32, out: Label) -> Writer {
    writer
        .copy(R1, R6)
        .copy(R2, R7)
        .copy(R3, R10)
        .add(R3, to.into())
        .set(R4, length)
        .call(Helper::LoadBytes)
        .jump(Condition::NotEqual, Register::R0, 0, out)
}

fn version_four(writer: Writer, fields: &Fields, hit: Label, out: Label) -> Writer {
    let writer = match fields.destination {
        None => writer,
        Some(IpAddr::V4(address)) => same_words(writer, HEADER + 16, &address.octets(), out),
        Some(IpAddr::V6(_)) => return writer.jump(Condition::Always, NONE, 0, out),
    };
    if !fields.name_ports() {
        return writer.jump(Condition::Always, NONE, 0, hit);
    }
    // A later fragment has no ports (LBE-3): the offset is 13 bits behind three flags, in network order.
    let writer = writer.load(Size::Half, R2, R10, HEADER + 6).jump(
        Condition::AnyBit,
        R2,
        i32::from(u16::from_ne_bytes([0x1f, 0xff])),
        out,
    );
    let writer = transport(writer, HEADER + 9, 4, out)
        .load(Size::Byte, R7, R10, HEADER)
        .and(R7, 0x0f)
        .shift_left(R7, 2);
    ports(writer, fields, out).jump(Condition::Always, NONE, 0, hit)
}

fn version_six(writer: Writer, fields: &Fields, hit: Label, out: Label) -> Writer {
    let writer = match fields.destination {
        None => writer,
        Some(IpAddr::V6(address)) => same_words(writer, HEADER + 24, &address.octets(), out),
        Some(IpAddr::V4(_)) => return writer.jump(Condition::Always, NONE, 0, out),
    };
    if !fields.name_ports() {
        return writer.jump(Condition::Always, NONE, 0, hit);
    }
    let writer = transport(writer, HEADER + 6, 6, out).set(R7, 40);
    ports(writer, fields, out).jump(Condition::Always, NONE, 0, hit)
}

/// On if the byte says TCP or UDP. Labels are apart for the two families.
fn transport(writer: Writer, at: i16, family: u8, out: Label) -> Writer {
    let known = Label(100 + family);
    writer
        .load(Size::Byte, R2, R10, at)
        .jump(Condition::Equal, R2, libc::IPPROTO_TCP, known)
        .jump(Condition::NotEqual, R2, libc::IPPROTO_UDP, out)
        .at(known)
}

/// Source port and destination port stand first in both headers; R7 says where.
fn ports(writer: Writer, fields: &Fields, out: Label) -> Writer {
    let mut writer = load_bytes(writer, PORTS, 4, out);
    for (at, port) in [(PORTS, fields.source_port), (PORTS + 2, fields.destination_port)] {
        let Some(port) = port else { continue };
        let as_loaded = u16::from_ne_bytes(port.to_be_bytes());
        writer = writer.load(Size::Half, R2, R10, at).jump(Condition::NotEqual, R2, as_loaded.into(), out);
    }
    writer
}

/// Half by half: a jump's number is extended by its sign, a word's upper bit would become 33 of them.
fn same_words(mut writer: Writer, at: i16, bytes: &[u8], out: Label) -> Writer {
    for (offset, half) in (at..).step_by(2).zip(bytes.chunks_exact(2)) {
        let as_loaded = u16::from_ne_bytes([half[0], half[1]]);
        writer =
            writer.load(Size::Half, R2, R10, offset).jump(Condition::NotEqual, R2, as_loaded.into(), out);
    }
    writer
}

impl Fields {
    fn name_ports(&self) -> bool {
        self.destination_port.is_some() || self.source_port.is_some()
    }
}
