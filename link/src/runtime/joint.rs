//! One session over several connections: what each connection that comes or goes means (LNK-90, LNK-96).
//!
//! ```text
//!               a connection is up                    another one of the same call is up, or goes
//!   ┌──────┐ ────────────────────────▶ ┌────────────┐ ──┐
//!   │ None │                           │  Session   │ ◀─┘  paths open and close
//!   └──────┘ ◀──────────────────────── └────────────┘ ──┐
//!               the last one goes            ▲──────────┘  one of another call is up: that session ends, its other
//!                                                          connections are dropped, the next begins
//! ```

use crate::carrier::{Call, CloseReason, PublicKey};
use crate::core::PathId;

/// A connection that is up: whose, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrived {
    pub(super) path: PathId,
    /// Counts the path's connections.
    pub(super) connection: u64,
    pub(super) key: PublicKey,
    /// Which session it is for; None where the vehicle does not say.
    pub(super) call: Option<Call>,
    /// For that alone, and not to begin it.
    pub(super) joins: bool,
}

/// What has to be done, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A session begins, with this path.
    Begin { session: u64, path: PathId },
    /// A path of the session is up.
    Open(PathId),
    /// A path of the session is gone.
    Close(PathId),
    /// The session is over.
    End,
    /// A path's connection of this number belongs to no session, or no more.
    Drop(PathId, u64),
    /// A path leads to somebody else than the session's peer.
    Astray(PathId),
}

/// The connections that are up, and the session that they carry.
#[derive(Debug)]
pub(super) struct Joint {
    /// The number of each path's connection that is up and a part of the session.
    up: Vec<Option<u64>>,
    /// Whose session it is.
    key: Option<PublicKey>,
    call: Option<Call>,
    /// What the peer called the session that ended last.
    ended: Option<Call>,
    sessions: u64,
}

impl Joint {
    /// For as many paths.
    pub(super) fn new(paths: usize) -> Joint {
        Joint { up: vec![None; paths], key: None, call: None, ended: None, sessions: 0 }
    }

    /// The session, if one is up.
    pub(super) fn session(&self) -> Option<u64> {
        self.is_up().then_some(self.sessions)
    }

    fn is_up(&self) -> bool {
        self.up.iter().any(Option::is_some)
    }

    /// How the session before was called.
    pub(super) fn ended(&self) -> Option<Call> {
        self.ended
    }

    /// The paths whose connection is part of the session.
    pub(super) fn open(&self) -> impl Iterator<Item = PathId> {
        self.up.iter().enumerate().filter(|(_, up)| up.is_some()).map(|(at, _)| PathId(at as u8))
    }

    /// Whether `connection` of `path` is part of the session.
    pub(super) fn has(&self, path: PathId, connection: u64) -> bool {
        self.up.get(usize::from(path.0)).is_some_and(|up| *up == Some(connection))
    }

    /// A connection is up. One that tells no call is a session of its own; one that joins begins none; and whoever has
    /// another key than the session's peer has no part in it.
    pub(super) fn on_up(&mut self, arrived: Arrived) -> Vec<Step> {
        let Arrived { path, connection, key, call, joins } = arrived;
        let was_up = self.up[usize::from(path.0)].is_some();
        if self.is_up() && self.key != Some(key) {
            // The carrier replaced the one that this path had.
            let mut steps = if was_up { self.on_down(path) } else { Vec::new() };
            steps.extend([Step::Drop(path, connection), Step::Astray(path)]);
            return steps;
        }
        if self.is_up() && call.is_some() && self.call == call {
            self.up[usize::from(path.0)] = Some(connection);
            return vec![Step::Open(path)];
        }
        let mut steps = if joins { Vec::new() } else { self.drop_all_but(path) };
        if joins {
            steps.extend(if was_up { self.on_down(path) } else { Vec::new() });
            steps.push(Step::Drop(path, connection));
            return steps;
        }
        steps.extend(self.is_up().then_some(Step::End));
        self.forget();
        (self.key, self.call, self.sessions) = (Some(key), call, self.sessions + 1);
        self.up[usize::from(path.0)] = Some(connection);
        steps.push(Step::Begin { session: self.sessions, path });
        steps
    }

    fn drop_all_but(&self, path: PathId) -> Vec<Step> {
        let up = self.up.iter().enumerate().filter(|(at, _)| *at != usize::from(path.0));
        up.filter_map(|(at, up)| Some(Step::Drop(PathId(at as u8), (*up)?))).collect()
    }

    /// The connection of `path` is gone, or an attempt to get one.
    pub(super) fn on_down(&mut self, path: PathId) -> Vec<Step> {
        if self.up[usize::from(path.0)].take().is_none() {
            return Vec::new();
        }
        if self.is_up() {
            return vec![Step::Close(path)];
        }
        self.forget();
        vec![Step::End]
    }

    /// The peer, asked by `path`, knows no such session: it is over.
    pub(super) fn on_unknown(&mut self, path: PathId) -> Vec<Step> {
        self.up[usize::from(path.0)] = None;
        let mut steps = self.drop_all_but(path);
        steps.extend(self.is_up().then_some(Step::End));
        self.forget();
        steps
    }

    fn forget(&mut self) {
        self.up.iter_mut().for_each(|up| *up = None);
        self.ended = self.call.take().or(self.ended);
        self.key = None;
    }
}

/// Why no session is up: the reason that people can do most about, of those that paths have.
pub(super) fn reason_of_all<'a>(reasons: impl Iterator<Item = &'a CloseReason>) -> Option<CloseReason> {
    let weight = |reason: &&CloseReason| match reason {
        reason if reason.never_succeeds() => 2,
        CloseReason::NoSession | CloseReason::NoAnswer { .. } => 0,
        _ => 1,
    };
    // Of equals the first path's.
    reasons
        .fold(None, |best: Option<&CloseReason>, next| match best {
            Some(best) if weight(&best) >= weight(&next) => Some(best),
            _ => Some(next),
        })
        .cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::carrier::SecretKey;

    const ONE: PathId = PathId(0);
    const TWO: PathId = PathId(1);
    const THREE: PathId = PathId(2);

    fn key() -> PublicKey {
        SecretKey::generate().unwrap().public()
    }

    fn up(path: PathId, connection: u64, key: PublicKey, call: Option<Call>) -> Arrived {
        Arrived { path, connection, key, call, joins: false }
    }

    #[test]
    fn connections_of_one_call_are_paths_of_one_session() {
        let (key, call, mut joint) = (key(), Some(Call::first()), Joint::new(2));
        assert_eq!(joint.on_up(up(TWO, 1, key, call)), [Step::Begin { session: 1, path: TWO }]);
        assert_eq!(joint.on_up(up(ONE, 1, key, call)), [Step::Open(ONE)]);
        assert!(joint.has(ONE, 1) && joint.has(TWO, 1) && !joint.has(ONE, 2));
        assert_eq!(joint.on_down(TWO), [Step::Close(TWO)]);
        assert_eq!(joint.on_down(TWO), [], "an attempt failed");
        assert_eq!(joint.on_up(Arrived { joins: true, ..up(TWO, 2, key, call) }), [Step::Open(TWO)]);
        assert_eq!(joint.on_up(up(ONE, 2, key, call)), [Step::Open(ONE)], "before the other was missed");
        assert_eq!([joint.on_down(ONE), joint.on_down(TWO)], [vec![Step::Close(ONE)], vec![Step::End]]);
        assert_eq!((joint.session(), joint.ended()), (None, call));
    }

    #[test]
    fn one_of_another_call_ends_the_session_and_begins_the_next() {
        let (key, first, second) = (key(), Call::first(), Call::first());
        let pairs = [(Some(first), Some(second)), (Some(first), None), (None, Some(first)), (None, None)];
        for (before, after) in pairs {
            let mut joint = Joint::new(3);
            joint.on_up(up(ONE, 1, key, before));
            if before.is_some() {
                joint.on_up(up(TWO, 4, key, before));
            }
            let mut steps = joint.on_up(up(THREE, 1, key, after));
            assert_eq!(steps.pop(), Some(Step::Begin { session: 2, path: THREE }));
            assert_eq!(steps.pop(), Some(Step::End));
            let second = before.map(|_| Step::Drop(TWO, 4));
            assert_eq!(steps, [Some(Step::Drop(ONE, 1)), second].into_iter().flatten().collect::<Vec<_>>());
            assert_eq!((joint.session(), joint.ended()), (Some(2), before));
            assert!(joint.on_down(ONE).is_empty(), "it is no part of it");
        }
    }

    #[test]
    fn who_has_another_key_has_no_part_in_a_session_whatever_it_calls_it() {
        let (key, other, call) = (key(), key(), Some(Call::first()));
        for theirs in [call, Some(Call::first()), None] {
            let mut joint = Joint::new(2);
            joint.on_up(up(ONE, 1, key, call));
            assert_eq!(joint.on_up(up(TWO, 7, other, theirs)), [Step::Drop(TWO, 7), Step::Astray(TWO)]);
            assert_eq!((joint.session(), joint.has(ONE, 1)), (Some(1), true));
            joint.on_up(up(TWO, 8, key, call));
            let replaced = joint.on_up(up(TWO, 9, other, theirs));
            assert_eq!(replaced, [Step::Close(TWO), Step::Drop(TWO, 9), Step::Astray(TWO)]);
        }
    }

    #[test]
    fn one_that_joins_begins_no_session() {
        let (key, call) = (key(), Call::first());
        let join = |path, connection, call| Arrived { joins: true, ..up(path, connection, key, Some(call)) };
        let mut joint = Joint::new(2);
        assert_eq!(joint.on_up(join(TWO, 1, call)), [Step::Drop(TWO, 1)], "its session ended a moment ago");
        joint.on_up(up(ONE, 1, key, Some(call.next())));
        assert_eq!(joint.on_up(join(TWO, 2, call)), [Step::Drop(TWO, 2)], "it is for another");
        assert_eq!(joint.session(), Some(1));
    }

    #[test]
    fn a_path_alone_that_comes_anew_begins_a_session() {
        let (key, call, mut joint) = (key(), Call::first(), Joint::new(1));
        joint.on_up(up(ONE, 1, key, Some(call)));
        let steps = joint.on_up(up(ONE, 2, key, Some(call.next())));
        assert_eq!(steps, [Step::End, Step::Begin { session: 2, path: ONE }]);
        joint.on_down(ONE);
        let steps = joint.on_up(up(ONE, 3, super::tests::key(), None));
        assert_eq!(steps, [Step::Begin { session: 3, path: ONE }], "nobody else is there any more");
    }

    #[test]
    fn a_session_that_the_peer_does_not_know_is_over() {
        let mut joint = Joint::new(2);
        joint.on_up(up(ONE, 1, key(), Some(Call::first())));
        assert_eq!(joint.on_unknown(TWO), [Step::Drop(ONE, 1), Step::End]);
        assert_eq!(joint.on_unknown(TWO), []);
    }

    #[test]
    fn of_several_reasons_the_one_that_people_can_mend_is_told() {
        let no_answer = CloseReason::NoAnswer { peer: "10.0.0.1:1".parse().unwrap() };
        let told = |reasons: &[CloseReason]| reason_of_all(reasons.iter());
        let refused = CloseReason::OurKeyRefused { fingerprint: "x".into() };
        assert_eq!(told(&[no_answer.clone(), CloseReason::Busy, refused.clone()]), Some(refused));
        assert_eq!(told(&[no_answer.clone(), CloseReason::Busy]), Some(CloseReason::Busy));
        assert_eq!(told(std::slice::from_ref(&no_answer)), Some(no_answer));
        assert_eq!(told(&[]), None);
    }
}
