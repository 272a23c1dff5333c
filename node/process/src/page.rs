//! A page of memory that processes share and that none of them can take from another (NODE-78).
//!
//! System V shared memory. A file in `/dev/shm` can be cut short by whoever can write to it, and who then touches the page is killed by SIGBUS. A
//! sealed memfd cannot, but is reached through `/proc/PID/fd`, which is closed to programs with fewer capabilities than its owner, such as one that
//! has no CAP_SYS_NICE, and to containers with process numbers of their own. This memory has one length for ever, opens to whoever runs as the same
//! user, and, removed as soon as it is attached, is gone when the last process that has it ends, however it ends: Linux lets others attach it
//! until then (shmctl(2), shmat(2)).

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::ProcessError;

const PAGE_BYTES: usize = 4096;
/// Links of reliable subscriptions of a queue of callbacks, at once.
pub(crate) const RECEIPTS: usize = 960;

/// What lies in it. Atomics alone: whatever another process writes is a value.
#[repr(C, align(64))]
pub(crate) struct Words {
    /// Sources that rang, and whether the listener sleeps.
    pub(crate) bell: AtomicU32,
    /// Where nobody ever waits.
    pub(crate) nobody: AtomicU32,
    /// Tells the page from another that has got the same number meanwhile.
    mark: [AtomicU32; 4],
    /// The rest of the bell's cache line: who takes a sample does not take it away from who rings.
    _rest: [AtomicU32; 10],
    /// The number after that of the sample that a reliable subscription took last, for each of its links (NODE-86).
    pub(crate) receipts: [AtomicU32; RECEIPTS],
}

const _: () = assert!(size_of::<Words>() <= PAGE_BYTES);

/// The page, attached.
pub(crate) struct Page {
    at: NonNull<Words>,
}

// SAFETY: all that is reached through it are atomics, and it stays attached as long as the `Page` is there.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

impl Page {
    /// A new page, zeroed but for its mark. The number is the system's.
    pub(crate) fn make(mark: u128) -> Result<(Page, i32), ProcessError> {
        // SAFETY: takes numbers and gives one back.
        let number = unsafe { libc::shmget(libc::IPC_PRIVATE, PAGE_BYTES, libc::IPC_CREAT | 0o600) };
        if number < 0 {
            return Err(refused("a page of System V memory (is kernel.shmmni reached?)"));
        }
        let page = Page::attach(number);
        // SAFETY: removes the number; the memory stays with who has it attached.
        unsafe { libc::shmctl(number, libc::IPC_RMID, std::ptr::null_mut()) };
        let page = page?;
        for (word, part) in page.words().mark.iter().zip(parts(mark)) {
            word.store(part, Ordering::Relaxed);
        }
        Ok((page, number))
    }

    /// The page that another process made. `None`: it is not there any more.
    pub(crate) fn open(number: i32, mark: u128) -> Option<Page> {
        // SAFETY: zero is a valid value of it.
        let mut status: libc::shmid_ds = unsafe { std::mem::zeroed() };
        // SAFETY: `status` is there to be written.
        let found = unsafe { libc::shmctl(number, libc::IPC_STAT, &raw mut status) } >= 0;
        if !found || status.shm_segsz != PAGE_BYTES {
            return None;
        }
        let page = Page::attach(number).ok()?;
        let is_it = page
            .words()
            .mark
            .iter()
            .zip(parts(mark))
            .all(|(word, part)| word.load(Ordering::Relaxed) == part);
        is_it.then_some(page)
    }

    fn attach(number: i32) -> Result<Page, ProcessError> {
        // SAFETY: at an address of the kernel's choice it touches no memory that is there already.
        let at = unsafe { libc::shmat(number, std::ptr::null(), 0) };
        if at as isize == -1 {
            return Err(refused("attaching a page of System V memory"));
        }
        let at = NonNull::new(at.cast()).ok_or_else(|| refused("attaching a page of System V memory"))?;
        Ok(Page { at })
    }

    pub(crate) fn words(&self) -> &Words {
        // SAFETY: attached until drop, page aligned, longer than `Words`, never shorter, and all of it atomics.
        unsafe { self.at.as_ref() }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: attached by `attach`, and no reference outlives `self`.
        unsafe { libc::shmdt(self.at.as_ptr().cast()) };
    }
}

fn refused(what: &'static str) -> ProcessError {
    ProcessError::system(what)(io::Error::last_os_error())
}

fn parts(mark: u128) -> [u32; 4] {
    [mark as u32, (mark >> 32) as u32, (mark >> 64) as u32, (mark >> 96) as u32]
}
