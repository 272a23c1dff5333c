//! NODE-25: a topic over memory that another process has too, honest or not. `TOKKYU_WINDOW=FILE ROLE` makes this program the other one.
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use proptest::prelude::*;
use tokkyu_window::{TooLong, WindowError, WindowForm, WindowReader, WindowWriter};

const FORM: WindowForm = match WindowForm::new(8, 100) {
    Ok(form) => form,
    Err(_) => panic!("it is one"),
};

fn memory() -> Vec<AtomicU32> {
    (0..FORM.words()).map(|_| AtomicU32::new(0)).collect()
}

/// A message of its number alone, as long as the number says.
fn message(number: u32) -> Vec<u8> {
    vec![number as u8; 1 + number as usize % 100]
}

#[test]
fn messages_come_whole_in_order_and_the_oldest_go() {
    let memory = memory();
    let mut writer = WindowWriter::new(&memory, FORM).unwrap();
    let mut reader = WindowReader::new(&memory, FORM).unwrap();
    let mut taken = Vec::new();
    assert_eq!(reader.take(&mut taken), None);
    for number in 0..5 {
        assert_eq!(writer.publish(&message(number)), Ok(number));
    }
    for number in 0..5 {
        let sample = reader.take(&mut taken).unwrap();
        assert_eq!((sample.number, sample.lost, &taken), (number, 0, &message(number)));
    }
    for number in 5..25 {
        writer.publish(&message(number)).unwrap();
    }
    // Eight are still there.
    let sample = reader.take(&mut taken).unwrap();
    assert_eq!((sample.number, sample.lost, &taken), (17, 12, &message(17)));
    assert_eq!((17 + 1..25).filter(|_| reader.take(&mut taken).is_some()).count(), 7);
    assert_eq!((reader.take(&mut taken), reader.lost(), reader.broken()), (None, 12, 0));
    assert_eq!(writer.publish(&[0; 101]), Err(TooLong { most: 100 }));
    assert_eq!(writer.bell().load(Relaxed), 25);
}

#[test]
fn another_window_of_the_same_turn_is_read_too() {
    let memory = memory();
    let mut taken = Vec::new();
    let mut writer = WindowWriter::new(&memory, FORM).unwrap();
    let mut reader = WindowReader::new(&memory, FORM).unwrap();
    for number in 0..3 {
        writer.publish(&message(number)).unwrap();
        assert!(reader.take(&mut taken).is_some());
    }
    // The turn's word is written over, and a writer makes of it the very turn that the reader has seen.
    let before: Vec<u32> = memory.iter().map(|word| word.load(Relaxed)).collect();
    WindowWriter::new(&memory, FORM).unwrap();
    let after = memory.iter().map(|word| word.load(Relaxed));
    let turn = before.iter().zip(after).position(|(before, after)| after == before + 1).unwrap();
    memory[turn].store(before[turn] - 1, Relaxed);
    let mut writer = WindowWriter::new(&memory, FORM).unwrap();
    assert_eq!(memory[turn].load(Relaxed), before[turn]);
    assert_eq!(reader.take(&mut taken), None);
    writer.publish(&message(7)).unwrap();
    assert_eq!(reader.take(&mut taken).map(|sample| sample.number), Some(0));
    assert_eq!(taken, message(7));
}

#[test]
fn a_message_is_written_and_read_in_its_place() {
    let memory = memory();
    let mut writer = WindowWriter::new(&memory, FORM).unwrap();
    let mut reader = WindowReader::new(&memory, FORM).unwrap();
    let loan = writer.loan();
    let place = loan.words().as_ptr();
    loan.words()[24].store(7, Relaxed);
    assert!(reader.look().is_none());
    assert_eq!((loan.words().len(), loan.publish(100)), (25, Ok(0)));
    let view = reader.look().unwrap();
    assert_eq!((view.words().as_ptr(), view.len(), view.words()[24].load(Relaxed)), (place, 100, 7));
    assert!(reader.is_whole(&view) && reader.lost() == 0);
    // What is lent and not published is nothing; what is too long is not published either.
    drop(writer.loan());
    assert_eq!(writer.loan().publish(101), Err(TooLong { most: 100 }));
    assert!(reader.look().is_none());
    assert_eq!(writer.publish(&message(1)), Ok(1));
    let view = reader.look().unwrap();
    let mut taken = Vec::new();
    view.copy_to(&mut taken);
    assert_eq!(taken, message(1));
    let mut first = [9; 1];
    view.copy_into(&mut first);
    assert_eq!(first, [1]);
    // Eight later it is written over while it is looked at.
    (2..9).for_each(|number| assert!(writer.publish(&message(number)).is_ok()));
    assert!(view.words().len() == 1 && reader.is_whole(&view));
    let _loan = writer.loan();
    assert!(!reader.is_whole(&view));
    assert_eq!(reader.lost(), 1);
}

#[test]
fn a_writer_that_begins_anew_is_noticed_and_read() {
    let memory = memory();
    let mut writer = WindowWriter::new(&memory, FORM).unwrap();
    let mut reader = WindowReader::new(&memory, FORM).unwrap();
    let mut taken = Vec::new();
    (0..3).for_each(|number| assert!(writer.publish(&message(number)).is_ok()));
    while reader.take(&mut taken).is_some() {}
    let mut writer = WindowWriter::new(&memory, FORM).unwrap();
    assert_eq!((reader.take(&mut taken), reader.restarts()), (None, 1));
    writer.publish(b"again").unwrap();
    assert_eq!(reader.take(&mut taken).map(|sample| sample.number), Some(0));
    assert_eq!(taken, b"again");
    // Also where numbers are as before when it is looked at.
    WindowWriter::new(&memory, FORM).unwrap().publish(b"and again").unwrap();
    assert_eq!(reader.take(&mut taken).map(|sample| sample.number), Some(0));
    assert_eq!((taken.as_slice(), reader.restarts(), reader.lost()), (&b"and again"[..], 2, 0));
}

#[test]
fn what_is_no_window_is_refused() {
    let memory = memory();
    assert_eq!(WindowReader::new(&memory, FORM).map(drop), Err(WindowError::Foreign));
    WindowWriter::new(&memory, FORM).unwrap();
    let other = WindowForm::new(8, 99).unwrap();
    assert_eq!(WindowReader::new(&memory, other).map(drop), Err(WindowError::Foreign));
    let short = &memory[..FORM.words() - 1];
    assert_eq!(WindowReader::new(short, FORM).map(drop), Err(WindowError::Short(FORM.words())));
    assert_eq!(WindowWriter::new(short, FORM).map(drop), Err(WindowError::Short(FORM.words())));
    for (slots, bytes) in [(0, 1), (1, 1), (3, 1), (1 << 15, 1), (2, 0), (2, u32::MAX)] {
        assert_eq!(WindowForm::new(slots, bytes), Err(WindowError::Form));
    }
}

/// What a reader may answer whatever is in the memory.
fn look(reader: &mut WindowReader<'_>, taken: &mut Vec<u8>) {
    if reader.take(taken).is_some() {
        assert!(taken.len() <= 100, "{}", taken.len());
    }
    if let Some(view) = reader.look() {
        assert!(view.words().len() <= 25 && view.len() <= 100);
        reader.is_whole(&view);
    }
}

proptest! {
    #[test]
    fn whatever_the_memory_says_a_take_ends_and_keeps_to_the_form(
        writes in prop::collection::vec((0..FORM.words(), prop_oneof![any::<u32>(), 0..40_u32]), 0..200),
        good in 0..30_u32,
    ) {
        let memory = memory();
        let mut writer = WindowWriter::new(&memory, FORM).unwrap();
        let mut reader = WindowReader::new(&memory, FORM).unwrap();
        let mut taken = Vec::new();
        for (at, value) in writes {
            memory[at].store(value, Relaxed);
            look(&mut reader, &mut taken);
        }
        for number in 0..good {
            writer.publish(&message(number)).unwrap();
            look(&mut reader, &mut taken);
        }
    }
}

#[test]
fn two_threads_never_see_parts_of_two_messages() {
    let memory = memory();
    let mut writer = WindowWriter::new(&memory, FORM).unwrap();
    let mut reader = WindowReader::new(&memory, FORM).unwrap();
    const COUNT: u32 = if cfg!(miri) { 200 } else { 200_000 };
    std::thread::scope(|scope| {
        scope.spawn(move || (0..COUNT).for_each(|number| assert!(writer.publish(&message(number)).is_ok())));
        let (mut taken, mut got) = (Vec::new(), 0_u64);
        while got + reader.lost() < u64::from(COUNT) {
            let Some(sample) = reader.take(&mut taken) else { continue };
            assert_eq!(taken, message(sample.number));
            got += 1;
        }
        assert_eq!(reader.broken(), 0);
    });
}

/// Memory of a file that two processes have.
struct Shared {
    address: *mut libc::c_void,
}

impl Shared {
    fn of(file: &File) -> Shared {
        let (bytes, protection) = (FORM.words() * 4, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: new memory of that file, as long as it is made.
        let address = unsafe {
            libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        assert_ne!(address, libc::MAP_FAILED);
        Shared { address }
    }

    fn words(&self) -> &[AtomicU32] {
        // SAFETY: mapped for as long as this lives, in whole pages; words that others write are atomics.
        unsafe { std::slice::from_raw_parts(self.address.cast(), FORM.words()) }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: nobody has its words any more.
        unsafe { libc::munmap(self.address, FORM.words() * 4) };
    }
}

struct Pair {
    path: PathBuf,
    memory: Shared,
}

impl Pair {
    fn new(name: &str) -> Pair {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("window-{name}-{}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        file.set_len(FORM.words() as u64 * 4).unwrap();
        Pair { memory: Shared::of(&file), path }
    }

    fn other(&self, role: &str) -> Child {
        let program = std::env::current_exe().unwrap();
        let words = format!("{} {role}", self.path.display());
        Command::new(program)
            .args(["--exact", "the_other_process"])
            .env("TOKKYU_WINDOW", words)
            .spawn()
            .unwrap()
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

const PUBLISHED: u32 = 20_000;
const SCRIBBLED: u32 = 3_000_000;

/// Not a test of its own: what the other process does.
#[test]
fn the_other_process() {
    let Some(words) = std::env::var_os("TOKKYU_WINDOW") else { return };
    let words = words.into_string().unwrap();
    let (path, role) = words.rsplit_once(' ').unwrap();
    let memory = Shared::of(&OpenOptions::new().read(true).write(true).open(path).unwrap());
    if role == "honest" {
        let mut writer = WindowWriter::new(memory.words(), FORM).unwrap();
        (0..PUBLISHED).for_each(|number| assert!(writer.publish(&message(number)).is_ok()));
        return;
    }
    // Words of chance (xorshift), half of them where readers look first.
    let mut chance = 0x9e37_79b9_u32;
    for _ in 0..SCRIBBLED {
        chance ^= chance << 13;
        chance ^= chance >> 17;
        chance ^= chance << 5;
        let at = if chance & 1 == 0 { 3 } else { chance as usize / 2 % FORM.words() };
        let value = if chance & 2 == 0 { chance } else { chance >> 27 };
        memory.words()[at].store(value, Relaxed);
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri has one process")]
fn what_an_honest_process_publishes_is_read_whole() {
    let pair = Pair::new("honest");
    // The window is there before its writer is: that one begins anew.
    WindowWriter::new(pair.memory.words(), FORM).unwrap();
    let mut reader = WindowReader::new(pair.memory.words(), FORM).unwrap();
    let (mut other, mut taken, mut last) = (pair.other("honest"), Vec::new(), None);
    while last != Some(PUBLISHED - 1) {
        match reader.take(&mut taken) {
            Some(sample) => {
                assert_eq!(taken, message(sample.number));
                assert!(last.is_none_or(|last| last < sample.number));
                last = Some(sample.number);
            }
            None => std::thread::yield_now(),
        }
    }
    assert!(other.wait().unwrap().success());
    assert_eq!(reader.broken(), 0);
}

/// It writes words of chance all over the memory, while this one reads there and another window's writer writes.
#[test]
#[cfg_attr(miri, ignore = "Miri has one process")]
fn a_hostile_process_makes_losses_and_nothing_else() {
    let pair = Pair::new("hostile");
    let mut writer = WindowWriter::new(pair.memory.words(), FORM).unwrap();
    let mut reader = WindowReader::new(pair.memory.words(), FORM).unwrap();
    let (mut other, mut taken, mut takes) = (pair.other("hostile"), Vec::new(), 0_u32);
    while other.try_wait().unwrap().is_none() {
        // Mostly what the other one leaves.
        if takes.is_multiple_of(64) {
            writer.publish(&message(takes)).unwrap();
        }
        look(&mut reader, &mut taken);
        takes = takes.wrapping_add(1);
    }
    assert!(other.wait().unwrap().success());
    assert!(reader.lost() > 0 && reader.restarts() > 0, "{reader:?}");
    // And on it goes, in a window that is made anew.
    let mut writer = WindowWriter::new(pair.memory.words(), FORM).unwrap();
    let _ = reader.take(&mut taken);
    writer.publish(b"peace").unwrap();
    assert!(reader.take(&mut taken).is_some());
    assert_eq!(taken, b"peace");
}
