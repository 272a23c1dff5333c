//! Where each window lies (MON-90, MON-91): from its side's first byte on, one behind the other.

use core::fmt;
use core::ops::Range;

use tokkyu_monitor_core::{SHARED_BYTES, TOLD_BYTES};

use crate::topic::{Direction, Topic};

/// Words of 32 bits of the shared memory (MON-60).
pub const SHARED_WORDS: usize = SHARED_BYTES as usize / WORD_BYTES;
pub(crate) const WORD_BYTES: usize = 4;
/// Topics at most.
pub(crate) const TOPICS_MAX: usize = 64;
/// In words: the directory, the windows of each side.
pub(crate) const DIRECTORY: Range<usize> = TOLD_WORDS..TOLD_WORDS + 0x8000 / WORD_BYTES;
const TOLD_WORDS: usize = TOLD_BYTES as usize / WORD_BYTES;
pub(crate) const FROM_RTOS: Range<usize> = DIRECTORY.end..0x20_0000 / WORD_BYTES;
pub(crate) const FROM_LINUX: Range<usize> = FROM_RTOS.end..SHARED_WORDS;

/// The topics of an image find no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceError {
    /// The windows of one direction are longer than its part: so many bytes are there.
    Windows(Direction, usize),
    /// Names, types and texts are longer than the directory.
    Directory(usize),
    /// More than this.
    TooMany(usize),
    /// The memory is not the shared memory, all of it.
    Memory,
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::Windows(direction, bytes) => {
                let whose = if *direction == Direction::FromRtos { "the RTOS" } else { "Linux" };
                write!(
                    f,
                    "the topics from {whose} need more than the {bytes} bytes for them: fewer or shorter slots"
                )
            }
            PlaceError::Directory(bytes) => {
                write!(
                    f,
                    "names, types and definitions need more than {bytes} bytes: leave definitions empty"
                )
            }
            PlaceError::TooMany(most) => write!(f, "there are more than {most} topics"),
            PlaceError::Memory => f.write_str("there is no Linux beside this image, or another monitor"),
        }
    }
}

impl core::error::Error for PlaceError {}

/// Of a direction.
pub(crate) fn part(direction: Direction) -> Range<usize> {
    match direction {
        Direction::FromRtos => FROM_RTOS,
        Direction::FromLinux => FROM_LINUX,
    }
}

/// Where windows lie, in words of the shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    at: [usize; TOPICS_MAX],
}

impl Places {
    /// Of the topic of this number, of those that were placed.
    pub fn of(&self, number: usize) -> usize {
        self.at[number]
    }
}

/// Places all topics of an image.
///
/// # Errors
/// [`PlaceError`]: a window would not be in its part.
pub fn place(topics: &[Topic<'_>]) -> Result<Places, PlaceError> {
    if topics.len() > TOPICS_MAX {
        return Err(PlaceError::TooMany(TOPICS_MAX));
    }
    let (mut from_rtos, mut from_linux) = (FROM_RTOS.start, FROM_LINUX.start);
    let mut at = [0; TOPICS_MAX];
    for (place, topic) in at.iter_mut().zip(topics) {
        let next = match topic.direction {
            Direction::FromRtos => &mut from_rtos,
            Direction::FromLinux => &mut from_linux,
        };
        let part = part(topic.direction);
        *place = *next;
        *next += topic.form.words();
        if *next > part.end {
            return Err(PlaceError::Windows(topic.direction, part.len() * WORD_BYTES));
        }
    }
    Ok(Places { at })
}
