//! Messages that come from other nodes (NODE-36, NODE-37): any bytes are read or refused, the same as a struct and as a view, with memory for no more
//! than has come; what is read is written again as it came.
//!
//! Input: which type, how many bytes a message before it has, that one, and the message.

use crate::memory::taken;
use crate::messages::{fuzzed, roscpp, rosgraph_msgs, sensor_msgs};
use tokkyu_message::{Message, View, read_whole, write_to};

/// Memory for each byte that came: a string's own is 6 times its length word, and an array's first four elements are taken together.
const MOST: usize = 32;

/// What a view says of a message is what the message says of itself.
fn same_text<M: Message>(message: &M, view: &M::View<'_>) -> bool {
    format!("{view:?}").replace("View", "") == format!("{message:?}").replace("View", "")
}

/// As it came, but for a `bool`, which is true in many ways and is written in one.
fn is_as_it_came(came: &[u8], written: &[u8]) -> bool {
    let is_same = |(came, written): (&u8, &u8)| came == written || (*came > 1 && *written == 1);
    came.len() == written.len() && came.iter().zip(written).all(is_same)
}

fn check<M: Message>(former: &[u8], bytes: &[u8], is_shown: bool) {
    let before = taken();
    let mut message = M::default();
    let read = read_whole(&mut message, bytes);
    assert!(taken() - before <= MOST * bytes.len() + 64, "{} bytes for {}", taken() - before, bytes.len());

    let before = taken();
    let view = M::View::of(bytes);
    assert_eq!(taken(), before, "a view takes no memory");
    assert_eq!(read.err(), view.as_ref().err().copied(), "struct and view differ");

    let Ok(view) = view else { return };
    assert!(!is_shown || same_text(&message, &view));
    let mut written = Vec::new();
    write_to(&message, &mut written);
    assert!(is_as_it_came(bytes, &written));
    assert!(bytes.is_empty() || M::View::of(&bytes[..bytes.len() - 1]).is_err(), "it ends before it ends");

    // Into what another message, or half of one, left behind.
    let mut used = M::default();
    let _ = read_whole(&mut used, former);
    assert_eq!(read_whole(&mut used, bytes), Ok(()));
    let mut again = Vec::new();
    write_to(&used, &mut again);
    assert_eq!(again, written);
}

/// Takes one input.
pub fn run(input: &[u8]) {
    let Some(([which, length], rest)) = input.split_first_chunk() else { return };
    let (former, bytes) = rest.split_at(usize::from(*length).min(rest.len()));
    match which % 7 {
        0 => check::<fuzzed::All>(former, bytes, true),
        1 => check::<fuzzed::Deep>(former, bytes, true),
        // Many of nothing take a while to show.
        2 => check::<fuzzed::Empties>(former, bytes, false),
        3 => check::<fuzzed::Fixed>(former, bytes, true),
        4 => check::<rosgraph_msgs::Log>(former, bytes, true),
        5 => check::<sensor_msgs::Image>(former, bytes, true),
        _ => check::<roscpp::GetLoggersResponse>(former, bytes, true),
    }
}
