//! The bridge's place in a DDS domain: which domain, which interfaces, which mark. ROS2-30, ROS2-31, ROS2-38, ROS2-39.

use std::ffi::CString;
use std::fmt::Write as _;
use std::ptr;

use cyclors as c;
use tokkyu_link::carrier::realtime::{self, RealTime};

use super::entity::Entity;
use super::error::DdsError;
use super::host_only;
use super::qos::NativeQos;

/// Highest domain whose ports are below 65536 (RTPS 2.3 §9.6.1).
pub const DOMAIN_MAX: u32 = 232;

/// Where the bridge meets ROS 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The domain, 0 to [`DOMAIN_MAX`].
    pub domain: u32,
    /// Names of the interfaces DDS may use.
    pub interfaces: Vec<String>,
    /// Whether nodes of other hosts are neither heard nor told of ours.
    pub host_only: bool,
}

/// A participant, and the domain it is alone in as far as this process goes.
pub struct Participant {
    participant: Entity,
    // After the participant: entities are dropped in the order they stand here.
    _domain: Entity,
}

impl Participant {
    /// Joins the domain, marked with `user_data`. DDS's own threads have `fifo_priority`, where the system grants it.
    ///
    /// # Errors
    /// DDS cannot: an interface that is not there, no free port, the domain joined already by this process, or its sockets
    /// cannot be kept to this host. For that no other thread may open a UDP socket meanwhile.
    pub fn join(place: &Place, user_data: &[u8], fifo_priority: Option<u8>) -> Result<Participant, DdsError> {
        let real_time = RealTime { fifo_priority, lock_memory: false, cores: Vec::new() };
        // Threads inherit the class of the one that makes them. A priority in DDS's configuration would be an order: where
        // it is refused, DDS would not start.
        std::thread::scope(|scope| {
            let joining = scope.spawn(|| {
                realtime::apply(&real_time);
                match place.host_only {
                    true => host_only::keep(|| Participant::join_here(place, user_data)),
                    false => Participant::join_here(place, user_data),
                }
            });
            joining.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn join_here(place: &Place, user_data: &[u8]) -> Result<Participant, DdsError> {
        let config = CString::new(config(place)).expect("names of interfaces have no NUL");
        // SAFETY: a C string that lives until after the call, which copies it.
        let result = unsafe { c::dds_create_domain(place.domain, config.as_ptr()) };
        let domain =
            Entity::created(result, || format!("set up domain {} on {}", place.domain, interfaces(place)))?;
        let qos = NativeQos::empty().with_user_data(user_data);
        // SAFETY: the QoS lives until after the call, which copies it; no listener.
        let result = unsafe { c::dds_create_participant(place.domain, qos.as_ptr(), ptr::null()) };
        let participant =
            Entity::created(result, || format!("join domain {} on {}", place.domain, interfaces(place)))?;
        Ok(Participant { participant, _domain: domain })
    }

    pub(super) fn handle(&self) -> c::dds_entity_t {
        self.participant.handle()
    }
}

fn interfaces(place: &Place) -> String {
    place.interfaces.join(", ")
}

/// Cyclone DDS's configuration. What is not here is as it comes, and CYCLONEDDS_URI has no say: a profile meant for the
/// robot's nodes may name the very wire the link crosses.
fn config(place: &Place) -> String {
    let mut xml = String::from("<CycloneDDS><Domain><General><Interfaces>");
    for name in &place.interfaces {
        // Loopback is flagged as having no multicast, and has it.
        let multicast = if name == "lo" { " multicast=\"true\"" } else { "" };
        let _ = write!(xml, "<NetworkInterface name=\"{}\"{multicast}/>", escaped(name));
    }
    xml += "</Interfaces>";
    if place.host_only {
        xml += "<MulticastTimeToLive>0</MulticastTimeToLive>";
    }
    xml += "<AllowMulticast>true</AllowMulticast></General>";
    // As many nodes as ROS 2 allows on one host are looked for, where multicast is not to be had.
    xml += "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>99</MaxAutoParticipantIndex></Discovery>";
    // A whole picture is in the socket before a thread wakes up.
    xml += "<Internal><SocketReceiveBufferSize min=\"default\" max=\"16MB\"/>";
    // Fast DDS overlooks an endpoint's good-bye that has no key hash: it would never learn that one of ours went.
    xml += "<GenerateKeyhash>true</GenerateKeyhash>";
    if place.host_only {
        // With it DDS passes over what comes by an interface it did not begin with (ROS2-39). Here the filter decides.
        xml += "<ExtendedPacketInfo>false</ExtendedPacketInfo>";
    }
    xml += "</Internal>";
    if place.host_only {
        xml += host_only::TRACING;
    }
    xml += "</Domain></CycloneDDS>";
    xml
}

/// Names of interfaces come from the command line.
fn escaped(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_s_name_cannot_add_to_the_configuration() {
        let place = Place { domain: 0, interfaces: vec!["lo\"/><x".into()], host_only: true };
        let config = config(&place);
        assert!(config.contains("<NetworkInterface name=\"lox\"/>"), "{config}");
        assert!(
            config.contains("<MulticastTimeToLive>0<") && config.contains(host_only::TRACING),
            "{config}"
        );
    }
}
