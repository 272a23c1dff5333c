//! The system call bpf(2): programs are loaded, hooked into control groups, asked for and taken out.
//!
//! Each command has its own part of `union bpf_attr` (`linux/bpf.h`); the kernel takes a shorter one as if the rest were 0.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::instruction::Instruction;

const PROG_LOAD: libc::c_int = 5;
const PROG_ATTACH: libc::c_int = 8;
const PROG_DETACH: libc::c_int = 9;
const PROG_GET_FD_BY_ID: libc::c_int = 13;
const OBJ_GET_INFO_BY_FD: libc::c_int = 15;
const PROG_QUERY: libc::c_int = 16;

/// Beside programs of others, and those of groups above and below.
const ALLOW_MULTI: u32 = 1 << 1;

/// Kind of a program (`enum bpf_prog_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    Packet = 8,
    SocketState = 13,
    SocketAddress = 18,
    SocketOption = 25,
}

/// Where it is hooked in (`enum bpf_attach_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Hook {
    Egress = 1,
    SocketState = 3,
    Connect4 = 10,
    Connect6 = 11,
    SendMessage4 = 14,
    SendMessage6 = 15,
    SetSocketOption = 22,
}

impl Hook {
    pub(super) const ALL: [Hook; 7] = [
        Hook::Egress,
        Hook::SocketState,
        Hook::Connect4,
        Hook::Connect6,
        Hook::SendMessage4,
        Hook::SendMessage6,
        Hook::SetSocketOption,
    ];
}

#[repr(C)]
struct Load {
    kind: u32,
    instructions: u32,
    instruction: u64,
    licence: u64,
    log_level: u32,
    log_size: u32,
    log: u64,
    kernel_version: u32,
    flags: u32,
    name: [u8; 16],
    interface: u32,
    expected_hook: u32,
}

#[repr(C)]
struct Attach {
    target: u32,
    program: u32,
    hook: u32,
    flags: u32,
}

#[repr(C)]
struct Query {
    target: u32,
    hook: u32,
    query_flags: u32,
    attach_flags: u32,
    ids: u64,
    count: u32,
    padding: u32,
}

#[repr(C)]
struct ById {
    id: u32,
    next: u32,
    flags: u32,
}

#[repr(C)]
struct Info {
    program: u32,
    length: u32,
    info: u64,
}

fn bpf<T>(command: libc::c_int, attributes: &mut T) -> io::Result<libc::c_int> {
    // SAFETY: the kernel reads and writes `size_of::<T>()` bytes there, and what the pointers in it point to, which the
    // callers keep alive until this returns.
    let result = unsafe { libc::syscall(libc::SYS_bpf, command, attributes as *mut T, size_of::<T>()) };
    match libc::c_int::try_from(result) {
        Ok(result) if result >= 0 => Ok(result),
        _ => Err(io::Error::last_os_error()),
    }
}

fn raw(fd: BorrowedFd<'_>) -> u32 {
    fd.as_raw_fd().cast_unsigned()
}

/// Loads a program; the kernel proves first that it ends and touches nothing it may not.
pub(super) fn load(name: &str, kind: Kind, hook: Hook, program: &[Instruction]) -> io::Result<OwnedFd> {
    // None of the helpers called is for GPL programs alone.
    const LICENCE: &std::ffi::CStr = c"Dual MIT/GPL";
    let mut words = [0; 16];
    words.iter_mut().zip(name.bytes().take(15)).for_each(|(to, from)| *to = from);
    let mut load = Load {
        kind: kind as u32,
        instructions: u32::try_from(program.len()).map_err(io::Error::other)?,
        instruction: program.as_ptr() as u64,
        licence: LICENCE.as_ptr() as u64,
        log_level: 0,
        log_size: 0,
        log: 0,
        kernel_version: 0,
        flags: 0,
        name: words,
        interface: 0,
        expected_hook: hook as u32,
    };
    let fd = bpf(PROG_LOAD, &mut load)?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Hooks a program into a group, beside what is there.
pub(super) fn attach(group: BorrowedFd<'_>, program: BorrowedFd<'_>, hook: Hook) -> io::Result<()> {
    let (target, program) = (raw(group), raw(program));
    bpf(PROG_ATTACH, &mut Attach { target, program, hook: hook as u32, flags: ALLOW_MULTI }).map(drop)
}

/// Takes a program out of a group.
pub(super) fn detach(group: BorrowedFd<'_>, program: BorrowedFd<'_>, hook: Hook) -> io::Result<()> {
    let (target, program) = (raw(group), raw(program));
    bpf(PROG_DETACH, &mut Attach { target, program, hook: hook as u32, flags: 0 }).map(drop)
}

/// Numbers of the programs that are hooked into a group itself.
pub(super) fn attached(group: BorrowedFd<'_>, hook: Hook) -> io::Result<Vec<u32>> {
    let mut ids = vec![0_u32; 64];
    let mut query = Query {
        target: raw(group),
        hook: hook as u32,
        query_flags: 0,
        attach_flags: 0,
        ids: ids.as_mut_ptr() as u64,
        count: 64,
        padding: 0,
    };
    bpf(PROG_QUERY, &mut query)?;
    ids.truncate(query.count as usize);
    Ok(ids)
}

/// The program with this number.
pub(super) fn by_id(id: u32) -> io::Result<OwnedFd> {
    let fd = bpf(PROG_GET_FD_BY_ID, &mut ById { id, next: 0, flags: 0 })?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Name of a program, as it was given when it was loaded.
pub(super) fn name(program: BorrowedFd<'_>) -> io::Result<String> {
    /// Where `struct bpf_prog_info` has it, and where it ends.
    const NAME: std::ops::Range<usize> = 64..80;
    // Numbers of eight bytes in it: aligned as these are.
    let mut info = [0_u64; NAME.end / 8];
    let mut ask = Info { program: raw(program), length: NAME.end as u32, info: info.as_mut_ptr() as u64 };
    bpf(OBJ_GET_INFO_BY_FD, &mut ask)?;
    let bytes: Vec<u8> = info.iter().flat_map(|word| word.to_ne_bytes()).collect();
    Ok(String::from_utf8_lossy(&bytes[NAME]).trim_end_matches('\0').to_owned())
}
