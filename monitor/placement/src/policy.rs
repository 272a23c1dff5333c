//! Where a task is begun (MON-75).

use crate::look::State;
use crate::taken::Taken;

/// How a processor is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// At home.
    #[default]
    Static,
    /// At each in turn.
    Spread,
    /// Where Linux holds no lock.
    LeastLocked,
    /// At home, once Linux holds no lock there.
    BoundedDefer,
}

impl Policy {
    /// All of them, each by the number that [`of`](Self::of) knows it by.
    pub const ALL: [Policy; 4] = [Policy::Static, Policy::Spread, Policy::LeastLocked, Policy::BoundedDefer];

    /// The one of this number.
    pub fn of(number: u64) -> Option<Policy> {
        Policy::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Its name, as people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Policy::Static => "static",
            Policy::Spread => "spread",
            Policy::LeastLocked => "least-locked",
            Policy::BoundedDefer => "bounded-defer",
        }
    }
}

/// What a policy says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// On that processor, which is taken until [`Taken::give`]; and how it was found, which is unknown where nobody has looked.
    At(usize, State),
    /// Ask again a little later.
    Later,
}

/// Chooses among the first `processors`, of which `home` is one. `turn` counts the task's activations; `may_wait` says whether
/// the task can be begun later still. `state` is asked as seldom as it can be: it takes time.
#[inline]
pub fn choose(
    policy: Policy,
    (home, processors): (usize, usize),
    taken: &Taken,
    (turn, may_wait): (usize, bool),
    mut state: impl FnMut(usize) -> State,
) -> Choice {
    match policy {
        Policy::LeastLocked => least_locked(home, processors, taken, state),
        Policy::Static => at_home(home, taken),
        Policy::Spread => any((turn % processors, home), processors, taken),
        Policy::BoundedDefer if may_wait && state(home) != State::FREE => Choice::Later,
        Policy::BoundedDefer => at_home(home, taken),
    }
}

fn at_home(home: usize, taken: &Taken) -> Choice {
    taken.share(home);
    Choice::At(home, State::UNKNOWN)
}

/// The first that nobody has, from one on; home if there is none.
fn any((first, home): (usize, usize), processors: usize, taken: &Taken) -> Choice {
    (first..processors)
        .chain(0..first)
        .find(|processor| taken.try_take(*processor))
        .map_or_else(|| at_home(home, taken), |at| Choice::At(at, State::UNKNOWN))
}

/// Worse than any that is looked at.
const NOBODY: State = State::MOST;

/// As a rule home is free, and nobody else is looked at.
#[inline(always)]
fn least_locked(
    home: usize,
    processors: usize,
    taken: &Taken,
    mut state: impl FnMut(usize) -> State,
) -> Choice {
    let mut best = if taken.tasks(home) == 0 { state(home) } else { NOBODY };
    let (mut at, mut processor) = (home, home);
    while best != State::FREE {
        processor = if processor + 1 == processors { 0 } else { processor + 1 };
        if processor == home {
            break;
        }
        if taken.tasks(processor) == 0 {
            let state = state(processor);
            // Of those that are alike, the first.
            if state < best {
                (best, at) = (state, processor);
            }
        }
    }
    if best != NOBODY && taken.try_take(at) {
        return Choice::At(at, best);
    }
    // Another task was begun there at the same moment, or all have one.
    any((home, home), processors, taken)
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn states() -> impl Strategy<Value = Vec<State>> {
        prop::collection::vec(
            prop_oneof![Just(State::FREE), (1..4_u8).prop_map(State::holds), Just(State::UNKNOWN)],
            1..=crate::PROCESSORS_MAX,
        )
    }

    /// `busy`: a bit for each processor that the RTOS has.
    fn taken(busy: u8, processors: usize) -> Taken {
        let taken = Taken::new();
        (0..processors)
            .filter(|processor| busy >> processor & 1 != 0)
            .for_each(|processor| taken.share(processor));
        taken
    }

    proptest! {
        #[test]
        fn nobody_waits_but_under_bounded_defer(states in states(), busy: u8, home: usize, turn: usize, waits: bool) {
            let (processors, home) = (states.len(), home % states.len());
            for policy in Policy::ALL {
                let taken = taken(busy, processors);
                let choice = choose(policy, (home, processors), &taken, (turn, waits), |at| states[at]);
                let may = policy == Policy::BoundedDefer && waits && states[home] != State::FREE;
                prop_assert_eq!(choice == Choice::Later, may, "{:?}", policy);
                if let Choice::At(at, _) = choice {
                    prop_assert!(at < processors);
                    prop_assert_eq!(taken.tasks(at), u32::from(busy >> at & 1) + 1);
                    taken.give(at);
                }
                // What was not chosen was not taken.
                for at in 0..processors {
                    prop_assert_eq!(taken.tasks(at), u32::from(busy >> at & 1));
                }
            }
        }

        #[test]
        fn least_locked_takes_the_best_that_there_is(states in states(), busy: u8, home: usize) {
            let (processors, home) = (states.len(), home % states.len());
            let (choice, taken) = {
                let taken = taken(busy, processors);
                (choose(Policy::LeastLocked, (home, processors), &taken, (0, false), |at| states[at]), taken)
            };
            let Choice::At(at, found) = choice else { panic!("it does not wait") };
            let was_looked_at = busy >> at & 1 == 0;
            prop_assert_eq!(found, if was_looked_at { states[at] } else { State::UNKNOWN });
            let (is_home, is_ours) = (|at: &usize| *at == home, |at: &usize| busy >> at & 1 != 0);
            let rank = |at: &usize| (is_ours(at), if is_ours(at) { State::FREE } else { states[*at] }, !is_home(at));
            let best = (0..processors).map(|at| rank(&at)).min();
            prop_assert_eq!(Some(rank(&at)), best);
            prop_assert!(taken.tasks(at) > 0);
        }

        #[test]
        fn spread_comes_to_each(processors in 1..=crate::PROCESSORS_MAX, first: u16) {
            let taken = Taken::new();
            let mut seen = Vec::new();
            for turn in 0..processors {
                let told = |_| panic!("it looks at no lock");
                match choose(Policy::Spread, (0, processors), &taken, (turn + usize::from(first), false), told) {
                    Choice::At(at, _) => { taken.give(at); seen.push(at) }
                    Choice::Later => panic!("it does not wait"),
                }
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..processors).collect::<Vec<_>>());
        }
    }

    #[test]
    fn where_home_is_free_nobody_else_is_looked_at() {
        let mut looked = Vec::new();
        let choice = choose(Policy::LeastLocked, (1, 4), &Taken::new(), (0, false), |at| {
            looked.push(at);
            State::FREE
        });
        assert_eq!((choice, looked), (Choice::At(1, State::FREE), [1].into()));
    }

    #[test]
    fn a_policy_has_a_number() {
        assert_eq!(Policy::of(2), Some(Policy::LeastLocked));
        assert_eq!((Policy::of(4), Policy::of(u64::MAX)), (None, None));
    }
}
