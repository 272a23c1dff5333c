//! What the RTOS writes of its topics, and Linux reads (MON-91, MON-92).
//!
//! ```text
//!  "TKD1" │ bytes of what follows │ topics │ one behind the other:
//!  direction │ place, bytes │ slots │ bytes of a slot │ name │ type │ md5sum │ definition         each a length and its bytes, to whole words
//! ```

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Relaxed, Release};

use crate::place::{DIRECTORY, PlaceError, SHARED_WORDS, WORD_BYTES, place};
use crate::topic::{Direction, Topic};

const MAGIC: u32 = u32::from_le_bytes(*b"TKD1");
/// Magic and length.
const HEADER_WORDS: usize = 2;

/// One word after the other.
struct Pen<'m> {
    words: core::slice::Iter<'m, AtomicU32>,
}

impl Pen<'_> {
    fn word(&mut self, value: u32) -> Result<(), PlaceError> {
        let word = self.words.next().ok_or(PlaceError::Directory(DIRECTORY.len() * WORD_BYTES))?;
        word.store(value, Relaxed);
        Ok(())
    }

    fn string(&mut self, string: &str) -> Result<(), PlaceError> {
        self.word(u32::try_from(string.len()).unwrap_or(u32::MAX))?;
        for bytes in string.as_bytes().chunks(WORD_BYTES) {
            let mut four = [0; WORD_BYTES];
            four[..bytes.len()].copy_from_slice(bytes);
            self.word(u32::from_le_bytes(four))?;
        }
        Ok(())
    }
}

/// Writes the directory of the topics, once, before anything is published. `shared` is all of the shared memory.
///
/// # Errors
/// [`PlaceError`]: they do not fit.
pub fn write(shared: &[AtomicU32], topics: &[Topic<'_>]) -> Result<(), PlaceError> {
    let places = place(topics)?;
    if shared.len() != SHARED_WORDS {
        return Err(PlaceError::Memory);
    }
    let all = &shared[DIRECTORY];
    all[0].store(0, Relaxed);
    let mut pen = Pen { words: all[HEADER_WORDS..].iter() };
    pen.word(topics.len() as u32)?;
    for (number, topic) in topics.iter().enumerate() {
        pen.word(u32::from(topic.direction == Direction::FromLinux))?;
        for value in
            [places.of(number) * WORD_BYTES, topic.form.slots() as usize, topic.form.slot_bytes() as usize]
        {
            pen.word(value as u32)?;
        }
        [topic.name, topic.kind, topic.md5, topic.definition]
            .into_iter()
            .try_for_each(|text| pen.string(text))?;
    }
    let used = all.len() - HEADER_WORDS - pen.words.len();
    all[1].store((used * WORD_BYTES) as u32, Relaxed);
    all[0].store(MAGIC, Release);
    Ok(())
}

#[cfg(any(test, feature = "linux"))]
pub use reading::{DirectoryError, Entry, read};

#[cfg(any(test, feature = "linux"))]
mod reading {
    use alloc::string::String;
    use alloc::vec::Vec;
    use core::fmt;
    use core::ops::Range;
    use core::sync::atomic::AtomicU32;
    use core::sync::atomic::Ordering::{Acquire, Relaxed};

    use tokkyu_window::{WindowError, WindowForm};

    use super::{HEADER_WORDS, MAGIC};
    use crate::place::{DIRECTORY, SHARED_WORDS, TOPICS_MAX, WORD_BYTES, part};
    use crate::topic::{Direction, Topic};

    /// A topic, as a directory has it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Entry {
        /// See [`Topic`].
        pub name: String,
        /// See [`Topic`].
        pub kind: String,
        /// See [`Topic`].
        pub md5: String,
        /// See [`Topic`].
        pub definition: String,
        /// See [`Topic`].
        pub direction: Direction,
        /// See [`Topic`].
        pub form: WindowForm,
        /// Where its window is, in words of the shared memory.
        pub at: usize,
    }

    impl Entry {
        /// The words of its window.
        pub fn words(&self) -> Range<usize> {
            self.at..self.at + self.form.words()
        }

        /// The same, as an image says it.
        pub fn topic(&self) -> Topic<'_> {
            let Entry { name, kind, md5, definition, direction, form, .. } = self;
            Topic { name, kind, md5, definition, direction: *direction, form: *form }
        }
    }

    /// Why there is no directory.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum DirectoryError {
        /// The memory is not the shared memory, all of it.
        Memory,
        /// The RTOS has written none.
        Absent,
        /// It is cut off, or longer than it may be.
        Length,
        /// More topics than this.
        TooMany(usize),
        /// The topic of this number, from 0: its window is not within its part, or over another.
        Place(usize),
        /// Its window is none.
        Form(usize, WindowError),
        /// Its direction is none.
        Direction(usize),
        /// A text is no UTF-8, or its name is none of ROS.
        Text(usize),
    }

    impl fmt::Display for DirectoryError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                DirectoryError::Memory => {
                    f.write_str("the shared memory is of another length: another monitor's")
                }
                DirectoryError::Absent => {
                    f.write_str("the RTOS has no topics: its image declares none, or has not begun")
                }
                DirectoryError::Length => f.write_str("the RTOS's directory of topics is cut off"),
                DirectoryError::TooMany(most) => {
                    write!(f, "the RTOS's directory has more than {most} topics")
                }
                DirectoryError::Place(number) => {
                    write!(f, "topic {number} of the RTOS's directory lies where it may not")
                }
                DirectoryError::Form(number, why) => {
                    write!(f, "topic {number} of the RTOS's directory: {why}")
                }
                DirectoryError::Direction(number) => {
                    write!(f, "topic {number} of the RTOS's directory has no direction")
                }
                DirectoryError::Text(number) => {
                    write!(f, "topic {number} of the RTOS's directory has no name of ROS, or no UTF-8")
                }
            }
        }
    }

    impl core::error::Error for DirectoryError {}

    /// One word after the other, of a copy: nobody changes it meanwhile.
    struct Words<'w>(&'w [u32]);

    impl Words<'_> {
        fn word(&mut self) -> Result<u32, DirectoryError> {
            let (first, rest) = self.0.split_first().ok_or(DirectoryError::Length)?;
            self.0 = rest;
            Ok(*first)
        }

        fn string(&mut self, number: usize) -> Result<String, DirectoryError> {
            let bytes = self.word()? as usize;
            let (words, rest) =
                self.0.split_at_checked(bytes.div_ceil(WORD_BYTES)).ok_or(DirectoryError::Length)?;
            self.0 = rest;
            let mut string: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            string.truncate(bytes);
            String::from_utf8(string).map_err(|_| DirectoryError::Text(number))
        }

        fn entry(&mut self, number: usize) -> Result<Entry, DirectoryError> {
            let direction = match self.word()? {
                0 => Direction::FromRtos,
                1 => Direction::FromLinux,
                _ => return Err(DirectoryError::Direction(number)),
            };
            let at = self.word()? as usize;
            let form = WindowForm::new(self.word()?, self.word()?)
                .map_err(|why| DirectoryError::Form(number, why))?;
            let part = part(direction);
            let is_inside = at.is_multiple_of(WORD_BYTES)
                && part.start <= at / WORD_BYTES
                && at / WORD_BYTES <= part.end
                && form.words() <= part.end - at / WORD_BYTES;
            if !is_inside {
                return Err(DirectoryError::Place(number));
            }
            let mut string = || self.string(number);
            let (name, kind, md5, definition) = (string()?, string()?, string()?, string()?);
            if !is_name(&name) {
                return Err(DirectoryError::Text(number));
            }
            Ok(Entry { name, kind, md5, definition, direction, form, at: at / WORD_BYTES })
        }
    }

    /// A global name of ROS 1's.
    fn is_name(name: &str) -> bool {
        let is_part = |part: &str| {
            part.starts_with(|first: char| first.is_ascii_alphabetic())
                && part.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        name.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_part))
    }

    /// The topics that the RTOS has. `shared` is all of the shared memory.
    ///
    /// # Errors
    /// [`DirectoryError`]
    pub fn read(shared: &[AtomicU32]) -> Result<Vec<Entry>, DirectoryError> {
        if shared.len() != SHARED_WORDS {
            return Err(DirectoryError::Memory);
        }
        let all = &shared[DIRECTORY];
        if all[0].load(Acquire) != MAGIC {
            return Err(DirectoryError::Absent);
        }
        let used = all[1].load(Relaxed) as usize / WORD_BYTES;
        let all = all[HEADER_WORDS..].get(..used).ok_or(DirectoryError::Length)?;
        let copy: Vec<u32> = all.iter().map(|word| word.load(Relaxed)).collect();
        let mut words = Words(&copy);
        let count = words.word()? as usize;
        if count > TOPICS_MAX {
            return Err(DirectoryError::TooMany(TOPICS_MAX));
        }
        let mut entries: Vec<Entry> = Vec::new();
        for number in 0..count {
            let entry = words.entry(number)?;
            let is_over = |other: &Entry| entry.at < other.words().end && other.at < entry.words().end;
            if entries.iter().any(is_over) {
                return Err(DirectoryError::Place(number));
            }
            entries.push(entry);
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use std::string::{String, ToString};
    use std::vec::Vec;

    use proptest::prelude::*;
    use tokkyu_window::WindowForm;

    use super::*;

    fn shared() -> Vec<AtomicU32> {
        (0..SHARED_WORDS).map(|_| AtomicU32::new(0)).collect()
    }

    fn topic(name: &str, direction: Direction, form: WindowForm) -> Topic<'_> {
        Topic {
            name,
            kind: "std_msgs/String",
            md5: "992ce8a1687cec8c8bd883ec73ca41d1",
            definition: "string data\n",
            direction,
            form,
        }
    }

    const FORM: Result<WindowForm, tokkyu_window::WindowError> = WindowForm::new(4, 100);

    #[test]
    fn what_is_written_is_read() {
        let (memory, form) = (shared(), FORM.expect("a form"));
        let big = WindowForm::new(4, 256 << 10).expect("a form");
        let topics = [
            topic("/state", Direction::FromRtos, form),
            topic("/a/b_2", Direction::FromLinux, big),
            topic("/cmd_vel", Direction::FromLinux, form),
        ];
        assert_eq!(read(&memory), Err(DirectoryError::Absent));
        write(&memory, &topics).expect("they fit");
        let read = read(&memory).expect("a directory");
        assert_eq!(read.iter().map(Entry::topic).collect::<Vec<_>>(), topics);
        let places = place(&topics).expect("they fit");
        assert!(read.iter().enumerate().all(|(number, entry)| entry.at == places.of(number)));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let memory = shared();
        let big = WindowForm::new(8, 256 << 10).expect("a form");
        let error = write(&memory, &[topic("/big", Direction::FromLinux, big)]).expect_err("too long");
        assert_eq!(
            error.to_string(),
            "the topics from Linux need more than the 2097152 bytes for them: fewer or shorter slots"
        );
        let text = "x".repeat(40_000);
        let long = Topic { definition: &text, ..topic("/a", Direction::FromRtos, FORM.expect("a form")) };
        assert_eq!(write(&memory, &[long]), Err(PlaceError::Directory(0x8000)));
        assert_eq!(read(&memory), Err(DirectoryError::Absent));
        assert_eq!(write(&memory[1..], &[]), Err(PlaceError::Memory));
        let name = |name: &'static str| topic(name, Direction::FromRtos, FORM.expect("a form"));
        for wrong in ["cmd_vel", "/", "/a//b", "/1", "/a b", ""] {
            write(&memory, &[name(wrong)]).expect("it fits");
            assert_eq!(read(&memory), Err(DirectoryError::Text(0)), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_it_says_windows_lie_where_they_may(
            mut changes in prop::collection::vec((0..60_usize, prop_oneof![any::<u32>(), 0..200_u32, Just(0x20_0000), Just(0x1_8000)]), 0..4),
        ) {
            let (memory, form) = (shared(), FORM.expect("a form"));
            let topics = [topic("/state", Direction::FromRtos, form), topic("/cmd_vel", Direction::FromLinux, form)];
            write(&memory, &topics).expect("they fit");
            for (at, value) in changes.drain(..) {
                memory[DIRECTORY.start + at].store(value, Relaxed);
            }
            if let Ok(entries) = read(&memory) {
                for (number, entry) in entries.iter().enumerate() {
                    let part = crate::place::part(entry.direction);
                    prop_assert!(part.start <= entry.words().start && entry.words().end <= part.end);
                    let is_apart = |other: &Entry| other.words().end <= entry.at || entry.words().end <= other.at;
                    prop_assert!(entries[number + 1..].iter().all(is_apart));
                    let _: (&String, &String) = (&entry.name, &entry.kind);
                }
            }
        }
    }
}
