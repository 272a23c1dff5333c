//! What the messages of two bridges have around what they say: ROS2-34, NODE-94.
//!
//! Pure. What is read comes from outside: it is bounded before it is looked at, and nothing panics. What a topic is stands
//! in a message of each middleware's own; here is what is the same of all.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Longest message.
pub const MESSAGE_MAX_BYTES: usize = 256 << 10;
/// Most topics, and most names, in one.
pub const ENTRIES_MAX: usize = 512;

/// A message was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// It is longer than any.
    #[error("{0} bytes are more than a message may have, {MESSAGE_MAX_BYTES}")]
    TooLong(usize),
    /// The other bridge is of another age.
    #[error("the other bridge speaks version {theirs}, this one {ours}: use the same tokkyu at both ends")]
    Version {
        /// The message's.
        theirs: u32,
        /// The one that is understood here.
        ours: u32,
    },
    /// It is not what ROS2-34 or NODE-94 says.
    #[error("not a bridge's message: {0}")]
    Malformed(String),
}

/// Reads a message of `version` as JSON, and makes of it what `checked` says.
///
/// # Errors
/// It is too long, of another version, not the JSON of a `J`, or `checked` says what is wrong.
pub fn read<J: DeserializeOwned, M>(
    bytes: &[u8],
    version: u32,
    checked: impl FnOnce(J) -> Result<M, &'static str>,
) -> Result<M, MessageError> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    if bytes.len() > MESSAGE_MAX_BYTES {
        return Err(MessageError::TooLong(bytes.len()));
    }
    let malformed = |error: serde_json::Error| MessageError::Malformed(error.to_string());
    let Version { version: theirs } = serde_json::from_slice(bytes).map_err(malformed)?;
    if theirs != version {
        return Err(MessageError::Version { theirs, ours: version });
    }
    let json: J = serde_json::from_slice(bytes).map_err(malformed)?;
    checked(json).map_err(|what| MessageError::Malformed(what.to_owned()))
}

/// The number of a run as a message writes it.
pub fn digits_of(instance: u64) -> String {
    format!("{instance:016x}")
}

/// The number of a run that a message writes so.
///
/// # Errors
/// It is none.
pub fn instance_of(digits: &str) -> Result<u64, &'static str> {
    if digits.len() != 16 {
        return Err("instance has not 16 digits");
    }
    u64::from_str_radix(digits, 16).map_err(|_| "instance is no number")
}

/// No message has more than [`ENTRIES_MAX`] topics or names.
///
/// # Errors
/// This one has.
pub fn check_entries(topics: usize, wanted: usize) -> Result<(), &'static str> {
    match topics.max(wanted) {
        0..=ENTRIES_MAX => Ok(()),
        _ => Err("more entries than a bridge carries"),
    }
}

/// No message tells of a topic twice.
///
/// # Errors
/// This one does.
pub fn check_distinct<'n>(mut names: impl Iterator<Item = &'n str>) -> Result<(), &'static str> {
    let mut known = BTreeSet::new();
    match names.all(|name| known.insert(name)) {
        true => Ok(()),
        false => Err("a topic is told of twice"),
    }
}

/// Leaves out the last topics until a message that is `over` bytes too long fits; gives how many. `json` is what stands
/// for a topic in the message.
pub fn leave_out_last<T, J: Serialize>(
    topics: &mut Vec<T>,
    mut over: usize,
    json: impl Fn(&T) -> J,
) -> usize {
    let mut left_out = 0;
    while over > 0
        && let Some(topic) = topics.pop()
    {
        over = over.saturating_sub(json_len(&json(&topic)));
        left_out += 1;
    }
    left_out
}

/// Bytes that `value` takes in a message.
pub fn json_len(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |json| json.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Json {
        number: u64,
    }

    fn read_number(text: &str) -> Result<u64, MessageError> {
        read(text.as_bytes(), 3, |json: Json| match json.number {
            0 => Err("number is 0"),
            number => Ok(number),
        })
    }

    #[test]
    fn a_message_is_refused_for_its_length_its_version_and_what_it_says_in_this_order() {
        assert_eq!(read_number(r#"{"version": 3, "number": 7, "later": [1]}"#), Ok(7), "unknown fields pass");
        let long = " ".repeat(MESSAGE_MAX_BYTES + 1);
        assert_eq!(read_number(&long), Err(MessageError::TooLong(long.len())));
        let other = MessageError::Version { theirs: 4, ours: 3 };
        assert_eq!(read_number(r#"{"version": 4, "words": []}"#), Err(other.clone()));
        assert!(other.to_string().contains("speaks version 4, this one 3"));
        for text in [r#"{"version": 3, "number": -7}"#, r#"{"number": 7}"#, "", "[]"] {
            assert!(matches!(read_number(text), Err(MessageError::Malformed(_))), "{text}");
        }
        let zero = read_number(r#"{"version": 3, "number": 0}"#);
        assert_eq!(zero, Err(MessageError::Malformed("number is 0".to_owned())));
    }

    #[test]
    fn a_message_of_the_greatest_length_is_read() {
        let text = r#"{"version": 3, "number": 7}"#;
        let padded = format!("{text}{}", " ".repeat(MESSAGE_MAX_BYTES - text.len()));
        assert_eq!(read_number(&padded), Ok(7));
    }

    #[test]
    fn the_number_of_a_run_has_sixteen_digits() {
        for instance in [0, 0xab, u64::MAX] {
            assert_eq!(instance_of(&digits_of(instance)), Ok(instance));
        }
        for digits in ["ab", "00000000000000ax", "000000000000000ab", ""] {
            assert!(instance_of(digits).is_err(), "{digits}");
        }
    }

    #[test]
    fn too_many_entries_and_a_name_told_twice_are_refused() {
        assert!(check_entries(ENTRIES_MAX, ENTRIES_MAX).is_ok());
        assert!(check_entries(ENTRIES_MAX + 1, 0).is_err() && check_entries(0, ENTRIES_MAX + 1).is_err());
        assert!(
            check_distinct(["a", "b"].into_iter()).is_ok()
                && check_distinct(["a", "b", "a"].into_iter()).is_err()
        );
    }

    #[test]
    fn the_last_topics_are_left_out_until_the_message_fits() {
        let left = |over| {
            let mut topics = vec!["one", "two", "three"];
            (leave_out_last(&mut topics, over, |topic| topic.to_string()), topics.len())
        };
        // `"three"` takes 7 bytes, `"two"` 5.
        assert_eq!(
            [left(0), left(1), left(7), left(8), left(12), left(999)],
            [(0, 3), (1, 2), (1, 2), (2, 1), (2, 1), (3, 0)]
        );
    }
}
