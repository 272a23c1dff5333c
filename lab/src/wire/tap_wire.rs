//! [`Wire`]: both namespaces, both devices and the relay between them.
use core::fmt;
use std::net::Ipv4Addr;
use std::process::{Child, Command};
use std::thread::JoinHandle;

use tokkyu_contract::time::MonoTime;
use tokkyu_link::sim::path::Profile;

use super::error::WireError;
use super::interface::{Address, Mac, bring_up, loopback_up};
use super::namespace::Namespace;
use super::relay::{self, RelayHandle};
use super::report::WireReport;
use super::tap::{Tap, dropped_by_device};

/// An end of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// Where the images come from.
    Vehicle,
    /// Where the commands come from.
    Operator,
}

/// What of a wire is not its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireSettings {
    /// `SCHED_FIFO` priority of the relay, 1 to 99, or `None` for an ordinary thread. It should be above the programs
    /// under test, or a busy program delays its own network.
    pub relay_priority: Option<u8>,
}

impl Default for WireSettings {
    /// Priority 45: above the link's threads (40, class `control`).
    fn default() -> Self {
        WireSettings { relay_priority: Some(45) }
    }
}

/// A network of two hosts, put up by [`Wire::new`] and taken down when dropped.
///
/// Schedules of the profile (outages, rate changes, traces) count from [`Wire::start`].
pub struct Wire {
    profile: String,
    seed: u64,
    // Dropped in this order: first the relay with the devices, then the namespaces with the programs in them.
    relay: RelayHandle,
    vehicle: Namespace,
    operator: Namespace,
}

impl End {
    /// This end's address on the wire.
    pub const fn address(self) -> Ipv4Addr {
        match self {
            End::Vehicle => Ipv4Addr::new(10, 77, 0, 1),
            End::Operator => Ipv4Addr::new(10, 77, 0, 2),
        }
    }

    /// The other end.
    pub const fn peer(self) -> End {
        match self {
            End::Vehicle => End::Operator,
            End::Operator => End::Vehicle,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            End::Vehicle => "vehicle",
            End::Operator => "operator",
        }
    }

    /// A locally administered address that repeats the IP address.
    const fn mac(self) -> Mac {
        let [a, b, c, d] = self.address().octets();
        [0x02, 0x00, a, b, c, d]
    }

    const fn endpoints(self) -> Address {
        Address {
            own: self.address(),
            own_mac: self.mac(),
            peer: self.peer().address(),
            peer_mac: self.peer().mac(),
        }
    }
}

impl Wire {
    /// Puts the network up, with the usual settings.
    ///
    /// # Errors
    /// As [`Wire::with_settings`].
    pub fn new(profile: &Profile, seed: u64) -> Result<Wire, WireError> {
        Wire::with_settings(profile, seed, WireSettings::default())
    }

    /// Puts the network up: the same `profile` and `seed` lose the same packets again.
    ///
    /// # Errors
    /// [`WireError::NotPermitted`] where namespaces or TAP devices are; a profile out of range; whatever step the
    /// system refuses. A relay without real-time priority is no error but shows in the report.
    pub fn with_settings(profile: &Profile, seed: u64, settings: WireSettings) -> Result<Wire, WireError> {
        profile.check()?;
        let (vehicle, vehicle_tap) = end(End::Vehicle)?;
        let (operator, operator_tap) = end(End::Operator)?;
        let relay = relay::start([vehicle_tap, operator_tap], profile, seed, settings.relay_priority)?;
        Ok(Wire { profile: profile.to_string(), seed, relay, vehicle, operator })
    }

    /// When the network began, the zero of all schedules.
    pub fn start(&self) -> MonoTime {
        self.relay.start()
    }

    /// Starts a program at one end. It is killed with the wire; who started it still has to wait for it. Programs
    /// that it starts in turn must be ended by it: the kernel passes the wish to die on to children only. Scheduling
    /// and priority are those of the thread that put the wire up.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn spawn(&self, end: End, command: Command) -> Result<Child, WireError> {
        self.namespace(end).spawn(command)
    }

    /// Runs `job` on a new thread at one end and waits for its result. Sockets opened there stay there, wherever they
    /// are used afterwards.
    ///
    /// # Errors
    /// The thread cannot be started, or `job` panicked.
    pub fn run_in<T: Send + 'static>(
        &self,
        end: End,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WireError> {
        self.start_in(end, job)?.join().map_err(|_| WireError::ThreadGone { thread: "guest" })
    }

    /// Starts `job` on a new thread at one end. The thread is the caller's to end: it outlives the wire otherwise.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start_in<T: Send + 'static>(
        &self,
        end: End,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<JoinHandle<T>, WireError> {
        self.namespace(end).start(job)
    }

    /// What the wire has done so far.
    ///
    /// # Errors
    /// A thread of the wire has died, or the devices' counters cannot be read.
    pub fn counters(&self) -> Result<WireReport, WireError> {
        let device_dropped = self.device_dropped()?;
        Ok(WireReport { device_dropped, ..self.relay.report()? })
    }

    /// Takes the network down and says what it has done.
    ///
    /// # Errors
    /// As [`Wire::counters`]. The network is down all the same.
    pub fn stop(self) -> Result<WireReport, WireError> {
        // The devices vanish with the relay: their counters are read before.
        let device_dropped = self.device_dropped()?;
        Ok(WireReport { device_dropped, ..self.relay.stop()? })
    }

    fn device_dropped(&self) -> Result<u64, WireError> {
        Ok(self.vehicle.run(dropped_by_device)?? + self.operator.run(dropped_by_device)??)
    }

    fn namespace(&self, end: End) -> &Namespace {
        match end {
            End::Vehicle => &self.vehicle,
            End::Operator => &self.operator,
        }
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "namespaces joined by TAP devices, seed {}, {}", self.seed, self.profile)
    }
}

fn end(end: End) -> Result<(Namespace, Tap), WireError> {
    let namespace = Namespace::new(end.name())?;
    let tap = namespace.run(move || {
        loopback_up()?;
        let tap = Tap::open()?;
        bring_up(super::tap::DEVICE, end.endpoints())?;
        Ok::<Tap, WireError>(tap)
    })??;
    Ok((namespace, tap))
}
