//! What comes from a fleet's network (fleet/SPEC.md FLT-1, FLT-10, FLT-20): a key in the first line, then a payload. Any
//! bytes are taken; what was accepted is within its bounds and can be told again.

use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::is_label;
use tokkyu_fleet::protocol::call::{Answer, Call, can_be_dialled};
use tokkyu_fleet::protocol::keys::{self, Kind};
use tokkyu_fleet::protocol::roster::Roster;
use tokkyu_fleet::protocol::state::{MAX_BYTES, State};

/// Takes one input.
pub fn run(input: &[u8]) {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (key, payload) = (String::from_utf8_lossy(&input[..end]), input.get(end + 1..).unwrap_or_default());
    if let Some((vehicle, kind)) = keys::parse(&key) {
        assert_eq!(vehicle.key(kind), key, "FLT-1");
        let mut roster = Roster::default();
        roster.on_token(&vehicle.key(Kind::Alive), true);
        roster.on_state(&key, payload, MonoTime::ZERO);
        let known = roster.present().next().expect("its token is there").1;
        if let Some((_, Ok(state))) = &known.state {
            assert_eq!(state.robot, vehicle.robot(), "FLT-13");
        }
    }
    if let Ok(state) = State::parse(payload) {
        assert!(is_label(&state.robot), "FLT-10");
        let told = state.to_bytes();
        assert!(told.len() <= MAX_BYTES, "FLT-10");
        assert!(State::parse(&told).is_ok(), "what is told can be read");
    }
    if let Ok(call) = Call::parse(payload) {
        assert!(can_be_dialled(call.address) && call.public_key().is_some(), "FLT-20");
        assert_eq!(Call::parse(&call.to_bytes()), Ok(call));
    }
    if let Ok(answer) = Answer::parse(payload) {
        assert_eq!(Answer::parse(&answer.to_bytes()), Ok(answer));
    }
}
