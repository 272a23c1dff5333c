//! `tokkyu fleet open`: calls a vehicle and runs the operator's program for it (FLT-20 to FLT-26).
//!
//! ```text
//!   main thread: operator's program, listening ──where──▶ caller's thread: calls, waits for the session
//!        ▲                                                      │ refused, or nobody came
//!        └────────────────────── told to end ◀──────────────────┘
//! ```
//!
//! Once the session is up the caller's thread has ended, and nothing depends on the fleet's network any more.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::is_label;
use tokkyu_drive::operator::{self, OperatorOptions, OperatorStatus, OperatorSummary};
use tokkyu_drive::program::{Display, Happening, LinkState, Ready, StopFlag};
use tokkyu_link::carrier::PublicKey;
use zenoh::Wait;
use zenoh::query::QueryTarget;

use crate::engagement::PATIENCE;
use crate::error::FleetError;
use crate::protocol::call::{Answer, Call, Refusal, can_be_dialled};
use crate::protocol::keys::{Kind, Vehicle};
use crate::protocol::state::{Doing, State};
use crate::watch::Watch;

/// Longest wait for the answer to a call.
const ANSWER: Duration = Duration::from_secs(5);
/// How often the caller looks whether the program still runs.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What `tokkyu fleet open` is told.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The vehicle's name.
    pub robot: String,
    /// Our name in the fleet.
    pub name: String,
    /// Where the vehicle reaches us; where the link listens when `None`.
    pub address: Option<SocketAddr>,
    /// The operator's program.
    pub operator: OperatorOptions,
}

/// Calls the vehicle and drives it to the end of the run.
///
/// # Errors
/// It is unknown, busy, does not trust us or is not trusted, or does not come; we are told to stop before there is a
/// program to end; and whatever ends the operator's program.
pub fn run(
    mut options: OpenOptions,
    display: &mut dyn Display<OperatorStatus>,
    stop: &StopFlag,
) -> Result<OperatorSummary, FleetError> {
    if !is_label(&options.name) {
        return Err(FleetError::Name { name: options.name });
    }
    let key = options.operator.end.own_key()?;
    check_address(&options)?;
    let watch = Watch::open(&options.operator.end.site.fleet)?;
    watch.ask()?;
    if stop.is_set() {
        return Err(FleetError::Interrupted);
    }
    let (vehicle, state) = find(&watch, &options.robot)?;
    // The network only claims which key the vehicle has: the trust list has the last word, and then no other key will do.
    options.operator.end.link.only = state.public_key();
    options.operator.end.peers()?;
    let (says, heard) = channel();
    let caller = Caller { watch, vehicle, key, name: options.name, address: options.address };
    let for_caller = stop.clone();
    let caller = thread::Builder::new()
        .name("caller".to_owned())
        .spawn(move || caller.bring(&heard, &for_caller))
        .map_err(FleetError::Thread)?;
    let mut ear = Ear { inner: display, says, is_up: false };
    let result = operator::run_with(options.operator, &mut ear, stop);
    // Its queue is closed: the caller ends if it has not yet.
    drop(ear);
    match caller.join() {
        Ok(Err(failure)) => Err(failure),
        _ => Ok(result?),
    }
}

/// An address that only this machine can dial is of no use where the router is elsewhere.
fn check_address(options: &OpenOptions) -> Result<(), FleetError> {
    let site = &options.operator.end.site;
    let listen = options.operator.listen.unwrap_or(site.link.listen);
    let is_far = !site.fleet.routers.iter().all(|router| router.is_loopback());
    let told = options.address.unwrap_or(listen);
    let ip = told.ip().to_canonical();
    let is_nobody = ip.is_unspecified() || ip.is_multicast();
    let is_unreachable = ip.is_loopback() && is_far;
    if is_nobody || is_unreachable { Err(FleetError::Address { address: told.to_string() }) } else { Ok(()) }
}

/// The vehicle called `robot` and what it tells.
fn find(watch: &Watch, robot: &str) -> Result<(Vehicle, State), FleetError> {
    let roster = watch.roster();
    let called = roster.called(robot);
    let robot = robot.to_owned();
    match called[..] {
        [] => {
            let mut others: Vec<&str> =
                roster.present().map(|(vehicle, _)| vehicle.robot()).take(20).collect();
            others.dedup();
            let others = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
            Err(FleetError::Unknown { robot, others })
        }
        [(vehicle, known)] => match &known.state {
            Some((_, Ok(state))) if state.doing != Doing::Idle => {
                let driver = state.driver.as_ref().map_or("", |driver| driver.operator.as_str());
                let words = format!("{} {driver}", state.doing.word());
                Err(FleetError::Refused { robot, refusal: Refusal::Busy, words: words.trim_end().to_owned() })
            }
            Some((_, Ok(state))) => Ok((vehicle.clone(), state.clone())),
            Some((_, Err(fault))) => Err(FleetError::NoState { robot, why: fault.to_string() }),
            None => Err(FleetError::NoState { robot, why: "nothing was heard of it".to_owned() }),
        },
        _ => Err(FleetError::Twice { robot, count: called.len() }),
    }
}

/// What the operator's program tells the caller's thread.
enum Said {
    /// It listens here.
    Listening(SocketAddr),
    /// A session is up.
    Up,
}

/// The caller's thread.
struct Caller {
    watch: Watch,
    vehicle: Vehicle,
    key: PublicKey,
    name: String,
    address: Option<SocketAddr>,
}

impl Caller {
    /// Calls and waits for the session. A failure ends the operator's program.
    fn bring(self, heard: &Receiver<Said>, stop: &StopFlag) -> Result<(), FleetError> {
        let done = self.call_and_wait(heard, stop);
        if done.is_err() {
            stop.set();
        }
        done
    }

    fn call_and_wait(&self, heard: &Receiver<Said>, stop: &StopFlag) -> Result<(), FleetError> {
        // A program that cannot begin closes the queue, and says why itself.
        let Ok(Said::Listening(local)) = heard.recv() else { return Ok(()) };
        let address = self.address.unwrap_or(local);
        if !can_be_dialled(address) {
            return Err(FleetError::Address { address: address.to_string() });
        }
        // Told to stop, the program ends by itself: nobody is called any more, and what becomes of a call is all the same.
        if stop.is_set() {
            return Ok(());
        }
        if let Err(failure) = self.call(address) {
            return if stop.is_set() { Ok(()) } else { Err(failure) };
        }
        let end = Instant::now() + PATIENCE;
        loop {
            match heard.recv_timeout(LOOK_EVERY) {
                Ok(Said::Up) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Ok(Said::Listening(_)) | Err(RecvTimeoutError::Timeout) if stop.is_set() => return Ok(()),
                _ if Instant::now() >= end => {
                    let (robot, seconds) = (self.vehicle.robot().to_owned(), PATIENCE.as_secs());
                    return Err(FleetError::NotCome { robot, address: address.to_string(), seconds });
                }
                _ => {}
            }
        }
    }

    fn call(&self, address: SocketAddr) -> Result<(), FleetError> {
        let robot = self.vehicle.robot().to_owned();
        let call = Call::new(&self.name, self.key, address);
        let replies = self
            .watch
            .session()
            .get(self.vehicle.key(Kind::Call))
            .payload(call.to_bytes())
            .target(QueryTarget::All)
            .timeout(ANSWER)
            .wait()
            .map_err(FleetError::zenoh("calling"))?;
        let mut why = "nothing was heard of it".to_owned();
        for reply in replies {
            let Ok(sample) = reply.result() else { continue };
            match Answer::parse(&sample.payload().to_bytes()) {
                Ok(Answer { refusal: None, .. }) => return Ok(()),
                Ok(Answer { refusal: Some(refusal), words, .. }) => {
                    return Err(FleetError::Refused { robot, refusal, words });
                }
                Err(fault) => why = fault.to_string(),
            }
        }
        Err(FleetError::NoAnswer { robot, why })
    }
}

/// The user's display, with an ear for the caller's thread.
struct Ear<'a> {
    inner: &'a mut dyn Display<OperatorStatus>,
    says: Sender<Said>,
    is_up: bool,
}

impl Display<OperatorStatus> for Ear<'_> {
    fn on_ready(&mut self, ready: &Ready) {
        self.inner.on_ready(ready);
        // Twice at most, and the caller may have gone.
        let _ = self.says.send(Said::Listening(ready.local));
    }

    fn on_status(&mut self, now: MonoTime, status: &OperatorStatus) {
        if !self.is_up && matches!(status.link.state, LinkState::Up(_)) {
            self.is_up = true;
            let _ = self.says.send(Said::Up);
        }
        self.inner.on_status(now, status);
    }

    fn on_event(&mut self, now: MonoTime, event: &Happening) {
        self.inner.on_event(now, event);
    }

    fn keyboard(&self) -> Option<bool> {
        self.inner.keyboard()
    }

    fn keys(&mut self, wait: Duration, on_key: &mut dyn FnMut(&Event)) -> bool {
        self.inner.keys(wait, on_key)
    }
}
