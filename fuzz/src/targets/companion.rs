//! What a kernel says of itself, as the companion of the monitor's RTOS reads it: symbols, types, memory, ticks. The first byte says which, or the
//! first three one behind the other, each with its length before it.

use tokkyu_monitor_companion::{Btf, CoreFile, Kernel, Symbols, find, ticks_of};

fn symbols(bytes: &[u8]) -> Option<Symbols> {
    Symbols::read(&String::from_utf8_lossy(bytes)).ok()
}

fn types(bytes: &[u8]) -> Option<Btf<'_>> {
    let btf = Btf::read(bytes).ok()?;
    if let Ok(at) = btf.place("task_struct", &["thread_info", "preempt_count"]) {
        assert!(at < 1 << 34);
    }
    Some(btf)
}

fn memory(bytes: &[u8]) -> Option<CoreFile> {
    let file = CoreFile::read(bytes).ok()?;
    for segment in file.segments() {
        assert!(segment.holds(segment.address, segment.bytes));
        let _ = file.offset(segment.address, 1);
    }
    Some(file)
}

/// A length of two bytes, and as much.
fn part<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (part, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
    *bytes = rest;
    Some(part)
}

fn all(mut bytes: &[u8]) -> Option<()> {
    let parts = [part(&mut bytes)?, part(&mut bytes)?, part(&mut bytes)?];
    let (symbols, btf, core_file) = (symbols(parts[0])?, types(parts[1])?, memory(parts[2])?);
    let read = |offset: u64| {
        let rest = bytes.get(usize::try_from(offset).ok()?..)?;
        rest.first_chunk().map(|word| u64::from_le_bytes(*word))
    };
    let kernel = Kernel { symbols: &symbols, btf: &btf, core_file: &core_file, read: &read };
    let telling = find(&kernel, 2).ok()?;
    for at in &telling.running_at[..2] {
        let is_there = |window: &tokkyu_monitor_placement::Window| at.wrapping_sub(window.physical) < window.bytes;
        assert!(telling.windows.iter().any(is_there));
    }
    Some(())
}

fn ticks(bytes: &[u8]) {
    if let Ok(all) = ticks_of(&String::from_utf8_lossy(bytes)) {
        assert!(all.iter().any(Option::is_some));
    }
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    match bytes.split_first() {
        Some((0, rest)) => drop(symbols(rest)),
        Some((1, rest)) => drop(types(rest)),
        Some((2, rest)) => drop(memory(rest)),
        Some((4, rest)) => ticks(rest),
        Some((_, rest)) => drop(all(rest)),
        None => {}
    }
}
