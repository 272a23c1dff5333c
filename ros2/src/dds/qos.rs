//! QoS in ROS 2's words and in DDS's, one to one: ROS2-7, ROS2-11.

use std::ffi::c_void;
use std::ptr;
use std::time::Duration;

use cyclors as c;
use tokkyu_contract::qos::Liveliness;
use tokkyu_contract::{Durability, History, Qos, Reliability};

use crate::endpoint::{Representation, Role};

/// Endless, as DDS writes it.
const ENDLESS_NS: i64 = i64::MAX;
/// No limit, as DDS writes it.
const UNLIMITED: i32 = -1;
/// Samples that wait in a keep_all reader at most: then its writers wait, as DDS has it.
const KEEP_ALL_SAMPLES: i32 = 1024;
/// How long a reliable writer may wait for room: what rmw implementations leave at DDS's default.
const MAX_BLOCKING_NS: i64 = 100_000_000;
/// Most USER_DATA that is read of a foreign endpoint.
const USER_DATA_MAX_BYTES: usize = 1024;

/// A QoS object of Cyclone DDS.
pub(super) struct NativeQos(*mut c::dds_qos_t);

impl NativeQos {
    pub(super) fn empty() -> NativeQos {
        // SAFETY: no arguments; allocates, and aborts the process when there is no memory.
        NativeQos(unsafe { c::dds_create_qos() })
    }

    /// The QoS of an endpoint of ours, for samples of one representation. Only a writer has a lifespan.
    pub(super) fn of(qos: &Qos, representation: Representation, role: Role) -> NativeQos {
        let native = NativeQos::empty();
        let (history, depth) = match qos.history {
            History::KeepLast { depth } => (c::dds_history_kind_DDS_HISTORY_KEEP_LAST, depth.max(1)),
            History::KeepAll => (c::dds_history_kind_DDS_HISTORY_KEEP_ALL, 1),
        };
        let depth = i32::try_from(depth).unwrap_or(i32::MAX);
        let reliability = kind(qos.reliability);
        let durability = match qos.durability {
            Durability::Volatile => c::dds_durability_kind_DDS_DURABILITY_VOLATILE,
            Durability::TransientLocal => c::dds_durability_kind_DDS_DURABILITY_TRANSIENT_LOCAL,
        };
        let liveliness = match qos.liveliness {
            Liveliness::Automatic => c::dds_liveliness_kind_DDS_LIVELINESS_AUTOMATIC,
            Liveliness::ManualByTopic => c::dds_liveliness_kind_DDS_LIVELINESS_MANUAL_BY_TOPIC,
        };
        let q = native.0;
        // SAFETY: `q` is a live QoS object; the functions copy plain numbers into it.
        unsafe {
            // Left to DDS, a reader would take both, and a writer say XCDR1 whatever it writes.
            c::dds_qset_data_representation(q, 1, &number(representation));
            c::dds_qset_history(q, history, depth);
            c::dds_qset_reliability(q, reliability, MAX_BLOCKING_NS);
            c::dds_qset_durability(q, durability);
            c::dds_qset_deadline(q, nanoseconds(qos.deadline));
            c::dds_qset_liveliness(q, liveliness, nanoseconds(qos.liveliness_lease));
            if role == Role::Reader && qos.history == History::KeepAll {
                c::dds_qset_resource_limits(q, KEEP_ALL_SAMPLES, UNLIMITED, UNLIMITED);
            }
            if role == Role::Writer {
                c::dds_qset_lifespan(q, nanoseconds(qos.lifespan));
                // A late reader gets as many as any reader would have waiting.
                c::dds_qset_durability_service(q, 0, history, depth, UNLIMITED, UNLIMITED, UNLIMITED);
            }
            // What this participant writes is none of what it reads.
            c::dds_qset_ignorelocal(q, c::dds_ignorelocal_kind_DDS_IGNORELOCAL_PARTICIPANT);
        }
        native
    }

    /// The same for a writer that gives a sample up at once where there is no room for it.
    pub(super) fn without_waiting(self, reliability: Reliability) -> NativeQos {
        // SAFETY: the object is live; the function copies plain numbers into it.
        unsafe { c::dds_qset_reliability(self.0, kind(reliability), 0) };
        self
    }

    pub(super) fn with_user_data(self, data: &[u8]) -> NativeQos {
        // SAFETY: the object is live, and the bytes are copied.
        unsafe { c::dds_qset_userdata(self.0, data.as_ptr().cast(), data.len()) };
        self
    }

    pub(super) fn as_ptr(&self) -> *const c::dds_qos_t {
        self.0
    }
}

fn kind(reliability: Reliability) -> c::dds_reliability_kind_t {
    match reliability {
        Reliability::Reliable => c::dds_reliability_kind_DDS_RELIABILITY_RELIABLE,
        Reliability::BestEffort => c::dds_reliability_kind_DDS_RELIABILITY_BEST_EFFORT,
    }
}

impl Drop for NativeQos {
    fn drop(&mut self) {
        // SAFETY: made by dds_create_qos, deleted once.
        unsafe { c::dds_delete_qos(self.0) };
    }
}

/// What discovery tells of a foreign endpoint of `role`.
///
/// # Safety
/// `qos` is null or points to a live QoS object.
pub(super) unsafe fn read(qos: *const c::dds_qos_t, role: Role) -> Qos {
    let usual = Qos::default();
    // SAFETY: as the caller promises; each function leaves its outputs alone when the policy is not there.
    unsafe {
        Qos {
            reliability: reliability(qos, role),
            durability: durability(qos),
            history: usual.history,
            deadline: span(qos, c::dds_qget_deadline),
            lifespan: span(qos, c::dds_qget_lifespan),
            liveliness: liveliness(qos, role).0,
            liveliness_lease: liveliness(qos, role).1,
        }
    }
}

/// What is not told has DDS's default, which differs by role.
unsafe fn reliability(qos: *const c::dds_qos_t, role: Role) -> Reliability {
    let (mut kind, mut blocking) = (0, 0);
    // SAFETY: the object is live, the outputs are ours.
    let told = unsafe { c::dds_qget_reliability(qos, &mut kind, &mut blocking) };
    match told {
        true if kind == c::dds_reliability_kind_DDS_RELIABILITY_RELIABLE => Reliability::Reliable,
        false if role == Role::Writer => Reliability::Reliable,
        _ => Reliability::BestEffort,
    }
}

/// Transient and persistent are more than transient local, and count as it.
unsafe fn durability(qos: *const c::dds_qos_t) -> Durability {
    let mut kind = c::dds_durability_kind_DDS_DURABILITY_VOLATILE;
    // SAFETY: the object is live, the output is ours.
    unsafe { c::dds_qget_durability(qos, &mut kind) };
    match kind {
        c::dds_durability_kind_DDS_DURABILITY_VOLATILE => Durability::Volatile,
        _ => Durability::TransientLocal,
    }
}

/// Manual by participant lies between the two kinds ROS 2 has: of a writer it is no more than automatic, of a reader no
/// less than manual by topic.
unsafe fn liveliness(qos: *const c::dds_qos_t, role: Role) -> (Liveliness, Option<Duration>) {
    let (mut kind, mut lease) = (c::dds_liveliness_kind_DDS_LIVELINESS_AUTOMATIC, ENDLESS_NS);
    // SAFETY: the object is live, the outputs are ours.
    unsafe { c::dds_qget_liveliness(qos, &mut kind, &mut lease) };
    let is_manual = match kind {
        c::dds_liveliness_kind_DDS_LIVELINESS_AUTOMATIC => false,
        c::dds_liveliness_kind_DDS_LIVELINESS_MANUAL_BY_TOPIC => true,
        _ => role == Role::Reader,
    };
    (if is_manual { Liveliness::ManualByTopic } else { Liveliness::Automatic }, finite(lease))
}

/// DDS's number of a representation (DDS-XTypes 1.3 §7.6.3.1.1).
fn number(representation: Representation) -> c::dds_data_representation_id_t {
    match representation {
        Representation::Xcdr1 => 0,
        Representation::Xcdr2 => 2,
    }
}

/// What a writer writes, which is the first it names, or all that a reader takes; who names none means XCDR1
/// (DDS-XTypes 1.3 §7.6.3.1.1).
///
/// # Safety
/// `qos` is null or points to a live QoS object.
pub(super) unsafe fn representations(qos: *const c::dds_qos_t, role: Role) -> Vec<Representation> {
    let (mut count, mut ids) = (0, ptr::null_mut());
    // SAFETY: as the caller promises; the function gives a copy that is ours to free, or nothing.
    unsafe {
        if !c::dds_qget_data_representation(qos, &mut count, &mut ids) || ids.is_null() {
            return vec![Representation::default()];
        }
        let named = std::slice::from_raw_parts(ids, count as usize);
        let counts = if role == Role::Writer { &named[..named.len().min(1)] } else { named };
        let known = [Representation::Xcdr1, Representation::Xcdr2].into_iter();
        let known = known.filter(|one| counts.contains(&number(*one))).collect();
        c::dds_free(ids.cast());
        known
    }
}

type SpanOf = unsafe extern "C" fn(*const c::dds_qos_t, *mut i64) -> bool;

unsafe fn span(qos: *const c::dds_qos_t, of: SpanOf) -> Option<Duration> {
    let mut nanoseconds = ENDLESS_NS;
    // SAFETY: the object is live, the output is ours.
    unsafe { of(qos, &mut nanoseconds) };
    finite(nanoseconds)
}

/// A span of nothing is what no endpoint can keep; some implementations write it for "none".
fn finite(nanoseconds: i64) -> Option<Duration> {
    (nanoseconds != ENDLESS_NS && nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds.unsigned_abs()))
}

fn nanoseconds(span: Option<Duration>) -> i64 {
    span.map_or(ENDLESS_NS, |span| i64::try_from(span.as_nanos()).unwrap_or(ENDLESS_NS))
}

/// USER_DATA of a foreign entity; nothing if it is longer than anybody needs.
///
/// # Safety
/// `qos` is null or points to a live QoS object.
pub(super) unsafe fn user_data(qos: *const c::dds_qos_t) -> Vec<u8> {
    let (mut data, mut size) = (ptr::null_mut::<c_void>(), 0);
    // SAFETY: as the caller promises; the function gives a copy that is ours to free, or nothing.
    unsafe {
        if !c::dds_qget_userdata(qos, &mut data, &mut size) || data.is_null() {
            return Vec::new();
        }
        let bytes = match size <= USER_DATA_MAX_BYTES {
            true => std::slice::from_raw_parts(data.cast::<u8>(), size).to_vec(),
            false => Vec::new(),
        };
        c::dds_free(data);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_qos_is_read_back_from_dds_as_it_was_written_but_for_the_history() {
        let second = Some(Duration::from_secs(1));
        let full = Qos {
            reliability: Reliability::BestEffort,
            history: History::KeepAll,
            durability: Durability::TransientLocal,
            deadline: second,
            lifespan: Some(Duration::from_millis(500)),
            liveliness: Liveliness::ManualByTopic,
            liveliness_lease: second,
        };
        for qos in [Qos::default(), full] {
            let native =
                NativeQos::of(&qos, Representation::Xcdr1, Role::Writer).with_user_data(b"typehash=x;");
            // SAFETY: the object lives until the end of the block.
            let (read, data) = unsafe { (read(native.as_ptr(), Role::Writer), user_data(native.as_ptr())) };
            assert_eq!(read, Qos { history: Qos::default().history, ..qos });
            assert_eq!(data, b"typehash=x;");
        }
    }

    #[test]
    fn what_discovery_does_not_tell_has_dds_s_defaults() {
        let native = NativeQos::empty();
        // SAFETY: the object lives until the end of the test.
        let of = |role| unsafe { read(native.as_ptr(), role) };
        assert_eq!(of(Role::Writer), Qos::default());
        // SAFETY: the same.
        let layouts =
            [Role::Writer, Role::Reader].map(|role| unsafe { representations(native.as_ptr(), role) });
        assert_eq!(layouts, [[Representation::Xcdr1], [Representation::Xcdr1]]);
        assert_eq!(of(Role::Reader), Qos { reliability: Reliability::BestEffort, ..Qos::default() });
    }

    fn named(ids: &[i16], role: Role) -> Vec<Representation> {
        let native = NativeQos::empty();
        // SAFETY: the object lives until the end of the function; the numbers are copied into it.
        unsafe {
            c::dds_qset_data_representation(native.0, ids.len() as u32, ids.as_ptr());
            representations(native.as_ptr(), role)
        }
    }

    /// DDS-XTypes 1.3 §7.6.3.1.1: XCDR1 is 0, XML 1, XCDR2 2.
    #[test]
    fn a_writer_writes_the_first_representation_it_names_and_a_reader_takes_each_of_them() {
        use Representation::{Xcdr1, Xcdr2};
        assert_eq!(named(&[2, 0], Role::Writer), [Xcdr2]);
        assert_eq!(named(&[2, 0], Role::Reader), [Xcdr1, Xcdr2]);
        assert_eq!(named(&[1, 0], Role::Writer), [], "XML, which no bridge carries");
        assert_eq!(named(&[1, 2, 9], Role::Reader), [Xcdr2]);
    }

    #[test]
    fn an_endpoint_of_ours_names_the_representation_of_its_samples_alone() {
        for representation in [Representation::Xcdr1, Representation::Xcdr2] {
            for role in [Role::Writer, Role::Reader] {
                let native = NativeQos::of(&Qos::default(), representation, role);
                // SAFETY: the object lives until the end of the block.
                assert_eq!(unsafe { representations(native.as_ptr(), role) }, [representation]);
            }
        }
    }
}
