//! What an end may announce (LNK-6, LNK-30): checked where the application asks, so that no table is ever too much for
//! the peer.

use std::collections::BTreeSet;
use tokkyu_contract::FlowId;

/// Publications an end may have, and subscriptions as well (LNK-6).
pub const MAX_ENDPOINTS: usize = 1024;
/// Longest topic or type, bytes (LNK-30).
pub const MAX_NAME: usize = 255;

/// An endpoint was refused: it would exceed a limit of the link.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// LNK-6.
    #[error("more than {limit} {kind}s at one end; one end of a link has at most {limit}")]
    TooMany {
        /// "publication" or "subscription".
        kind: &'static str,
        /// The limit.
        limit: usize,
    },
    /// LNK-31.
    #[error("there is a {kind} with the number {number} already, or it is 0; leave the choice to the link")]
    Number {
        /// "publication" or "subscription".
        kind: &'static str,
        /// The number.
        number: u16,
    },
    /// LNK-30.
    #[error("topic {topic:?} is {bytes} bytes long; it has 1 to {limit} bytes")]
    Topic {
        /// How it begins.
        topic: String,
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// LNK-30.
    #[error("the type of topic {topic:?} has a name of {bytes} bytes; it has at most {limit}")]
    Type {
        /// The topic.
        topic: String,
        /// Length of the type's name.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
}

/// Numbers of an end's endpoints of one kind, given in turn (LNK-31).
#[derive(Clone, Debug)]
pub struct Numbers {
    kind: &'static str,
    last: u16,
    taken: BTreeSet<u16>,
}

impl Numbers {
    /// None is taken; the first is 1.
    pub fn of(kind: &'static str) -> Self {
        Numbers { kind, last: 0, taken: BTreeSet::new() }
    }

    /// Takes the next one.
    ///
    /// # Errors
    /// As many are taken as one end may have (LNK-6).
    pub fn take(&mut self) -> Result<FlowId, EndpointError> {
        let mut number = self.next();
        while self.taken.contains(&number.0) {
            number = after(number.0);
        }
        self.claim(number).map(|()| number)
    }

    /// Takes `number`; the next one is behind it.
    ///
    /// # Errors
    /// It is taken or 0, or as many are taken as one end may have (LNK-6).
    pub fn claim(&mut self, number: FlowId) -> Result<(), EndpointError> {
        if self.taken.len() >= MAX_ENDPOINTS {
            return Err(EndpointError::TooMany { kind: self.kind, limit: MAX_ENDPOINTS });
        }
        if number.0 == 0 || !self.taken.insert(number.0) {
            return Err(EndpointError::Number { kind: self.kind, number: number.0 });
        }
        self.last = number.0;
        Ok(())
    }

    /// Gives one back: it comes again after all others.
    pub fn give_back(&mut self, number: FlowId) {
        self.taken.remove(&number.0);
    }

    /// The lowest that the next one can be.
    pub fn next(&self) -> FlowId {
        after(self.last)
    }
}

fn after(number: u16) -> FlowId {
    FlowId(number.checked_add(1).unwrap_or(1))
}

/// Whether a table can name the endpoint.
///
/// # Errors
/// It cannot: a name is too long, or there is no topic (LNK-30).
pub fn check_names(topic: &str, type_name: &str) -> Result<(), EndpointError> {
    if topic.is_empty() || topic.len() > MAX_NAME {
        let topic_begin = topic.chars().take(32).collect();
        return Err(EndpointError::Topic { topic: topic_begin, bytes: topic.len(), limit: MAX_NAME });
    }
    if type_name.len() > MAX_NAME {
        let topic = topic.to_owned();
        return Err(EndpointError::Type { topic, bytes: type_name.len(), limit: MAX_NAME });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_comes_back_after_all_others_and_one_that_is_taken_is_passed_over() {
        let mut numbers = Numbers::of("publication");
        let mut take = |give_back: bool| {
            let number = numbers.take().expect("there is room");
            give_back.then(|| numbers.give_back(number));
            number.0
        };
        assert_eq!((take(false), take(true), take(true)), (1, 2, 3), "3 though 2 is free");
        assert!((4..=u16::MAX).all(|expected| take(true) == expected));
        assert_eq!(take(false), 2, "1 is taken");
    }

    #[test]
    fn as_many_are_taken_as_one_end_may_have_and_each_given_back_makes_room() {
        let mut numbers = Numbers::of("publication");
        (0..MAX_ENDPOINTS).for_each(|_| _ = numbers.take().expect("there is room"));
        assert!(matches!(numbers.take(), Err(EndpointError::TooMany { .. })));
        numbers.give_back(FlowId(7));
        assert_eq!(numbers.take(), Ok(FlowId(1_025)));
        numbers.give_back(FlowId(7));
        assert!(matches!(numbers.take(), Err(EndpointError::TooMany { .. })), "given back once");
    }

    #[test]
    fn a_number_is_claimed_once_and_0_never() {
        let mut numbers = Numbers::of("subscription");
        assert_eq!(numbers.claim(FlowId(40_000)), Ok(()));
        for number in [0, 40_000] {
            let error = EndpointError::Number { kind: "subscription", number };
            assert_eq!(numbers.claim(FlowId(number)), Err(error));
        }
        assert_eq!(numbers.take(), Ok(FlowId(40_001)));
    }
}
