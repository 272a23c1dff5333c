//! A drive command (drive/SPEC.md DRV-1 to DRV-5) into the gate: what is read is written again as the same bytes, and
//! the motors never get anything out of range.

use std::time::Duration;
use tokkyu_contract::MonoTime;
use tokkyu_drive::control::{COMMAND_BYTES, Command};
use tokkyu_drive::safety::{Age, Degraded, Gate, Settings, State, Stops};

fn check_bytes(bytes: &[u8], command: &Command<tokkyu_contract::PeerTime>) {
    let issued = MonoTime::from_nanos(command.issued.as_nanos());
    let Command { controls, sequence, pictures, seat, .. } = *command;
    let again = Command { controls, sequence, issued, pictures, seat };
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
        5 => drop(gate.on_new_driver(now)),
        6 => drop(gate.on_other_stop(now)),
        // From standing, by way of noise, to 5 m/s.
        7.. => gate.on_speed(now, f32::from(what - 7) / 50.0),
        0 => {}
    }
}

fn check_output(gate: &Gate) {
    let out = gate.output();
    assert!((0.0..=1.0).contains(&out.throttle()) && (0.0..=1.0).contains(&out.brake()), "{out:?}");
    assert!((-1.0..=1.0).contains(&out.steering()), "{out:?}");
    assert!(out.throttle() == 0.0 || out.brake() == 0.0 && gate.state() == State::Driving, "DRV-15, DRV-95");
}

/// With a rule for the speed as well, for either kind of motors: 10 m/s at most at 100 ms, of 20.
fn settings() -> [Settings; 3] {
    let usual = Settings::default();
    let rule = Degraded {
        blind_m: 1.0,
        reaction: Duration::from_millis(10),
        top_mps: 20.0,
        comfort: Stops::default().released,
        period: Duration::from_millis(20),
        pictures: Some(Duration::from_millis(500)),
        throttle_is_speed: false,
    };
    let rules = [None, Some(rule), Some(rule.of_speed(true))];
    rules.map(|degraded| Settings { degraded, ..usual })
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    settings().map(Gate::new).iter_mut().for_each(|gate| feed(gate, bytes));
}

fn feed(gate: &mut Gate, bytes: &[u8]) {
    let mut now = MonoTime::from_millis(1_000);
    for chunk in bytes.chunks(COMMAND_BYTES + HEAD_BYTES) {
        let (head, sample) = chunk.split_at(chunk.len().min(HEAD_BYTES));
        let head = [0, 1, 2, 3].map(|at| *head.get(at).unwrap_or(&0));
        let [step, estimate, error] = [0, 1, 2].map(|at| Duration::from_millis(head[at].into()));
        now += step;
        happen(gate, now, head[3]);
        if let Ok(command) = Command::decode(sample) {
            check_bytes(sample, &command);
            gate.on_command(now, Age { estimate, error }, &command);
            check_output(gate);
        }
        gate.on_tick(now);
        check_output(gate);
        let most = gate.cap(now).and_then(|cap| cap.most_mps);
        assert!(most.is_none_or(|mps| (0.0..20.0).contains(&mps)), "{most:?}");
    }
}
