//! A child process that writes pictures on a pipe, of a known length or as JPEG, and the newest of them.
//!
//! Two threads of our own run beside the child: one reads pictures into a slot for one, where a newer picture
//! replaces an older one (so a slow taker sees the newest and the child is never held up), one keeps the last line
//! the child complains in. Both end when the child's pipes close. Memory is bounded: one picture in the slot, one
//! being read (a JPEG as far as `mjpeg` bounds it), one line.
//!
//! Invariant: after [`Feed::end`] and after drop the child was told to die, and it was collected unless the kernel
//! itself holds it (a driver that hangs); that wait is bounded by [`LONGEST_ENDING`].

use std::io::{self, Read as _};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use tokkyu_contract::MonoTime;
use tokkyu_link::carrier::clock;

use super::mjpeg::{Jpeg, Splitter};
use crate::program::orphan::ends_with_its_starter;
use crate::text::printable;

/// Longest wait for a child that was killed.
const LONGEST_ENDING: Duration = Duration::from_secs(1);
const ENDING_STEP: Duration = Duration::from_millis(10);
/// Longest line of complaint that is kept.
const LINE_BYTES: usize = 1_024;
/// A pipe holds no more at once.
const CHUNK_BYTES: usize = 65_536;

/// What the slot gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// A picture.
    Picture(Read),
    /// Nothing new within the wait.
    Nothing,
    /// The child wrote its last picture, and all were taken.
    Ended,
}

/// A picture that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// Its place in the stream, counted from 0.
    pub(super) number: u64,
    /// When the child had it ready: its first bytes came.
    pub(super) given: MonoTime,
    pub(super) data: Bytes,
    /// Width and height that a JPEG says itself.
    pub(super) size: Option<(u16, u16)>,
}

/// Where one picture ends and the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Each has so many bytes.
    Length(usize),
    /// As a JPEG says.
    Jpeg,
}

/// A running child and the newest of its pictures; see the module.
pub(super) struct Feed {
    child: Child,
    slot: Arc<Slot>,
    pictures: Option<JoinHandle<()>>,
    complaints: Option<JoinHandle<String>>,
    said: String,
}

impl Feed {
    /// Starts `command` and reads its pictures from its standard output.
    pub(super) fn start(mut command: Command, cut: Cut) -> io::Result<Feed> {
        // A group of its own: Ctrl-C in the terminal is for our program, which then ends the child in its own order.
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Even where nothing of ours is left to end it.
        let mut child = ends_with_its_starter(&mut command, libc::SIGKILL).spawn()?;
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let (slot, said) = (Arc::new(Slot::default()), String::new());
        let mut feed = Feed { child, slot, pictures: None, complaints: None, said };
        // From here on a failure drops `feed`, which ends the child.
        let slot = Arc::clone(&feed.slot);
        let read = move || {
            output.map_or_else(|| slot.close(), |output| read_pictures(output, cut, &slot));
        };
        feed.pictures = Some(thread::Builder::new().name("camera-read".into()).spawn(read)?);
        let listen = move || last_line(errors);
        feed.complaints = Some(thread::Builder::new().name("camera-errors".into()).spawn(listen)?);
        Ok(feed)
    }

    /// The newest picture not taken before; waits at most `wait` for one.
    pub(super) fn take(&self, wait: Duration) -> Taken {
        self.slot.take(wait)
    }

    /// Ends the child and gives the last line it complained in, fit for a terminal; empty if it said nothing.
    pub(super) fn end(&mut self) -> &str {
        // Killing a child that is already collected is refused by std, so repeating this is harmless.
        let _ = self.child.kill();
        if self.collected() {
            // The pipes are closed now, so both threads are at their end.
            if let Some(thread) = self.pictures.take() {
                let _ = thread.join();
            }
            if let Some(said) = self.complaints.take().and_then(|thread| thread.join().ok()) {
                self.said = said;
            }
        }
        &self.said
    }

    fn collected(&mut self) -> bool {
        let steps = LONGEST_ENDING.as_millis() / ENDING_STEP.as_millis();
        for _ in 0..steps {
            match self.child.try_wait() {
                Ok(Some(_)) => return true,
                Ok(None) => thread::sleep(ENDING_STEP),
                Err(_) => return false,
            }
        }
        false
    }

    #[cfg(test)]
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.end();
    }
}

/// Place for one picture, newest first.
#[derive(Default)]
struct Slot {
    state: Mutex<SlotState>,
    changed: Condvar,
}

#[derive(Default)]
struct SlotState {
    newest: Option<Read>,
    ended: bool,
}

impl Slot {
    /// A thread that panicked between two assignments leaves nothing half done here, so poison is passed over.
    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, picture: Read) {
        self.lock().newest = Some(picture);
        self.changed.notify_one();
    }

    fn close(&self) {
        self.lock().ended = true;
        self.changed.notify_one();
    }

    fn take(&self, wait: Duration) -> Taken {
        let empty = |state: &mut SlotState| state.newest.is_none() && !state.ended;
        let (mut state, _) =
            self.changed.wait_timeout_while(self.lock(), wait, empty).unwrap_or_else(PoisonError::into_inner);
        match state.newest.take() {
            Some(picture) => Taken::Picture(picture),
            None if state.ended => Taken::Ended,
            None => Taken::Nothing,
        }
    }
}

fn read_pictures(output: ChildStdout, cut: Cut, slot: &Slot) {
    match cut {
        Cut::Length(bytes) => read_raw(output, bytes, slot),
        Cut::Jpeg => read_jpegs(output, slot),
    }
    slot.close();
}

fn read_raw(mut output: impl io::Read, picture_bytes: usize, slot: &Slot) {
    let mut number = 0;
    while let Some((given, data)) = read_picture(&mut output, picture_bytes) {
        slot.put(Read { number, given, data, size: None });
        number += 1;
    }
}

/// A picture was given when its first bytes came; of several that came together all then.
fn read_jpegs(mut output: impl io::Read, slot: &Slot) {
    let (mut splitter, mut chunk) = (Splitter::default(), vec![0; CHUNK_BYTES]);
    let (mut number, mut given) = (0, MonoTime::ZERO);
    while let Ok(bytes @ 1..) = output.read(&mut chunk) {
        let now = clock::now();
        if !splitter.is_begun() {
            given = now;
        }
        splitter.push(&chunk[..bytes]);
        while let Some(Jpeg { data, width, height }) = splitter.take() {
            slot.put(Read { number, given, data: data.into(), size: Some((width, height)) });
            (number, given) = (number + 1, now);
        }
    }
}

/// An error on a pipe means the same as its end: the child is gone. A picture cut short is not given on.
fn read_picture(output: &mut impl io::Read, picture_bytes: usize) -> Option<(MonoTime, Bytes)> {
    let mut picture = vec![0; picture_bytes];
    // Long before the last byte: a large picture passes through a pipe in pieces, as the child is scheduled.
    let first = output.read(&mut picture).ok().filter(|bytes| *bytes > 0)?;
    let given = clock::now();
    output.read_exact(&mut picture[first..]).ok()?;
    Some((given, Bytes::from(picture)))
}

fn last_line(errors: Option<ChildStderr>) -> String {
    let mut lines = LastLine::default();
    let mut chunk = [0; 512];
    if let Some(mut errors) = errors {
        while let Ok(read @ 1..) = errors.read(&mut chunk) {
            lines.push(&chunk[..read]);
        }
    }
    lines.finish()
}

/// Keeps the last line that is not empty, cut to [`LINE_BYTES`].
#[derive(Default)]
struct LastLine {
    complete: Vec<u8>,
    growing: Vec<u8>,
}

impl LastLine {
    fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                b'\n' | b'\r' => self.end_line(),
                _ if self.growing.len() < LINE_BYTES => self.growing.push(byte),
                _ => {}
            }
        }
    }

    fn end_line(&mut self) {
        if !self.growing.trim_ascii().is_empty() {
            std::mem::swap(&mut self.complete, &mut self.growing);
        }
        self.growing.clear();
    }

    fn finish(mut self) -> String {
        self.end_line();
        printable(String::from_utf8_lossy(&self.complete).trim(), LINE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, picture_bytes: usize) -> Feed {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Feed::start(command, Cut::Length(picture_bytes)).unwrap()
    }

    const PATIENT: Duration = Duration::from_secs(20);

    #[test]
    fn a_newer_picture_replaces_one_that_nobody_took() {
        let slot = Slot::default();
        let picture =
            |number, data| Read { number, given: MonoTime::ZERO, data: Bytes::from_static(data), size: None };
        slot.put(picture(0, b"old"));
        slot.put(picture(1, b"new"));
        slot.close();
        assert_eq!(slot.take(Duration::ZERO), Taken::Picture(picture(1, b"new")));
        assert_eq!(slot.take(Duration::ZERO), Taken::Ended);
    }

    #[test]
    fn an_empty_slot_gives_nothing_after_the_wait() {
        assert_eq!(Slot::default().take(Duration::from_millis(1)), Taken::Nothing);
    }

    #[test]
    fn pictures_are_cut_by_length_and_a_short_last_one_is_not_given_on() {
        let feed = shell("printf abcdefgh", 3);
        let Taken::Picture(mut picture) = feed.take(PATIENT) else { panic!("no picture") };
        while let Taken::Picture(newer) = feed.take(PATIENT) {
            picture = newer;
        }
        assert_eq!((picture.number, &picture.data[..]), (1, &b"def"[..]));
    }

    #[test]
    fn a_picture_is_as_old_as_its_first_bytes() {
        struct Slow(Vec<MonoTime>);
        impl io::Read for Slow {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                thread::sleep(Duration::from_millis(2));
                self.0.push(clock::now());
                buffer[0] = b'x';
                Ok(1)
            }
        }
        let mut slow = Slow(Vec::new());
        let (given, data) = read_picture(&mut slow, 3).unwrap();
        assert_eq!(&data[..], b"xxx");
        assert!(given >= slow.0[0] && given < slow.0[1], "{given:?} {:?}", slow.0);
    }

    #[test]
    fn the_childs_last_complaint_is_quoted() {
        let mut feed = shell("echo first >&2; echo 'no such codec' >&2; echo >&2", 3);
        assert_eq!(feed.take(PATIENT), Taken::Ended);
        assert_eq!(feed.end(), "no such codec");
        assert_eq!(feed.end(), "no such codec", "asking twice gives the same");
    }

    #[test]
    fn a_child_that_would_run_on_is_ended_on_drop() {
        let feed = shell("exec sleep 1000", 3);
        let process = std::path::PathBuf::from(format!("/proc/{}", feed.process()));
        assert!(process.exists());
        drop(feed);
        assert!(!process.exists(), "the child runs on, or was not collected");
    }

    #[test]
    fn a_child_does_not_outlive_a_starter_that_ends_without_a_word() {
        let starter = thread::spawn(|| {
            let feed = shell("exec sleep 1000", 3);
            let process = feed.process();
            // As a program that is killed: nothing is dropped.
            std::mem::forget(feed);
            process
        });
        let stat = format!("/proc/{}/stat", starter.join().unwrap());
        // Nobody collects it, so it stays as what is left of it.
        let is_dead = || std::fs::read_to_string(&stat).is_ok_and(|words| words.contains(") Z "));
        let ended = (0..2_000).any(|_| {
            thread::sleep(ENDING_STEP);
            is_dead()
        });
        assert!(ended, "the child runs on");
    }

    #[test]
    fn endless_complaints_take_one_line_of_memory() {
        let mut lines = LastLine::default();
        lines.push(&[b'x'; 5_000]);
        lines.push(b"\r\n  \n");
        assert_eq!(lines.finish().len(), LINE_BYTES);
    }
}
