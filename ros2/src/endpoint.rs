//! A writer or a reader of some program in this end's DDS domain, as discovery tells of it.

use std::fmt;

use tokkyu_contract::Qos;

/// Name of a DDS entity, one in the world (RTPS 2.3 §8.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid(pub [u8; 16]);

/// Which way samples pass an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It writes.
    Writer,
    /// It reads.
    Reader,
}

/// How the bytes of a sample are laid out (DDS-XTypes 1.3 §7.6.3.1.1): who reads another one than it takes reads
/// something else than was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Representation {
    /// Plain CDR, as ROS 2 writes it: that of an endpoint that names none.
    #[default]
    Xcdr1,
    /// That of newer DDS types, which may be appendable or mutable.
    Xcdr2,
}

impl fmt::Display for Representation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Representation::Xcdr1 => "XCDR1",
            Representation::Xcdr2 => "XCDR2",
        })
    }
}

/// A discovered endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Its own name.
    pub guid: Guid,
    /// Its participant's.
    pub participant: Guid,
    /// Whether it writes or reads.
    pub role: Role,
    /// The topic as DDS calls it.
    pub topic: String,
    /// The type as DDS calls it.
    pub type_name: String,
    /// What it offers or requests. History is not told by discovery: it has ROS 2's default.
    pub qos: Qos,
    /// The one a writer writes, or those a reader takes; without those that no bridge carries.
    pub representations: Vec<Representation>,
    /// Whether its type has key fields.
    pub is_keyed: bool,
    /// What its program put into USER_DATA; newer ROS 2 has the type's hash there.
    pub user_data: Vec<u8>,
}

/// Something changed in the domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// An endpoint is there, or its QoS changed.
    Endpoint(Endpoint),
    /// An endpoint is gone.
    EndpointGone(Role, Guid),
    /// A participant is there, with its USER_DATA.
    Participant(Guid, Vec<u8>),
    /// A participant is gone.
    ParticipantGone(Guid),
}
