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
    /// There; it is taken, until [`Taken::give`].
    At(usize),
    /// Ask again a little later.
    Later,
}

/// Chooses among the first `processors`, of which `home` is one. `turn` counts the task's activations; `may_wait` says whether
/// the task can be begun later still. `state` is asked as seldom as it can be: it takes time.
pub fn choose(
    policy: Policy,
    (home, processors): (usize, usize),
    taken: &Taken,
    (turn, may_wait): (usize, bool),
    mut state: impl FnMut(usize) -> State,
) -> Choice {
    match policy {
        Policy::Static => at_home(home, taken),
        Policy::Spread => in_turn(turn % processors, processors)
            .find(|processor| taken.try_take(*processor))
            .map_or_else(|| at_home(home, taken), Choice::At),
        Policy::LeastLocked => least_locked(home, processors, taken, state),
        Policy::BoundedDefer if may_wait && state(home) != State::Free => Choice::Later,
        Policy::BoundedDefer => at_home(home, taken),
    }
}

fn at_home(home: usize, taken: &Taken) -> Choice {
    taken.share(home);
    Choice::At(home)
}

/// From one on, each once.
fn in_turn(first: usize, processors: usize) -> impl Iterator<Item = usize> {
    (first..processors).chain(0..first)
}

/// Home is the first of them. A processor is taken only if it is still free then of the RTOS's own tasks, so that nobody waits for another.
fn least_locked(
    home: usize,
    processors: usize,
    taken: &Taken,
    mut state: impl FnMut(usize) -> State,
) -> Choice {
    let mut is_free = |processor: &usize| {
        taken.tasks(*processor) == 0 && state(*processor) == State::Free && taken.try_take(*processor)
    };
    in_turn(home, processors)
        .find(&mut is_free)
        .or_else(|| in_turn(home, processors).find(|processor| taken.try_take(*processor)))
        .map_or_else(|| at_home(home, taken), Choice::At)
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn states() -> impl Strategy<Value = Vec<State>> {
        prop::collection::vec(
            prop_oneof![Just(State::Free), Just(State::Holds), Just(State::Unknown)],
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
                let may = policy == Policy::BoundedDefer && waits && states[home] != State::Free;
                prop_assert_eq!(choice == Choice::Later, may, "{:?}", policy);
                if let Choice::At(at) = choice {
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
            let free = |at: &usize| busy >> at & 1 == 0;
            let unlocked = |at: &usize| free(at) && states[*at] == State::Free;
            let (choice, taken) = {
                let taken = taken(busy, processors);
                (choose(Policy::LeastLocked, (home, processors), &taken, (0, false), |at| states[at]), taken)
            };
            let Choice::At(at) = choice else { panic!("it does not wait") };
            let rank = |at: &usize| match (unlocked(at), free(at), *at == home) {
                (true, _, true) => 0,
                (true, _, false) => 1,
                (_, true, true) => 2,
                (_, true, false) => 3,
                (_, false, true) => 4,
                (_, false, false) => 5,
            };
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
                    Choice::At(at) => { taken.give(at); seen.push(at) }
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
            State::Free
        });
        assert_eq!((choice, looked), (Choice::At(1), [1].into()));
    }

    #[test]
    fn a_policy_has_a_number() {
        assert_eq!(Policy::of(2), Some(Policy::LeastLocked));
        assert_eq!((Policy::of(4), Policy::of(u64::MAX)), (None, None));
    }
}
