//! Puts together what is told (MON-71).

use tokkyu_monitor_placement::{COUNTED, PROCESSORS_MAX, Telling, Window};

use crate::btf::{Btf, BtfError};
use crate::core_file::{CoreFile, Segment};
use crate::symbols::Symbols;

/// Why nothing can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// [`BtfError`].
    #[error(transparent)]
    Btf(#[from] BtfError),
    /// Of an address it is not known where in memory it is.
    #[error("the kernel does not tell where in memory its {0} is")]
    Nowhere(&'static str),
    /// Of an address it cannot be read what is there.
    #[error("the kernel's memory cannot be read at its {0}")]
    NotRead(&'static str),
    /// More than there is room for.
    #[error("there are {0} processors, and room for {PROCESSORS_MAX}")]
    Processors(usize),
}

/// What the kernel says of itself.
pub struct Kernel<'a> {
    /// Addresses.
    pub symbols: &'a Symbols,
    /// Places.
    pub btf: &'a Btf<'a>,
    /// Memory.
    pub core_file: &'a CoreFile,
    /// Reads eight bytes there in the core file.
    pub read: &'a dyn Fn(u64) -> Option<u64>,
}

impl Kernel<'_> {
    fn word(&self, address: u64, what: &'static str) -> Result<u64, FindError> {
        let offset = self.core_file.offset(address, 8);
        offset.and_then(|offset| (self.read)(offset)).ok_or(FindError::NotRead(what))
    }

    /// The kernel's image.
    fn image(&self) -> Option<Window> {
        let image = self.core_file.segments().iter().find(|segment| segment.holds(self.symbols.text, 1))?;
        Some(Window { address: image.address, bytes: image.bytes, physical: image.physical? })
    }

    /// Memory, from the first of it to the last, of which some may not be there: all of it is equally far from its address.
    fn linear(&self, image: &Window) -> Option<Window> {
        let parts = || {
            let known = |segment: &&Segment| segment.address != image.address && segment.physical.is_some();
            self.core_file.segments().iter().filter(known)
        };
        let first = parts().min_by_key(|segment| segment.address)?;
        let far = |segment: &Segment| segment.address.wrapping_sub(segment.physical.unwrap_or(0));
        if parts().any(|segment| far(segment) != far(first)) {
            return None;
        }
        let end = parts().filter_map(|segment| segment.address.checked_add(segment.bytes)).max()?;
        Some(Window {
            address: first.address,
            bytes: end.checked_sub(first.address)?,
            physical: first.physical?,
        })
    }
}

/// Finds it, of so many processors.
///
/// # Errors
/// [`FindError`].
pub fn find(kernel: &Kernel<'_>, processors: usize) -> Result<Telling, FindError> {
    if processors > PROCESSORS_MAX {
        return Err(FindError::Processors(processors));
    }
    let image = kernel.image().ok_or(FindError::Nowhere("image"))?;
    let linear = kernel.linear(&image).ok_or(FindError::Nowhere("memory"))?;
    let symbols = kernel.symbols;
    let mut telling = Telling {
        flags: if symbols.is_counted { COUNTED } else { 0 },
        count_at: kernel.btf.place("task_struct", &["thread_info", "preempt_count"])?,
        windows: [image, linear],
        ..Telling::default()
    };
    for processor in 0..processors {
        let own = kernel.word(symbols.offsets.wrapping_add(8 * processor as u64), "processors")?;
        let [running, idle] = [symbols.running, symbols.idle].map(|at| at.wrapping_add(own));
        let physical = linear.find(running, 8).or_else(|| image.find(running, 8));
        telling.running_at[processor] = physical.ok_or(FindError::Nowhere("running task"))?;
        telling.idle[processor] = kernel.word(idle, "idle task")?;
    }
    Ok(telling)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::btf::tests::kernel_types;
    use crate::core_file::Segment;

    const IMAGE: Segment = Segment {
        address: 0xffff_8000_8000_0000,
        bytes: 0x20_0000,
        physical: Some(0x4020_0000),
        offset: 0x1000,
    };
    const FIRST: Segment = Segment {
        address: 0xffff_0000_0000_0000,
        bytes: 0x10_0000,
        physical: Some(0x4000_0000),
        offset: 0x30_0000,
    };
    /// Behind a hole.
    const SECOND: Segment = Segment {
        address: 0xffff_0000_0020_0000,
        bytes: 0x10_0000,
        physical: Some(0x4020_0000),
        offset: 0x40_0000,
    };
    const VIRTUAL: Segment =
        Segment { address: 0xffff_8000_9000_0000, bytes: 0x1000, physical: None, offset: 0x50_0000 };

    fn symbols() -> Symbols {
        Symbols {
            text: IMAGE.address + 0x1_0000,
            running: IMAGE.address + 0x100,
            idle: IMAGE.address + 0x108,
            offsets: IMAGE.address + 0x2000,
            is_counted: true,
            is_real_time: false,
        }
    }

    /// With a second processor whose own memory begins in the second segment.
    fn told(segments: Vec<Segment>, processors: usize) -> Result<Telling, FindError> {
        let own = SECOND.address.wrapping_sub(IMAGE.address);
        let words: HashMap<u64, u64> = [
            (IMAGE.offset + 0x2000, 0),
            (IMAGE.offset + 0x2008, own),
            (IMAGE.offset + 0x108, 0xffff_8000_8001_0000),
            (SECOND.offset + 0x108, 0xffff_0000_0000_4000),
        ]
        .into();
        let types = kernel_types();
        let (symbols, core_file) = (symbols(), CoreFile::of(segments));
        let btf = Btf::read(&types).unwrap();
        let read = |offset: u64| words.get(&offset).copied();
        find(&Kernel { symbols: &symbols, btf: &btf, core_file: &core_file, read: &read }, processors)
    }

    #[test]
    fn each_processors_words_are_found_in_memory() {
        let telling = told(vec![VIRTUAL, FIRST, IMAGE, SECOND], 2).unwrap();
        assert_eq!((telling.flags, telling.count_at), (COUNTED, 16));
        assert_eq!(telling.running_at[..3], [0x4020_0100, 0x4020_0100, 0]);
        assert_eq!(telling.idle[..3], [0xffff_8000_8001_0000, 0xffff_0000_0000_4000, 0]);
        let linear = Window { address: FIRST.address, bytes: 0x30_0000, physical: 0x4000_0000 };
        assert_eq!(telling.windows[1], linear);
        assert_eq!(telling.windows[0].physical, 0x4020_0000);
    }

    #[test]
    fn what_is_not_known_is_named() {
        assert_eq!(told(vec![FIRST, SECOND], 1), Err(FindError::Nowhere("image")));
        assert_eq!(told(vec![IMAGE, VIRTUAL], 1), Err(FindError::Nowhere("memory")));
        let elsewhere = Segment { physical: Some(0x8000_0000), ..SECOND };
        assert_eq!(told(vec![IMAGE, FIRST, elsewhere], 1), Err(FindError::Nowhere("memory")));
        assert_eq!(told(vec![IMAGE, FIRST], 2), Err(FindError::Nowhere("running task")));
        assert_eq!(told(vec![IMAGE, FIRST, SECOND], 3), Err(FindError::NotRead("processors")));
        assert_eq!(told(vec![IMAGE, FIRST], 9), Err(FindError::Processors(9)));
    }
}
