//! Calls of an image's own master (node/SPEC.md NODE-122 to NODE-125), one after the other, as documents behind each other: each has an answer that
//! can be read, and who is told is told a call that can be.

use tokkyu_node_master::Master;
use tokkyu_ros1::xmlrpc::{read_answer, read_call};

/// What may be told of one call: all topics of a node that is gone, to all who subscribe.
const TOLD_MOST: usize = 1 << 16;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let mut master = Master::new("http://10.0.2.15:11411/", 1);
    for call in bytes.split(|byte| *byte == 0) {
        let answered = master.on_call(call);
        read_answer(answered.body.as_bytes()).expect("an answer");
        assert!(answered.told.len() <= TOLD_MOST, "told {} things at once", answered.told.len());
        for told in answered.told {
            read_call(told.body.as_bytes()).expect("a call");
        }
    }
}
