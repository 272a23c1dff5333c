//! Takes samples as the bytes they came in.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use bytes::Bytes;
use cyclors as c;
use tokkyu_contract::{Qos, WallTime};

use super::entity::Entity;
use super::error::{DdsError, check};
use super::participant::Participant;
use super::qos::{self, NativeQos};
use super::topic::{self, TopicName};
use crate::endpoint::{Representation, Role};

/// A reader of one topic.
pub struct Reader {
    reader: Entity,
    _topic: Entity,
    // After its entities: fields are dropped in the order they stand here.
    _participant: Arc<Participant>,
}

/// A sample that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The CDR bytes with their encapsulation header.
    pub payload: Bytes,
    /// When its writer says it wrote it, by the writer's wall clock.
    pub source: WallTime,
    /// DDS's handle of the writer in this process.
    pub writer: u64,
}

impl Reader {
    /// Begins to read samples of one representation. Topic and type are named as DDS calls them.
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
    ) -> Result<Reader, DdsError> {
        let entity = topic::create(participant, TopicName { topic, type_name })?;
        let native = NativeQos::of(qos, representation, Role::Reader).with_user_data(user_data);
        // SAFETY: live handles, a QoS that is copied, no listener.
        let result = unsafe {
            c::dds_create_reader(participant.handle(), entity.handle(), native.as_ptr(), ptr::null())
        };
        let reader = Entity::created(result, || format!("read {topic}"))?;
        Ok(Reader { reader, _topic: entity, _participant: Arc::clone(participant) })
    }

    /// The next sample, if one waits. What tells of a writer's end, and holds no data, is passed over.
    ///
    /// # Errors
    /// The reader is gone.
    pub fn take(&self) -> Result<Option<Taken>, DdsError> {
        loop {
            let mut data: *mut c::ddsi_serdata = ptr::null_mut();
            let mut info = MaybeUninit::<c::dds_sample_info_t>::uninit();
            // SAFETY: one place in each array, as is said; DDS fills both when it gives 1.
            let count = unsafe {
                c::dds_takecdr(self.reader.handle(), &mut data, 1, info.as_mut_ptr(), c::DDS_ANY_STATE)
            };
            if check(count, || "take a sample".to_owned())? == 0 {
                return Ok(None);
            }
            // SAFETY: filled, as the count says. The reference to the sample is ours and given back here.
            let (info, payload) = unsafe {
                let payload = bytes_of(data);
                c::ddsi_serdata_unref(data);
                (info.assume_init(), payload)
            };
            if info.valid_data {
                let source = WallTime::from_nanos(info.source_timestamp.max(0).unsigned_abs());
                return Ok(Some(Taken { payload, source, writer: info.publication_handle }));
            }
        }
    }

    /// USER_DATA of a matched writer; nothing if it is gone.
    pub fn user_data_of(&self, writer: u64) -> Vec<u8> {
        // SAFETY: takes any handles; what it gives is ours to free, and its QoS lives as long.
        unsafe {
            let endpoint = c::dds_get_matched_publication_data(self.reader.handle(), writer);
            let Some(found) = endpoint.as_ref() else { return Vec::new() };
            let data = qos::user_data(found.qos);
            c::dds_builtintopic_free_endpoint(endpoint);
            data
        }
    }

    pub(super) fn handle(&self) -> c::dds_entity_t {
        self.reader.handle()
    }
}

/// A copy of a sample's bytes: the link holds it longer than DDS should.
///
/// # Safety
/// `data` is a live sample.
unsafe fn bytes_of(data: *mut c::ddsi_serdata) -> Bytes {
    // SAFETY: as the caller promises; the reference taken is given back, and the bytes live as long as it.
    unsafe {
        let size = c::ddsi_serdata_size(data) as usize;
        let mut part = c::ddsrt_iovec_t { iov_base: ptr::null_mut(), iov_len: 0 };
        let held = c::ddsi_serdata_to_ser_ref(data, 0, size, &mut part);
        let bytes = match part.iov_base.is_null() {
            true => Bytes::new(),
            false => {
                Bytes::copy_from_slice(std::slice::from_raw_parts(part.iov_base.cast::<u8>(), part.iov_len))
            }
        };
        c::ddsi_serdata_to_ser_unref(held, &part);
        bytes
    }
}
