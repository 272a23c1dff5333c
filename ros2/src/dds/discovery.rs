//! What is in the domain: participants, writers and readers, as DDS's built-in topics tell (DDS 1.4 §2.2.5).
//!
//! Runs in the caller's thread and never waits: it takes what has changed since it was asked last.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use cyclors as c;

use super::entity::Entity;
use super::error::{DdsError, check};
use super::participant::Participant;
use super::qos;
use crate::endpoint::{Change, Endpoint, Guid, Role};

/// Changes that are taken with one call.
const BATCH: usize = 64;
/// Longest name of a topic or type that is looked at.
const NAME_MAX_BYTES: usize = 512;

/// Readers of the built-in topics.
pub struct Discovery {
    participants: Entity,
    writers: Entity,
    readers: Entity,
    // After its entities: fields are dropped in the order they stand here.
    _participant: Arc<Participant>,
}

impl Discovery {
    /// Begins with all that is in the domain already.
    ///
    /// # Errors
    /// DDS is out of resources.
    pub fn new(participant: &Arc<Participant>) -> Result<Discovery, DdsError> {
        let reader = |topic| {
            // SAFETY: a live participant and a built-in topic's pseudo handle; null takes the defaults.
            let result =
                unsafe { c::dds_create_reader(participant.handle(), topic, ptr::null(), ptr::null()) };
            Entity::created(result, || "read its built-in topics".to_owned())
        };
        Ok(Discovery {
            participants: reader(c::DDS_BUILTIN_TOPIC_DCPSPARTICIPANT)?,
            writers: reader(c::DDS_BUILTIN_TOPIC_DCPSPUBLICATION)?,
            readers: reader(c::DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION)?,
            _participant: Arc::clone(participant),
        })
    }

    /// What has changed: participants first, so that a marked one is known before its endpoints.
    ///
    /// # Errors
    /// DDS refuses to tell.
    pub fn changes(&self) -> Result<Vec<Change>, DdsError> {
        let mut changes = Vec::new();
        take(&self.participants, |sample, is_alive| changes.extend(participant(sample, is_alive)))?;
        take(&self.writers, |sample, is_alive| changes.extend(endpoint(sample, is_alive, Role::Writer)))?;
        take(&self.readers, |sample, is_alive| changes.extend(endpoint(sample, is_alive, Role::Reader)))?;
        Ok(changes)
    }
}

/// Gives every waiting sample to `each`, with whether what it tells of is there.
fn take(reader: &Entity, mut each: impl FnMut(*const c_void, bool)) -> Result<(), DdsError> {
    loop {
        let mut samples = [ptr::null_mut(); BATCH];
        let mut infos = [const { MaybeUninit::<c::dds_sample_info_t>::uninit() }; BATCH];
        // SAFETY: both arrays have BATCH places; null pointers ask DDS for a loan, which is given back below.
        let count = unsafe {
            let infos = infos.as_mut_ptr().cast();
            let count = c::dds_take(reader.handle(), samples.as_mut_ptr(), infos, BATCH, BATCH as u32);
            check(count, || "tell what is in the domain".to_owned())?
        };
        for (sample, info) in samples.iter().zip(&infos).take(count as usize) {
            // SAFETY: DDS has filled the first `count` infos.
            let state = unsafe { info.assume_init_ref() }.instance_state;
            each(*sample, state == c::dds_instance_state_DDS_IST_ALIVE);
        }
        if count > 0 {
            // SAFETY: the loan taken above.
            unsafe { c::dds_return_loan(reader.handle(), samples.as_mut_ptr(), count) };
        }
        if (count as usize) < BATCH {
            return Ok(());
        }
    }
}

fn participant(sample: *const c_void, is_alive: bool) -> Option<Change> {
    // SAFETY: a sample of DCPSParticipant, lent until after this call. Of a gone one only the key is set.
    let sample = unsafe { sample.cast::<c::dds_builtintopic_participant_t>().as_ref() }?;
    let guid = Guid(sample.key.v);
    match is_alive {
        // SAFETY: the QoS lives as long as the sample.
        true => Some(Change::Participant(guid, unsafe { qos::user_data(sample.qos) })),
        false => Some(Change::ParticipantGone(guid)),
    }
}

fn endpoint(sample: *const c_void, is_alive: bool, role: Role) -> Option<Change> {
    // SAFETY: a sample of DCPSPublication or DCPSSubscription, lent until after this call.
    let sample = unsafe { sample.cast::<c::dds_builtintopic_endpoint_t>().as_ref() }?;
    let guid = Guid(sample.key.v);
    if !is_alive {
        return Some(Change::EndpointGone(role, guid));
    }
    // SAFETY: strings and QoS live as long as the sample.
    unsafe {
        Some(Change::Endpoint(Endpoint {
            guid,
            participant: Guid(sample.participant_key.v),
            role,
            topic: text(sample.topic_name)?,
            type_name: text(sample.type_name)?,
            qos: qos::read(sample.qos, role),
            representations: qos::representations(sample.qos, role),
            is_keyed: is_keyed(guid),
            user_data: qos::user_data(sample.qos),
        }))
    }
}

/// The kind of a user's entity says whether its topic has keys (RTPS 2.3, table 9.1).
fn is_keyed(guid: Guid) -> bool {
    const WRITER_WITH_KEY: u8 = 0x02;
    const READER_WITH_KEY: u8 = 0x07;
    matches!(guid.0[15], WRITER_WITH_KEY | READER_WITH_KEY)
}

/// # Safety
/// `text` is null or a C string that lives until after the call.
unsafe fn text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text) }.to_str().ok()?;
    (text.len() <= NAME_MAX_BYTES).then(|| text.to_owned())
}
