//! The memory that Linux shares with the RTOS (MON-60), as a program of root's sees it.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::num::NonZero;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU64, fence};
use std::time::{SystemTime, UNIX_EPOCH};

use nix::sys::mman::{MapFlags, ProtFlags, mmap};
use tokkyu_monitor_placement::{TELLING_AT, Telling};

/// Where the device tree has it.
const RESERVED: &str = "/proc/device-tree/reserved-memory";
const DEVICE: &str = "/dev/mem";

/// It, mapped until the program ends.
pub(crate) struct Shared {
    first: NonNull<AtomicU64>,
    bytes: u64,
}

/// Address and bytes, from a node's `reg` of two cells each.
fn place() -> Result<(u64, u64), Box<dyn Error>> {
    let absent = || format!("{RESERVED} has no tokkyu@...: this Linux has no RTOS beside it");
    let nodes = fs::read_dir(RESERVED).map_err(|_| absent())?;
    let is_ours = |node: &fs::DirEntry| node.file_name().to_string_lossy().starts_with("tokkyu@");
    let node = nodes.filter_map(Result::ok).find(is_ours).ok_or_else(absent)?;
    let path = node.path().join("reg");
    let reg = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (Some(address), Some(bytes)) = (reg.first_chunk(), reg.last_chunk().filter(|_| reg.len() == 16))
    else {
        return Err(format!("{} has {} bytes, not 16", path.display(), reg.len()).into());
    };
    Ok((u64::from_be_bytes(*address), u64::from_be_bytes(*bytes)))
}

impl Shared {
    pub(crate) fn open() -> Result<Shared, Box<dyn Error>> {
        let (address, bytes) = place()?;
        let told = |error: &dyn std::fmt::Display| {
            format!("{DEVICE}: {error}: the kernel needs CONFIG_DEVMEM, and root")
        };
        let file: File =
            OpenOptions::new().read(true).write(true).open(DEVICE).map_err(|error| told(&error))?;
        let length = NonZero::new(usize::try_from(bytes)?).ok_or("the shared memory has no bytes")?;
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        let offset = nix::libc::off_t::try_from(address)?;
        // SAFETY: a new mapping of memory that the kernel has set aside for this.
        let first = unsafe { mmap(None, length, access, MapFlags::MAP_SHARED, &file, offset) }
            .map_err(|error| told(&error))?;
        Ok(Shared { first: first.cast(), bytes })
    }

    pub(crate) fn write(&self, at: u64, value: u64) {
        assert!(at.is_multiple_of(8) && at + 8 <= self.bytes, "the shared memory is of {} bytes", self.bytes);
        // SAFETY: in the mapping, as has been looked at. The RTOS reads it meanwhile, word by word too.
        unsafe { self.first.add(at as usize / 8).as_ref() }.store(value, SeqCst);
        // It may be no memory for the processor, but a device's: each word is there before the next.
        fence(SeqCst);
    }

    pub(crate) fn tell(&self, telling: &Telling) {
        // Another each time, and not 0.
        let number =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64) | 1;
        telling.write(number, |at, value| self.write(at, value));
    }

    pub(crate) fn forget(&self) {
        self.write(TELLING_AT, 0);
    }
}
