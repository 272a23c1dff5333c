//! Writes samples that are bytes, with a source timestamp of our choice.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use cyclors as c;
use tokkyu_contract::{Qos, WallTime};

use super::entity::Entity;
use super::error::{DdsError, check};
use super::participant::Participant;
use super::qos::NativeQos;
use super::topic::{self, TopicName};
use crate::endpoint::{Representation, Role};

/// A writer of one topic.
pub struct Writer {
    writer: Entity,
    _topic: Entity,
    // After its entities: fields are dropped in the order they stand here.
    _participant: Arc<Participant>,
    topic_name: String,
    representation: Representation,
}

/// A sample was not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The bytes are no CDR sample.
    #[error("the sample is no CDR: {0}")]
    NoCdr(&'static str),
    /// The bytes are laid out otherwise than the writer offers: its readers would read something else.
    #[error(
        "a sample is {written}, while its writer offers {offered}: it is kept from the readers here, which could not \
         decode it; let the writer write what it offers (its data representation QoS)"
    )]
    OtherRepresentation {
        /// What the bytes are.
        written: Representation,
        /// What readers were promised.
        offered: Representation,
    },
    /// A reader was too slow for too long.
    #[error("a reader takes no more samples")]
    Full,
    /// DDS refuses.
    #[error(transparent)]
    Dds(#[from] DdsError),
}

impl Writer {
    /// Begins to offer samples of one representation. Topic and type are named as DDS calls them.
    ///
    /// # Errors
    /// DDS refuses the topic or the QoS.
    pub fn new(
        participant: &Arc<Participant>,
        topic: &str,
        type_name: &str,
        qos: &Qos,
        representation: Representation,
        user_data: &[u8],
    ) -> Result<Writer, DdsError> {
        let native = NativeQos::of(qos, representation, Role::Writer).with_user_data(user_data);
        Writer::create(participant, TopicName { topic, type_name }, &native, representation)
    }

    /// The same without USER_DATA, and with no wait for slow readers: [`WriteError::Full`] at once.
    ///
    /// # Errors
    /// DDS refuses the topic or the QoS.
    pub fn that_never_waits(
        participant: &Arc<Participant>,
        topic: &str,
        type_name: &str,
        qos: &Qos,
        representation: Representation,
    ) -> Result<Writer, DdsError> {
        let native = NativeQos::of(qos, representation, Role::Writer).without_waiting(qos.reliability);
        Writer::create(participant, TopicName { topic, type_name }, &native, representation)
    }

    fn create(
        participant: &Arc<Participant>,
        name: TopicName<'_>,
        native: &NativeQos,
        representation: Representation,
    ) -> Result<Writer, DdsError> {
        let topic = name.topic;
        let entity = topic::create(participant, name)?;
        // SAFETY: live handles, a QoS that is copied, no listener.
        let result = unsafe {
            c::dds_create_writer(participant.handle(), entity.handle(), native.as_ptr(), ptr::null())
        };
        let writer = Entity::created(result, || format!("write {topic}"))?;
        let _participant = Arc::clone(participant);
        Ok(Writer { writer, _topic: entity, _participant, topic_name: topic.to_owned(), representation })
    }

    /// Readers that it has matched, now and ever; `None` where DDS does not say.
    pub fn readers(&self) -> Option<(u64, u64)> {
        let mut status = MaybeUninit::<c::dds_publication_matched_status>::zeroed();
        // SAFETY: a live handle and a place of ours, for which zeros are a value.
        let status = unsafe {
            let result = c::dds_get_publication_matched_status(self.writer.handle(), status.as_mut_ptr());
            (result == 0).then(|| status.assume_init())
        };
        status.map(|status| (u64::from(status.current_count), u64::from(status.total_count)))
    }

    /// Writes a sample that counts as written at `source`. Waits for a slow reliable reader of a keep_all topic for at
    /// most 100 ms.
    ///
    /// # Errors
    /// The bytes are no CDR sample or one of another representation, a reader is too slow, or DDS refuses.
    pub fn write(&self, payload: &[u8], source: WallTime) -> Result<(), WriteError> {
        check_cdr(payload, self.representation)?;
        // SAFETY: the handle is live; the bytes are copied; the sample's one reference goes to dds_forwardcdr.
        let result = unsafe {
            let data = self.sample(payload)?;
            (*data).timestamp.v = i64::try_from(source.as_nanos()).unwrap_or(i64::MAX);
            (*data).statusinfo = 0;
            c::dds_forwardcdr(self.writer.handle(), data)
        };
        match result {
            c::DDS_RETCODE_TIMEOUT => Err(WriteError::Full),
            _ => Ok(check(result, || format!("write {}", self.topic_name)).map(drop)?),
        }
    }

    /// A sample of `payload` and zeros up to a multiple of 4: DDS sends that many bytes of it, whatever its size, and must
    /// not read behind the end of what the sample has (RTPS 2.3 §9.4.1).
    unsafe fn sample(&self, payload: &[u8]) -> Result<*mut c::ddsi_serdata, DdsError> {
        const ZEROS: [u8; 3] = [0; 3];
        let padding = payload.len().next_multiple_of(4) - payload.len();
        let part = |bytes: &[u8], len| c::ddsrt_iovec_t {
            iov_base: bytes.as_ptr().cast_mut().cast::<c_void>(),
            iov_len: len,
        };
        let parts = [part(payload, payload.len()), part(&ZEROS, padding)];
        // SAFETY: a live writer has a type; the parts live until after the call, which copies and does not write to them.
        unsafe {
            let mut sertype = ptr::null();
            check(c::dds_get_entity_sertype(self.writer.handle(), &mut sertype), || {
                "find a writer's type".to_owned()
            })?;
            let kind = c::ddsi_serdata_kind_SDK_DATA;
            Ok(c::ddsi_serdata_from_ser_iov(sertype, kind, 2, parts.as_ptr(), payload.len() + padding))
        }
    }
}

/// What a reader could not decode is not written: ROS2-7.
fn check_cdr(payload: &[u8], offered: Representation) -> Result<(), WriteError> {
    match representation_of(payload)? {
        written if written == offered => Ok(()),
        written => Err(WriteError::OtherRepresentation { written, offered }),
    }
}

/// The first two bytes name the encoding, plain, delimited or as a list of parameters (DDS-XTypes 1.3, table 60).
fn representation_of(payload: &[u8]) -> Result<Representation, WriteError> {
    match payload {
        [0, 0..=3, _, _, ..] => Ok(Representation::Xcdr1),
        [0, 6..=11, _, _, ..] => Ok(Representation::Xcdr2),
        [_, _, _, _, ..] => Err(WriteError::NoCdr("its encapsulation is none that DDS knows")),
        _ => Err(WriteError::NoCdr("it is shorter than its header of 4 bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Representation::{Xcdr1, Xcdr2};

    #[test]
    fn bytes_that_are_no_cdr_are_not_written() {
        for payload in [&[][..], &[0, 1, 0], &[0, 4, 0, 0], &[0, 5, 0, 0], &[0, 12, 0, 0], &[1, 1, 0, 0, 0]] {
            for offered in [Xcdr1, Xcdr2] {
                let refused = check_cdr(payload, offered);
                assert!(matches!(refused, Err(WriteError::NoCdr(_))), "{payload:?}");
            }
        }
    }

    #[test]
    fn samples_of_another_representation_than_a_writer_offers_are_not_written() {
        for (encodings, written, other) in [(0..=3, Xcdr1, Xcdr2), (6..=11, Xcdr2, Xcdr1)] {
            for encoding in encodings {
                let payload = [0, encoding, 0, 2, 1, 2];
                assert_eq!(check_cdr(&payload, written), Ok(()), "{encoding}");
                let refused = WriteError::OtherRepresentation { written, offered: other };
                assert_eq!(check_cdr(&payload, other), Err(refused), "{encoding}");
            }
        }
    }
}
