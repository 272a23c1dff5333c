//! A topic whose samples are bytes: ROS2-3.

use std::ffi::CString;

use cyclors as c;

use super::entity::Entity;
use super::error::DdsError;
use super::participant::Participant;

/// Names of a topic and its type as DDS calls them.
#[derive(Clone, Copy, Debug)]
pub(super) struct TopicName<'n> {
    pub(super) topic: &'n str,
    pub(super) type_name: &'n str,
}

/// A topic without keys.
pub(super) fn create(participant: &Participant, name: TopicName<'_>) -> Result<Entity, DdsError> {
    let what = || format!("create topic {} of type {}", name.topic, name.type_name);
    let refused = |_| DdsError { what: what(), why: "there is a NUL in the name".to_owned(), code: 0 };
    let topic = CString::new(name.topic).map_err(refused)?;
    let type_name = CString::new(name.type_name).map_err(refused)?;
    // SAFETY: two C strings that live until after the call, which copies them and does not write to them.
    let result = unsafe {
        let (topic, type_name) = (topic.as_ptr().cast_mut(), type_name.as_ptr().cast_mut());
        c::cdds_create_blob_topic(participant.handle(), topic, type_name, true)
    };
    Entity::created(result, what)
}
