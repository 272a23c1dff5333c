//! Linux's side: the driver's device (MON-96).

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::num::NonZero;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::AtomicU32;
use std::thread::sleep;
use std::time::Duration;
use std::vec::Vec;

use nix::libc::off_t;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use tokkyu_window::{WindowError, WindowReader, WindowWriter};

use crate::directory::{DirectoryError, Entry, read};
use crate::place::{FROM_LINUX, SHARED_WORDS, WORD_BYTES};
use crate::topic::Direction;

/// Where the driver has it.
pub const DEVICE: &str = "/dev/tokkyu-topics";
/// A file in its place has no bells.
const LOOK: Duration = Duration::from_millis(1);

/// The shared memory and its bells, until this is dropped. A file of the same length may stand in for it, to try programs with.
#[derive(Debug)]
pub struct Device {
    file: File,
    all: Mapped,
    /// Linux's part, to be written.
    own: Mapped,
    has_bells: bool,
}

#[derive(Debug)]
struct Mapped {
    first: NonNull<AtomicU32>,
    words: usize,
}

// SAFETY: words that anybody may read and write at any time.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Mapped {
    fn new(file: &File, from: usize, words: usize, access: ProtFlags) -> io::Result<Mapped> {
        let length = NonZero::new(words * WORD_BYTES).ok_or(io::ErrorKind::InvalidInput)?;
        // SAFETY: a new mapping, at a place of the kernel's choice.
        let first =
            unsafe { mmap(None, length, access, MapFlags::MAP_SHARED, file, (from * WORD_BYTES) as off_t) }?;
        Ok(Mapped { first: first.cast(), words })
    }

    fn words(&self) -> &[AtomicU32] {
        // SAFETY: mapped for as long as this is; what is mapped to be read alone, nobody here writes.
        unsafe { slice::from_raw_parts(self.first.as_ptr(), self.words) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: nobody has its words any more.
        let _ = unsafe { munmap(self.first.cast(), self.words * WORD_BYTES) };
    }
}

impl Device {
    /// Opens it.
    ///
    /// # Errors
    /// It is not there, may not be opened, or has another length.
    pub fn open(path: &Path) -> io::Result<Device> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        let what = file.metadata()?;
        let has_bells = what.file_type().is_char_device();
        if !has_bells && what.len() != (SHARED_WORDS * WORD_BYTES) as u64 {
            let wrong = std::format!("has {} bytes, not {}", what.len(), SHARED_WORDS * WORD_BYTES);
            return Err(io::Error::new(io::ErrorKind::InvalidData, wrong));
        }
        let all = Mapped::new(&file, 0, SHARED_WORDS, ProtFlags::PROT_READ)?;
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        let own = Mapped::new(&file, FROM_LINUX.start, FROM_LINUX.len(), access)?;
        Ok(Device { file, all, own, has_bells })
    }

    /// The RTOS's topics.
    ///
    /// # Errors
    /// [`DirectoryError`]
    pub fn topics(&self) -> Result<Vec<Entry>, DirectoryError> {
        read(self.all.words())
    }

    /// What reads a topic of the RTOS's.
    ///
    /// # Errors
    /// [`WindowError`]: also if the topic is Linux's.
    pub fn reader(&self, topic: &Entry) -> Result<WindowReader<'_>, WindowError> {
        match topic.direction {
            Direction::FromRtos => WindowReader::new(&self.all.words()[topic.words()], topic.form),
            Direction::FromLinux => Err(WindowError::Foreign),
        }
    }

    /// What publishes a topic of Linux's; one at a time in all programs.
    ///
    /// # Errors
    /// [`WindowError`]: also if the topic is the RTOS's.
    pub fn writer(&self, topic: &Entry) -> Result<WindowWriter<'_>, WindowError> {
        let words = topic.words();
        match topic.direction {
            Direction::FromRtos => Err(WindowError::Foreign),
            Direction::FromLinux => {
                let own = words.start - FROM_LINUX.start..words.end - FROM_LINUX.start;
                WindowWriter::new(&self.own.words()[own], topic.form)
            }
        }
    }

    /// The RTOS is to look: after one or more messages.
    ///
    /// # Errors
    /// The driver's.
    pub fn ring(&self) -> io::Result<()> {
        if self.has_bells { (&self.file).write_all(&[1]) } else { Ok(()) }
    }

    /// Until the RTOS has rung since the last time, or so long. Whether it has.
    ///
    /// # Errors
    /// The driver's.
    pub fn wait(&self, most: Duration) -> io::Result<bool> {
        if !self.has_bells {
            sleep(most.min(LOOK));
            return Ok(true);
        }
        let timeout = PollTimeout::try_from(most).unwrap_or(PollTimeout::MAX);
        if poll(&mut [PollFd::new(self.file.as_fd(), PollFlags::POLLIN)], timeout)? == 0 {
            return Ok(false);
        }
        (&self.file).read_exact(&mut [0; WORD_BYTES])?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use tokkyu_window::WindowForm;

    use super::*;
    use crate::topic::Topic;

    /// What the RTOS would do, on the file that stands in for the memory.
    fn rtos(file: &File, topics: &[Topic<'_>]) -> Mapped {
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        let memory = Mapped::new(file, 0, SHARED_WORDS, access).expect("mapped");
        crate::write(memory.words(), topics).expect("they fit");
        memory
    }

    #[test]
    fn messages_go_both_ways() {
        let path = std::env::temp_dir().join(std::format!("tokkyu-topics-{}", std::process::id()));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .expect("a file");
        assert!(Device::open(&path).expect_err("it is empty").to_string().contains("has 0 bytes"));
        file.set_len((SHARED_WORDS * WORD_BYTES) as u64).expect("as long");
        let form = WindowForm::new(4, 64).expect("a form");
        let topic = |name, direction| Topic { name, kind: "a/B", md5: "*", definition: "", direction, form };
        let topics = [topic("/state", Direction::FromRtos), topic("/cmd_vel", Direction::FromLinux)];
        let memory = rtos(&file, &topics);
        let device = Device::open(&path).expect("it is there");
        std::fs::remove_file(&path).expect("it was there");
        let entries = device.topics().expect("a directory");
        let [state, command] = &entries[..] else { panic!("two") };
        assert!(device.writer(state).is_err() && device.reader(command).is_err());
        // The RTOS's window is made when its writer is.
        assert!(device.reader(state).is_err());
        let mut writer = WindowWriter::new(&memory.words()[state.words()], form).expect("a window");
        let mut reader = device.reader(state).expect("a window");
        writer.publish(b"ready").expect("short");
        let mut message = Vec::new();
        reader.take(&mut message).expect("a message");
        assert_eq!(message, b"ready");
        device.writer(command).expect("a window").publish(b"go").expect("short");
        let mut inlet = WindowReader::new(&memory.words()[command.words()], form).expect("a window");
        inlet.go_back();
        inlet.take(&mut message).expect("a message");
        assert_eq!(message, b"go");
        assert!(device.ring().is_ok() && device.wait(LOOK).expect("no driver"));
    }
}
