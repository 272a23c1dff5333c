//! By what bridges know each other's participants and endpoints: ROS2-31.
//!
//! Pure. Marks stand in USER_DATA, where ROS 2 writes `key=value;` of its own and reads that of everybody. A key of
//! letters and digits that it does not know, ROS 2 passes over; for any other one it drops the whole, type hash and all.

/// The key of both marks.
const KEY: &str = "tokkyubridge";

/// A participant's mark: which run of a bridge it is.
pub fn mark(instance: u64) -> Vec<u8> {
    format!("{KEY}={instance:016x};").into_bytes()
}

/// The instance in a participant's mark; `None` unless it is written as [`mark`] does.
pub(super) fn instance_in(user_data: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(user_data).ok()?;
    let digits = text.strip_prefix(KEY)?.strip_prefix('=')?.strip_suffix(';')?;
    let instance = u64::from_str_radix(digits, 16).ok()?;
    (user_data == mark(instance)).then_some(instance)
}

/// What each endpoint of a bridge has in its USER_DATA: unlike its participant's mark it is there as soon as the endpoint
/// is.
pub const ENDPOINT_MARK: &str = "tokkyubridge=1;";

/// USER_DATA of a bridge's endpoint that stands for one with `user_data`.
pub fn marked(user_data: &[u8]) -> Vec<u8> {
    // Without it the mark would be the end of the last value.
    let end: &[u8] = if user_data.is_empty() || user_data.ends_with(b";") { b"" } else { b";" };
    [user_data, end, ENDPOINT_MARK.as_bytes()].concat()
}

/// Whether an endpoint with this USER_DATA is a bridge's.
pub fn is_marked(user_data: &[u8]) -> bool {
    let before = user_data.strip_suffix(ENDPOINT_MARK.as_bytes());
    before.is_some_and(|before| before.is_empty() || before.ends_with(b";"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const HASH: &str = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18";

    /// What ROS 2 reads there, by the rule of rmw's `parse_key_value`: `key=value;` over and over, a key of letters and
    /// digits, no value empty, the last `;` may be missing. Nothing at all of what is otherwise.
    fn read_by_ros_2(user_data: &[u8]) -> Option<BTreeMap<String, String>> {
        let text = std::str::from_utf8(user_data).ok()?;
        let text = text.strip_suffix(';').unwrap_or(text);
        let is_key = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let pair = |pair: &str| {
            let (key, value) = pair.split_once('=')?;
            (is_key(key) && !value.is_empty()).then(|| (key.to_owned(), value.to_owned()))
        };
        text.split(';').map(pair).collect()
    }

    #[test]
    fn ros_2_still_reads_the_type_hash_of_a_marked_endpoint() {
        for end in [";", ""] {
            let user_data = marked(format!("typehash={HASH}{end}").as_bytes());
            let read = read_by_ros_2(&user_data).expect("all of it is read");
            assert_eq!(read["typehash"], HASH);
            assert!(is_marked(&user_data) && read.len() == 2, "{read:?}");
        }
        assert!(read_by_ros_2(&marked(b"")).is_some() && is_marked(&marked(b"")));
    }

    #[test]
    fn ros_2_reads_a_participant_s_mark_and_so_does_the_other_bridge() {
        for instance in [0, 0xab, u64::MAX] {
            let read = read_by_ros_2(&mark(instance)).expect("it is a key and a value");
            assert_eq!(read.into_values().collect::<Vec<_>>(), [format!("{instance:016x}")]);
            assert_eq!(instance_in(&mark(instance)), Some(instance));
        }
    }

    #[test]
    fn what_is_not_written_as_a_mark_is_none() {
        for user_data in [
            "",
            "enclave=/;",
            "tokkyu-bridge;00000000000000ab;",
            "tokkyubridge=ab;",
            "tokkyubridge=+0000000000000ab;",
            "tokkyubridge=00000000000000AB;",
            "tokkyubridge=00000000000000ab",
            "tokkyubridge=00000000000000ab;;",
            "enclave=/;tokkyubridge=00000000000000ab;",
        ] {
            assert_eq!(instance_in(user_data.as_bytes()), None, "{user_data}");
        }
        for user_data in ["", "typehash=x;", "nottokkyubridge=1;", "tokkyubridge=1", "tokkyubridge=1;x=y;"] {
            assert!(!is_marked(user_data.as_bytes()), "{user_data}");
        }
    }
}
