//! `tokkyu fleet serve`: a vehicle that announces itself and drives for one trusted operator at a time (FLT-10 to
//! FLT-24).
//!
//! The main thread takes what the others tell, moves the [`Engagement`], and publishes the state. A drive runs in threads of
//! its own, those of `tokkyu vehicle`: what becomes of the fleet's network does not reach them.
//!
//! ```text
//!   Zenoh's threads ──calls──────────────▶┐
//!   drive's thread ──status, news, end───▶┤ bounded queue ──▶ main thread: engagement, state ──put──▶ Zenoh
//!   Zenoh's threads ◀──state, when asked──┘ (a copy, behind a lock held for moments)
//! ```

mod announce;
mod drive;

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_drive::program::{LinkState, StopFlag};
use tokkyu_drive::vehicle::{Motors, VehicleOptions};
use tokkyu_link::carrier::clock;
use zenoh::query::Query;
use zenoh::{Session, Wait};

use crate::engagement::Engagement;
use crate::error::FleetError;
use crate::network;
use crate::protocol::call::{Answer, Call, Refusal};
use crate::protocol::state::Doing;
use announce::Announcer;
use drive::Drive;

/// Messages that wait for the main thread; a status or a call that finds no room is dropped.
const QUEUE: usize = 64;
/// Longest wait for a message.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// From one try to reach a router to the next.
const AGAIN_AFTER: Duration = Duration::from_secs(2);
/// Messages taken before the state is told again.
const MAX_PER_TURN: usize = 8;

/// What the main thread is told.
enum Mail {
    /// An operator calls.
    Call(Query),
    /// The link has a session, or has none.
    Link { is_up: bool },
    /// Something happened in the drive.
    News(String),
    /// The drive ended.
    Ended(drive::End),
}

/// Announces the vehicle and drives when called, until `stop` is set. `options.operator` is not used: whoever calls says
/// where. `motors` gives those of one drive; `tell` is told what happens, in words.
///
/// # Errors
/// The configuration is wrong, or something of a drive died: the vehicle brakes. A router that cannot be reached is
/// waited for, and told.
pub fn run<M: Motors + 'static>(
    options: VehicleOptions,
    motors: impl Fn() -> M,
    tell: &mut dyn FnMut(&str),
    stop: &StopFlag,
) -> Result<(), FleetError> {
    // What is wrong with the keys is better told now than to the first caller.
    let key = options.end.own_key()?;
    options.end.peers()?;
    let Some(session) = reach_router(&options, tell, stop)? else { return Ok(()) };
    let (mail, inbox) = sync_channel(QUEUE);
    let announcer = Announcer::declare(&session, &options.end.robot, &key, mail.clone())?;
    tell(&format!("{} is announced", announcer.vehicle()));
    if announcer.has_twin(&session) {
        tell(&format!(
            "another vehicle is called {} too, or this one was killed a moment ago; operators can open neither while both are there",
            options.end.robot.name
        ));
    }
    let mut server = Server {
        options,
        motors,
        tell,
        mail,
        inbox,
        announcer,
        engagement: Engagement::default(),
        drive: None,
        is_connected: true,
        fault: None,
    };
    while !stop.is_set() && server.fault.is_none() {
        server.turn(&session);
    }
    server.finish();
    let left = session.close().wait().map_err(FleetError::zenoh("leaving"));
    server.fault.map_or(left, Err)
}

/// Tries until a router answers; `None` when told to stop.
fn reach_router(
    options: &VehicleOptions,
    tell: &mut dyn FnMut(&str),
    stop: &StopFlag,
) -> Result<Option<Session>, FleetError> {
    let mut is_told = false;
    while !stop.is_set() {
        match network::connect(&options.end.site.fleet) {
            Ok(session) => return Ok(Some(session)),
            Err(error @ FleetError::NoRouter { .. }) if !is_told => {
                tell(&format!("{error} Trying again."));
                is_told = true;
            }
            Err(FleetError::NoRouter { .. }) => {}
            Err(error) => return Err(error),
        }
        let again = clock::now() + AGAIN_AFTER;
        while !stop.is_set() && clock::now() < again {
            thread::sleep(LOOK_EVERY);
        }
    }
    Ok(None)
}

/// The running vehicle.
struct Server<'a, F> {
    options: VehicleOptions,
    motors: F,
    tell: &'a mut dyn FnMut(&str),
    mail: SyncSender<Mail>,
    inbox: Receiver<Mail>,
    announcer: Announcer,
    engagement: Engagement,
    drive: Option<Drive>,
    is_connected: bool,
    /// Why it cannot go on.
    fault: Option<FleetError>,
}

impl<M: Motors + 'static, F: Fn() -> M> Server<'_, F> {
    /// Nothing of the network ends the loop: a drive may be under way (FLT-26).
    fn turn(&mut self, session: &Session) {
        let mut next = self.inbox.recv_timeout(LOOK_EVERY);
        for _ in 0..MAX_PER_TURN {
            let Ok(mail) = next else { break };
            self.on_mail(mail);
            next = self.inbox.try_recv().map_err(|_| RecvTimeoutError::Timeout);
        }
        if let Ok(mail) = next {
            self.on_mail(mail);
        }
        let now = clock::now();
        if self.engagement.on_tick(now)
            && let Some(drive) = &self.drive
        {
            drive.stop();
        }
        self.notice_router(session);
        if let Err(error) = self.announcer.tell(session, &self.engagement, now) {
            (self.tell)(&error.to_string());
        }
    }

    fn notice_router(&mut self, session: &Session) {
        let is_connected = network::is_connected(session);
        if is_connected != self.is_connected {
            self.is_connected = is_connected;
            (self.tell)(if is_connected {
                "a router is reached again"
            } else {
                "no router is reached: nobody new can call; a drive goes on"
            });
        }
    }

    fn on_mail(&mut self, mail: Mail) {
        let now = clock::now();
        match mail {
            Mail::Call(query) => {
                let answer = self.on_call(&query, now);
                // A caller who is gone by now needs no answer.
                let _ = query.reply(query.key_expr().clone(), answer.to_bytes()).wait();
            }
            Mail::Link { is_up } => self.engagement.on_link(is_up, now),
            Mail::News(words) => (self.tell)(&words),
            Mail::Ended(end) => {
                (self.tell)(&end.words());
                if let Some(drive) = self.drive.take() {
                    drive.join();
                }
                self.announcer.on_ended(self.engagement.driver(now), &end, now);
                self.engagement.on_ended(now);
                self.fault = end.fault();
            }
        }
    }

    /// Whether the vehicle comes. Trust is looked up first: who drives is told to trusted operators alone.
    fn on_call(&mut self, query: &Query, now: MonoTime) -> Answer {
        let bytes = query.payload().map(|payload| payload.to_bytes()).unwrap_or_default();
        let call = match Call::parse(&bytes) {
            Ok(call) => call,
            Err(fault) => return Answer::refused(Refusal::Unreadable, &fault.to_string()),
        };
        let answer = self.judge(&call, now);
        let outcome = answer.refusal.map_or("accepted".to_owned(), |refusal| format!("refused: {refusal:?}"));
        (self.tell)(&format!("call of {} at {}: {outcome}", call.operator, call.address));
        answer
    }

    fn judge(&mut self, call: &Call, now: MonoTime) -> Answer {
        // Read again for each call: a key that was taken out since is not dialled any more.
        let trusted = match self.options.end.peers() {
            Ok(trusted) => trusted,
            Err(error) => return Answer::refused(Refusal::Failed, &error.to_string()),
        };
        let Some(key) = call.public_key().filter(|key| trusted.contains(key)) else {
            return Answer::refused(Refusal::Untrusted, "");
        };
        if let Err(refusal) = self.engagement.on_call(&call.operator, &key.fingerprint(), now) {
            let driver = self.engagement.driver(now);
            let words =
                driver.map_or(String::new(), |d| format!("{} has it since {} s", d.operator, d.for_s));
            return Answer::refused(refusal, &words);
        }
        let mut options = self.options.clone();
        options.operator = Some(call.address);
        options.end.link.only = Some(key);
        match Drive::start(options, (self.motors)(), self.mail.clone()) {
            Ok(drive) => {
                self.drive = Some(drive);
                Answer::accepted()
            }
            Err(error) => {
                self.engagement.on_ended(now);
                Answer::refused(Refusal::Failed, &error.to_string())
            }
        }
    }

    /// Brakes: the drive ends in order, which takes about three seconds at most.
    fn finish(&mut self) {
        let Some(drive) = self.drive.take() else { return };
        drive.stop();
        while self.engagement.doing() != Doing::Idle {
            match self.inbox.recv_timeout(LOOK_EVERY) {
                Ok(mail) => self.on_mail_at_end(mail),
                Err(_) if drive.is_gone() => break,
                Err(_) => {}
            }
        }
        drive.join();
    }

    fn on_mail_at_end(&mut self, mail: Mail) {
        match mail {
            Mail::Call(_) => {}
            other => self.on_mail(other),
        }
    }
}

/// Whether a link's state is a session.
fn is_up(state: &LinkState) -> bool {
    matches!(state, LinkState::Up(_))
}
