//! The vehicles that are there, as an operator sees them: `tokkyu fleet list` (FLT-30 to FLT-34).
//!
//! Zenoh's threads write tokens and states into the [`Roster`]; whoever looks takes a copy. A view that was opened before
//! the router went is filled again by itself when it comes back.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokkyu_contract::yaml::fleet::FleetSite;
use tokkyu_link::carrier::clock;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::query::{ConsolidationMode, QueryTarget};
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Session, Wait};

use crate::error::FleetError;
use crate::network;
use crate::protocol::keys::Kind;
use crate::protocol::roster::Roster;

/// Longest wait for vehicles to tell their state.
const ASK_FOR: Duration = Duration::from_secs(3);

/// See the module.
pub struct Watch {
    session: Session,
    shared: Arc<Shared>,
    // Ended with the watch.
    _tokens: Subscriber<()>,
    _states: Subscriber<()>,
}

#[derive(Default)]
struct Shared {
    roster: Mutex<Roster>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Roster> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn on_token(&self, sample: &Sample) {
        self.lock().on_token(sample.key_expr().as_str(), sample.kind() == SampleKind::Put);
        self.changed.notify_all();
    }

    fn on_state(&self, sample: &Sample) {
        if sample.kind() == SampleKind::Put {
            let bytes = sample.payload().to_bytes();
            self.lock().on_state(sample.key_expr().as_str(), &bytes, clock::now());
            self.changed.notify_all();
        }
    }
}

impl Watch {
    /// Connects and begins to listen.
    ///
    /// # Errors
    /// No router answers, or it does not let us.
    pub fn open(site: &FleetSite) -> Result<Watch, FleetError> {
        Watch::on(network::connect(site)?)
    }

    fn on(session: Session) -> Result<Watch, FleetError> {
        let shared = Arc::new(Shared::default());
        let (of_tokens, of_states) = (Arc::clone(&shared), Arc::clone(&shared));
        let states = session
            .declare_subscriber(Kind::State.of_all())
            .callback(move |sample| of_states.on_state(&sample))
            .wait()
            .map_err(FleetError::zenoh("listening to states"))?;
        let tokens = session
            .liveliness()
            .declare_subscriber(Kind::Alive.of_all())
            .history(true)
            .callback(move |sample| of_tokens.on_token(&sample))
            .wait()
            .map_err(FleetError::zenoh("listening to vehicles"))?;
        Ok(Watch { session, shared, _tokens: tokens, _states: states })
    }

    /// Asks who is there and for their states, until all who are have answered or three seconds are over.
    ///
    /// # Errors
    /// Zenoh cannot ask.
    pub fn ask(&self) -> Result<(), FleetError> {
        let tokens = self.session.liveliness().get(Kind::Alive.of_all()).timeout(ASK_FOR).wait();
        for reply in tokens.map_err(FleetError::zenoh("asking for vehicles"))? {
            let _ = reply.result().map(|sample| self.shared.on_token(sample));
        }
        let states = self
            .session
            .get(Kind::State.of_all())
            .target(QueryTarget::All)
            .consolidation(ConsolidationMode::None)
            .timeout(ASK_FOR)
            .wait();
        for reply in states.map_err(FleetError::zenoh("asking for states"))? {
            let _ = reply.result().map(|sample| self.shared.on_state(sample));
        }
        Ok(())
    }

    /// What is known now.
    pub fn roster(&self) -> Roster {
        self.shared.lock().clone()
    }

    /// Waits until `look` is true of what is known; false when `patience` is over first.
    pub fn wait_for(&self, patience: Duration, mut look: impl FnMut(&Roster) -> bool) -> bool {
        let end = Instant::now() + patience;
        let mut roster = self.shared.lock();
        loop {
            if look(&roster) {
                return true;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.shared.changed.wait_timeout(roster, left);
            roster = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether a router is reached.
    pub fn is_connected(&self) -> bool {
        network::is_connected(&self.session)
    }

    /// The session, to call over.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }
}

/// A token that is there as long as this value; see [`Kind::Alive`].
pub(crate) type Token = LivelinessToken;
