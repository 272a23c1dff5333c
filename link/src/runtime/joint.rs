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

use crate::carrier::{Call, CloseReason};
use crate::core::PathId;

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
    /// A connection belongs to no session any more.
    Drop(PathId),
}

/// The connections that are up, and the session that they carry.
#[derive(Debug)]
pub(super) struct Joint {
    /// The number of each path's connection that is up and a part of the session.
    up: Vec<Option<u64>>,
    call: Option<Call>,
    /// What the peer called the session that ended last.
    ended: Option<Call>,
    sessions: u64,
}

impl Joint {
    /// For as many paths.
    pub(super) fn new(paths: usize) -> Joint {
        Joint { up: vec![None; paths], call: None, ended: None, sessions: 0 }
    }

    /// The session, if one is up.
    pub(super) fn session(&self) -> Option<u64> {
        self.is_up().then_some(self.sessions)
    }

    fn is_up(&self) -> bool {
        self.up.iter().any(Option::is_some)
    }

    /// How the session is called, and how the one before was.
    pub(super) fn calls(&self) -> (Option<Call>, Option<Call>) {
        (self.call, self.ended)
    }

    /// The paths whose connection is part of the session.
    pub(super) fn open(&self) -> impl Iterator<Item = PathId> {
        self.up.iter().enumerate().filter(|(_, up)| up.is_some()).map(|(at, _)| PathId(at as u8))
    }

    /// Whether `connection` of `path` is part of the session.
    pub(super) fn has(&self, path: PathId, connection: u64) -> bool {
        self.up.get(usize::from(path.0)).is_some_and(|up| *up == Some(connection))
    }

    /// `connection` of `path` is up, for `call`. One that tells no call is a session of its own.
    pub(super) fn on_up(&mut self, path: PathId, connection: u64, call: Option<Call>) -> Vec<Step> {
        let mut steps = Vec::new();
        let is_part = self.is_up() && call.is_some() && self.call == call;
        if !is_part {
            steps.extend(self.open().filter(|other| *other != path).map(Step::Drop));
            steps.extend(self.is_up().then_some(Step::End));
            self.forget();
            self.call = call;
            self.sessions += 1;
        }
        self.up[usize::from(path.0)] = Some(connection);
        steps.push(if is_part { Step::Open(path) } else { Step::Begin { session: self.sessions, path } });
        steps
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

    /// The peer knows no such session: it is over.
    pub(super) fn on_unknown(&mut self) -> Vec<Step> {
        let mut steps: Vec<Step> = self.open().map(Step::Drop).collect();
        steps.extend(self.is_up().then_some(Step::End));
        self.forget();
        steps
    }

    fn forget(&mut self) {
        self.up.iter_mut().for_each(|up| *up = None);
        self.ended = self.call.take().or(self.ended);
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

    const ONE: PathId = PathId(0);
    const TWO: PathId = PathId(1);

    #[test]
    fn connections_of_one_call_are_paths_of_one_session() {
        let (call, mut joint) = (Some(Call::first()), Joint::new(2));
        assert_eq!(joint.on_up(TWO, 1, call), [Step::Begin { session: 1, path: TWO }]);
        assert_eq!(joint.on_up(ONE, 1, call), [Step::Open(ONE)]);
        assert!(joint.has(ONE, 1) && joint.has(TWO, 1) && !joint.has(ONE, 2));
        assert_eq!(joint.on_down(TWO), [Step::Close(TWO)]);
        assert_eq!(joint.on_down(TWO), [], "an attempt failed");
        assert_eq!(joint.on_up(TWO, 2, call), [Step::Open(TWO)]);
        assert_eq!(joint.on_up(ONE, 2, call), [Step::Open(ONE)], "it came anew before the other was missed");
        assert_eq!([joint.on_down(ONE), joint.on_down(TWO)], [vec![Step::Close(ONE)], vec![Step::End]]);
        assert_eq!((joint.session(), joint.calls()), (None, (None, call)));
    }

    #[test]
    fn one_of_another_call_ends_the_session_and_begins_the_next() {
        let (first, second) = (Call::first(), Call::first());
        for (before, after) in
            [(Some(first), Some(second)), (Some(first), None), (None, Some(first)), (None, None)]
        {
            let mut joint = Joint::new(3);
            joint.on_up(ONE, 1, before);
            if before.is_some() {
                joint.on_up(TWO, 1, before);
            }
            let mut steps = joint.on_up(PathId(2), 1, after);
            assert_eq!(steps.pop(), Some(Step::Begin { session: 2, path: PathId(2) }));
            assert_eq!(steps.pop(), Some(Step::End));
            let dropped =
                if before.is_some() { vec![Step::Drop(ONE), Step::Drop(TWO)] } else { vec![Step::Drop(ONE)] };
            assert_eq!(steps, dropped);
            assert_eq!((joint.session(), joint.calls()), (Some(2), (after, before)));
            assert!(joint.on_down(ONE).is_empty(), "it is no part of it");
        }
    }

    #[test]
    fn a_path_alone_that_comes_anew_begins_a_session() {
        let (call, mut joint) = (Call::first(), Joint::new(1));
        joint.on_up(ONE, 1, Some(call));
        assert_eq!(
            joint.on_up(ONE, 2, Some(call.next())),
            [Step::End, Step::Begin { session: 2, path: ONE }]
        );
    }

    #[test]
    fn a_session_that_the_peer_does_not_know_is_over() {
        let mut joint = Joint::new(2);
        joint.on_up(ONE, 1, Some(Call::first()));
        assert_eq!(joint.on_unknown(), [Step::Drop(ONE), Step::End]);
        assert_eq!(joint.on_unknown(), []);
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
