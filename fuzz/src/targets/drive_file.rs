//! A drive file (drive/SPEC.md DRV-9): any text gives steps in range and in order of time, or a line and what is wrong.

use tokkyu_contract::MonoTime;
use tokkyu_drive::control::ControlSource;
use tokkyu_drive::control::recording::{Player, parse};

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match parse(text) {
        Ok(steps) => {
            assert!(steps.windows(2).all(|pair| pair[0].time < pair[1].time), "DRV-9");
            let last = steps.last().map(|step| step.time);
            let mut player = Player::new(steps, false);
            assert_eq!(Some(player.length()), last);
            for now in [MonoTime::ZERO, MonoTime::from_millis(1), MonoTime::MAX] {
                let controls = player.controls(now).expect("a file that was read never fails to play");
                assert!((0.0..=1.0).contains(&controls.throttle()), "{controls:?}");
            }
        }
        Err((line, what)) => {
            // An empty drive is told at the line its first step should stand in.
            assert!((1..=text.lines().count() + 1).contains(&line), "line {line}");
            assert!(!what.chars().any(char::is_control), "{what:?}");
        }
    }
}
