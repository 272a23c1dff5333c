//! Whether there is memory behind a slot (NODE-74).
//!
//! Shared memory is made long and empty: a page is taken when it is first written, and if `/dev/shm` is full then, the writer is killed by SIGBUS.
//! So pages are taken here, before a slot is given out, where the system says no.

use std::collections::HashMap;
use std::mem::MaybeUninit;

use rustix::fs::statvfs;
use rustix::io::Errno;
use rustix::mm::{Advice, madvise};

use crate::ProcessError;

/// Where all shared memory lies.
const SHARED: &str = "/dev/shm";

/// Which slots have memory behind them, up to which length.
pub(crate) struct Backed {
    bytes_at: HashMap<usize, usize>,
    page: usize,
}

impl Backed {
    /// For so many slots.
    pub(crate) fn new(slots: usize) -> Backed {
        Backed { bytes_at: HashMap::with_capacity(slots), page: rustix::param::page_size() }
    }

    /// The slots are others from now on.
    pub(crate) fn clear(&mut self) {
        self.bytes_at.clear();
    }

    /// Takes memory for all of `bytes`, once for each slot.
    pub(crate) fn back(&mut self, bytes: &mut [MaybeUninit<u8>]) -> Result<(), ProcessError> {
        let (start, len) = (bytes.as_ptr() as usize, bytes.len());
        let backed = self.bytes_at.entry(start).or_insert(0);
        if *backed >= len {
            return Ok(());
        }
        let first = start & !(self.page - 1);
        let span = start + len - first;
        // SAFETY: the pages are mapped, those of `bytes`, and keep what is written there.
        let populated = unsafe { madvise(first as *mut _, span, Advice::LinuxPopulateWrite) };
        match populated {
            Ok(()) => {}
            // Before Linux 5.14: nobody else must take it meanwhile.
            Err(Errno::INVAL) => is_left(len)?,
            Err(_) => return Err(ProcessError::Room { bytes: len }),
        }
        *backed = len;
        Ok(())
    }
}

/// Whether `/dev/shm` has room for `bytes`.
pub(crate) fn is_left(bytes: usize) -> Result<(), ProcessError> {
    let found = statvfs(SHARED).map_err(|error| ProcessError::system("/dev/shm")(error.into()))?;
    // A file system without a limit says that it has no blocks at all.
    let is_enough = found.f_blocks == 0 || found.f_bavail.saturating_mul(found.f_frsize) >= bytes as u64;
    if is_enough { Ok(()) } else { Err(ProcessError::Room { bytes }) }
}
