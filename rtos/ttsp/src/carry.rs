//! Plans as bytes, for a machine that is given them before it begins.
//!
//! A folder of plans: `MAGIC`, how many, then for each its length and itself; numbers are 32 bits, the lowest first. A plan is in the form
//! of postcard, which both ends are built with.

use alloc::vec::Vec;

use crate::plan::Plan;

/// How it begins.
pub const MAGIC: u32 = 0x5054_5354;

/// Many plans.
pub fn pack<'a>(plans: impl ExactSizeIterator<Item = &'a Plan>) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(MAGIC.to_le_bytes());
    bytes.extend((plans.len() as u32).to_le_bytes());
    for plan in plans {
        // A plan is numbers and words, in memory: there is nothing in it that has no bytes.
        let packed = postcard::to_allocvec(plan).unwrap_or_default();
        bytes.extend((packed.len() as u32).to_le_bytes());
        bytes.extend(packed);
    }
    bytes
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// How many there are; `None` if there is no folder of plans.
pub fn count(bytes: &[u8]) -> Option<u32> {
    (word(bytes, 0)? == MAGIC).then(|| word(bytes, 4)).flatten()
}

/// One of them, from 0; `None` if it is not there, or is none.
pub fn unpack(bytes: &[u8], index: u32) -> Option<Plan> {
    if index >= count(bytes)? {
        return None;
    }
    let mut at = 8;
    for _ in 0..index {
        at += 4 + word(bytes, at)? as usize;
    }
    let length = word(bytes, at)? as usize;
    postcard::from_bytes(bytes.get(at + 4..at + 4 + length)?).ok()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::plan::{Action, Actor, Call, Function, Wanted};

    fn plan(name: &str) -> Plan {
        let call = Call { function: Function::act_tsk, arguments: [1, 0, 0, -1, i64::MAX] };
        let action = Action::Do { actor: Actor::Task(2), call, wanted: Wanted::Code(-18) };
        Plan { name: name.to_string(), actions: [action].into(), ..Plan::default() }
    }

    #[test]
    fn what_is_packed_comes_out_and_nothing_else_is_a_plan() {
        let plans = [plan("first"), plan(""), plan("third")];
        let bytes = pack(plans.iter());
        assert_eq!(count(&bytes), Some(3));
        for (index, plan) in plans.iter().enumerate() {
            let out = unpack(&bytes, index as u32).expect("it was packed");
            assert_eq!(alloc::format!("{out:?}"), alloc::format!("{plan:?}"));
        }
        assert!(unpack(&bytes, 3).is_none());
        for length in 0..bytes.len() {
            assert!(unpack(&bytes[..length], 2).is_none(), "{length} bytes");
        }
        assert_eq!(count(&bytes[1..]), None);
    }
}
