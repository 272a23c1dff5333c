//! Waits for samples of several readers at once.

use std::sync::Arc;
use std::time::Duration;

use cyclors as c;

use super::entity::Entity;
use super::error::{DdsError, check};
use super::participant::Participant;
use super::reader::Reader;

/// Readers that woke up in one call at most; others wake the next.
const BATCH: usize = 64;

/// What a reader is known by when it wakes its waiter.
pub type Token = u32;

/// Some readers, and a bell that another thread can ring.
pub struct WaitSet {
    set: Entity,
    bell: Entity,
    // After its entities: fields are dropped in the order they stand here.
    _participant: Arc<Participant>,
}

impl WaitSet {
    /// Nothing to wait for yet, but the bell.
    ///
    /// # Errors
    /// DDS is out of resources.
    pub fn new(participant: &Arc<Participant>) -> Result<WaitSet, DdsError> {
        // SAFETY: a live participant.
        let (set, bell) = unsafe {
            (c::dds_create_waitset(participant.handle()), c::dds_create_guardcondition(participant.handle()))
        };
        let set = Entity::created(set, || "create a wait set".to_owned())?;
        let bell = Entity::created(bell, || "create a guard condition".to_owned())?;
        // SAFETY: both handles are live.
        check(unsafe { c::dds_waitset_attach(set.handle(), bell.handle(), -1) }, || {
            "attach a bell".to_owned()
        })?;
        Ok(WaitSet { set, bell, _participant: Arc::clone(participant) })
    }

    /// Waits for `reader` too. A reader that is dropped is not waited for any more.
    ///
    /// # Errors
    /// DDS is out of resources.
    pub fn attach(&self, reader: &Reader, token: Token) -> Result<(), DdsError> {
        let mask = 1 << c::dds_status_id_DDS_DATA_AVAILABLE_STATUS_ID;
        // SAFETY: both handles are live.
        unsafe {
            check(c::dds_set_status_mask(reader.handle(), mask), || "wait for a reader".to_owned())?;
            let result = c::dds_waitset_attach(self.set.handle(), reader.handle(), token as isize);
            check(result, || "wait for a reader".to_owned())?;
        }
        Ok(())
    }

    /// Wakes the waiter; the next wait if nobody waits.
    pub fn ring(&self) {
        // SAFETY: a live guard condition.
        unsafe { c::dds_set_guardcondition(self.bell.handle(), true) };
    }

    /// Waits until a reader has samples, the bell rings, or `at_most` is over; gives the readers' tokens.
    ///
    /// # Errors
    /// The participant is gone.
    pub fn wait(&self, at_most: Duration) -> Result<Vec<Token>, DdsError> {
        let mut woken = [0; BATCH];
        let nanoseconds = i64::try_from(at_most.as_nanos()).unwrap_or(i64::MAX);
        // SAFETY: a live wait set, and as many places as is said.
        let count = unsafe { c::dds_waitset_wait(self.set.handle(), woken.as_mut_ptr(), BATCH, nanoseconds) };
        let count = check(count, || "wait for samples".to_owned())? as usize;
        let mut was_rung = false;
        // SAFETY: a live guard condition and a flag of ours.
        unsafe { c::dds_take_guardcondition(self.bell.handle(), &mut was_rung) };
        Ok(woken.iter().take(count.min(BATCH)).filter_map(|token| Token::try_from(*token).ok()).collect())
    }
}
