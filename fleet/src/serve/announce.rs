//! What the network is told of the vehicle: token, state, and where calls go (FLT-2, FLT-10, FLT-11).
//!
//! The state is published when it changes and every two seconds, and is there for whoever asks in between. A message
//! that finds no room is dropped: the next one holds everything again.

use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::Robot;
use tokkyu_link::carrier::{PublicKey, clock};
use zenoh::query::Queryable;
use zenoh::{Session, Wait};

use super::Mail;
use super::drive::End;
use crate::engagement::Engagement;
use crate::error::FleetError;
use crate::protocol::keys::{Kind, Vehicle};
use crate::protocol::state::{Driver, Last, State, VERSION, brief, flow_lines};
use crate::watch::Token;

/// A state that does not change is told this often.
const TELL_EVERY: Duration = Duration::from_secs(2);
/// Longest look for another vehicle of this name.
const LOOK_FOR_TWIN: Duration = Duration::from_secs(1);

/// See the module.
pub(super) struct Announcer {
    vehicle: Vehicle,
    state: State,
    began: MonoTime,
    last: Option<(MonoTime, Last)>,
    /// The state as it was told last, without what only grows.
    told: Option<(MonoTime, State)>,
    latest: Arc<Mutex<Vec<u8>>>,
    _token: Token,
    _queryables: [Queryable<()>; 2],
}

impl Announcer {
    /// Declares the vehicle. Calls go to `mail`.
    pub(super) fn declare(
        session: &Session,
        robot: &Robot,
        key: &PublicKey,
        mail: SyncSender<Mail>,
    ) -> Result<Announcer, FleetError> {
        let vehicle = Vehicle::new(&robot.name, &session.zid().to_string())
            .ok_or_else(|| FleetError::Name { name: robot.name.clone() })?;
        let state = first_state(robot, key);
        let latest = Arc::new(Mutex::new(state.to_bytes()));
        let answers = answer_states(session, &vehicle, Arc::clone(&latest))?;
        let calls = session
            .declare_queryable(vehicle.key(Kind::Call))
            // A full queue answers nobody: the caller hears that there was no answer.
            .callback(move |query| drop(mail.try_send(Mail::Call(query))))
            .wait()
            .map_err(FleetError::zenoh("taking calls"))?;
        // Last: whoever sees the token finds the rest.
        let token = session.liveliness().declare_token(vehicle.key(Kind::Alive)).wait();
        let token = token.map_err(FleetError::zenoh("announcing"))?;
        let began = clock::now();
        let queryables = [answers, calls];
        Ok(Announcer {
            vehicle,
            state,
            began,
            last: None,
            told: None,
            latest,
            _token: token,
            _queryables: queryables,
        })
    }

    pub(super) fn vehicle(&self) -> &Vehicle {
        &self.vehicle
    }

    /// Whether another vehicle has this name.
    pub(super) fn has_twin(&self, session: &Session) -> bool {
        let tokens = session
            .liveliness()
            .get(Kind::Alive.of_robot(self.vehicle.robot()))
            .timeout(LOOK_FOR_TWIN)
            .wait();
        let own = self.vehicle.key(Kind::Alive);
        tokens.is_ok_and(|replies| {
            replies
                .into_iter()
                .any(|reply| reply.result().is_ok_and(|sample| sample.key_expr().as_str() != own))
        })
    }

    /// A drive ended.
    pub(super) fn on_ended(&mut self, driver: Option<Driver>, end: &End, now: MonoTime) {
        let Some(driver) = driver else { return };
        let [offered, delivered, safe_stops] = end.figures();
        let (operator, lasted_s, ended) = (driver.operator, driver.for_s, brief(&end.words()));
        let last = Last { operator, ended, lasted_s, ago_s: 0, offered, delivered, safe_stops };
        self.last = Some((now, last));
    }

    /// Publishes the state where it changed or is old.
    pub(super) fn tell(
        &mut self,
        session: &Session,
        engagement: &Engagement,
        now: MonoTime,
    ) -> Result<(), FleetError> {
        let state = self.state_at(engagement, now);
        let is_news =
            |(at, told): &(MonoTime, State)| now.since(*at) >= TELL_EVERY || *told != ageless(&state);
        if !self.told.as_ref().is_none_or(is_news) {
            return Ok(());
        }
        let bytes = state.to_bytes();
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&bytes);
        self.told = Some((now, ageless(&state)));
        session
            .put(self.vehicle.key(Kind::State), bytes)
            .wait()
            .map_err(FleetError::zenoh("telling the state"))
    }

    fn state_at(&self, engagement: &Engagement, now: MonoTime) -> State {
        let last =
            self.last.as_ref().map(|(at, last)| Last { ago_s: now.since(*at).as_secs(), ..last.clone() });
        State {
            up_s: now.since(self.began).as_secs(),
            doing: engagement.doing(),
            driver: engagement.driver(now),
            last,
            ..self.state.clone()
        }
    }
}

/// The state without what grows with time alone.
fn ageless(state: &State) -> State {
    State {
        up_s: 0,
        driver: state.driver.clone().map(|driver| Driver { for_s: 0, ..driver }),
        last: state.last.clone().map(|last| Last { ago_s: 0, ..last }),
        ..state.clone()
    }
}

fn first_state(robot: &Robot, key: &PublicKey) -> State {
    let (flows, flows_left_out) = flow_lines(&robot.flows);
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    State {
        version: VERSION,
        robot: robot.name.clone(),
        tokkyu: env!("CARGO_PKG_VERSION").to_owned(),
        key: key.to_line(""),
        up_since_s: since_1970.as_secs(),
        up_s: 0,
        doing: Engagement::default().doing(),
        driver: None,
        flows,
        flows_left_out,
        last: None,
    }
}

fn answer_states(
    session: &Session,
    vehicle: &Vehicle,
    latest: Arc<Mutex<Vec<u8>>>,
) -> Result<Queryable<()>, FleetError> {
    let key = vehicle.key(Kind::State);
    let own = key.clone();
    session
        .declare_queryable(key)
        .callback(move |query| {
            let bytes = latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
            // Whoever asked and is gone needs no answer.
            let _ = query.reply(own.as_str(), bytes).wait();
        })
        .wait()
        .map_err(FleetError::zenoh("answering for the state"))
}
