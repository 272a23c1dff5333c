//! A drive command (drive/SPEC.md DRV-1 to DRV-5) into the gate: what is read is written again as the same bytes, and
//! the motors never get anything out of range.

use std::time::Duration;
use tokkyu_contract::MonoTime;
use tokkyu_drive::control::{COMMAND_BYTES, Command};
use tokkyu_drive::safety::{Age, Gate, Settings, State};

fn check_bytes(bytes: &[u8], command: &Command<tokkyu_contract::PeerTime>) {
    let issued = MonoTime::from_nanos(command.issued.as_nanos());
    let again = Command { controls: command.controls, sequence: command.sequence, issued };
    assert_eq!(again.encode(), bytes, "DRV-5");
}

/// Bytes before each command: how much later it comes, its age and the error of that in milliseconds, and what else happens.
pub const HEAD_BYTES: usize = 4;

fn happen(gate: &mut Gate, now: MonoTime, what: u8) {
    match what {
        1 => drop(gate.on_new_session(now)),
        2 => drop(gate.on_blind(now)),
        3 => gate.on_sight(),
        4 => drop(gate.on_link_closed(now)),
        // From standing, by way of noise, to 5 m/s.
        5.. => gate.on_speed(now, f32::from(what - 5) / 50.0),
        0 => {}
    }
}

fn check_output(gate: &Gate) {
    let out = gate.output();
    assert!((0.0..=1.0).contains(&out.throttle()) && (0.0..=1.0).contains(&out.brake()), "{out:?}");
    assert!((-1.0..=1.0).contains(&out.steering()), "{out:?}");
    assert!(out.throttle() == 0.0 || out.brake() == 0.0 && gate.state() == State::Driving, "DRV-15, DRV-95");
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let mut gate = Gate::new(Settings::default());
    let mut now = MonoTime::from_millis(1_000);
    for chunk in bytes.chunks(COMMAND_BYTES + HEAD_BYTES) {
        let (head, sample) = chunk.split_at(chunk.len().min(HEAD_BYTES));
        let head = [0, 1, 2, 3].map(|at| *head.get(at).unwrap_or(&0));
        let [step, estimate, error] = [0, 1, 2].map(|at| Duration::from_millis(head[at].into()));
        now += step;
        happen(&mut gate, now, head[3]);
        if let Ok(command) = Command::decode(sample) {
            check_bytes(sample, &command);
            gate.on_command(now, Age { estimate, error }, &command);
            check_output(&gate);
        }
        gate.on_tick(now);
        check_output(&gate);
    }
}
