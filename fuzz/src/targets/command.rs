//! A drive command (drive/SPEC.md DRV-1 to DRV-5) into the gate: what is read is written again as the same bytes, and
//! the motors never get anything out of range.

use std::time::Duration;
use tokkyu_contract::MonoTime;
use tokkyu_drive::control::Command;
use tokkyu_drive::control::command::COMMAND_BYTES;
use tokkyu_drive::safety::{Age, Gate, Limits};

fn check_bytes(bytes: &[u8], command: &Command<tokkyu_contract::PeerTime>) {
    let issued = MonoTime::from_nanos(command.issued.as_nanos());
    let again = Command { controls: command.controls, sequence: command.sequence, issued };
    assert_eq!(again.encode(), bytes, "DRV-5");
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let mut gate = Gate::new(Limits::default());
    let mut now = MonoTime::from_millis(1_000);
    for chunk in bytes.chunks(COMMAND_BYTES + 3) {
        let (times, sample) = chunk.split_at(chunk.len().min(3));
        let times = [0, 1, 2].map(|at| u64::from(*times.get(at).unwrap_or(&0)));
        let [step, estimate, error] = times.map(Duration::from_millis);
        now += step;
        if let Ok(command) = Command::decode(sample) {
            check_bytes(sample, &command);
            gate.on_command(now, Age { estimate, error }, &command);
        }
        gate.on_tick(now);
        let out = gate.output();
        assert!((0.0..=1.0).contains(&out.throttle()) && (0.0..=1.0).contains(&out.brake()), "{out:?}");
        assert!((-1.0..=1.0).contains(&out.steering()), "{out:?}");
    }
}
