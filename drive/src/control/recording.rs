//! Drive files: a drive as a text that people can read and edit, played and recorded.
//!
//! A drive file is CSV with the header `time_ms,throttle,brake,steering,dead_man,enable,gear`; each line holds from its time
//! until the next one's. `dead_man` is 1 while it is held, else 0; `enable` is 1 while the enable button is pressed; `gear` is -1 to reverse, 1 to go
//! forward. A line
//! with both, without throttle, after 0.5 s without, is the press that the gate waits for, at the beginning and after each
//! stop (DRV-87). Reading happens once before the drive, bounded by [`LONGEST_FILE_BYTES`]; playing is a binary search
//! and never waits; recording writes one line when something changed, into a buffer. SPEC.md DRV-9.
//! Invariants: lines played are in range and in order of time; after the last one the controls are neutral,
//! and without the dead-man there is no throttle.
//!
//! Lamps, horn and mode are not recorded. Emergency stops are not recorded either: a drive that is played must not be able to leave a vehicle latched.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokkyu_contract::MonoTime;

use super::{ControlError, ControlSource, Controls, Fittings};

/// First line of every drive file.
pub const HEADER: &str = "time_ms,throttle,brake,steering,dead_man,enable,gear";
/// What files began with that had no enable button, or not even a dead-man.
const EARLIER_HEADERS: [&str; 2] =
    ["time_ms,throttle,brake,steering,enabled", "time_ms,throttle,brake,steering"];
/// Longest drive file: over 20 hours at 50 lines a second in this format.
pub const LONGEST_FILE_BYTES: u64 = 128 << 20;

/// One line: the controls from this time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Time since the beginning of the drive.
    pub time: Duration,
    /// What holds from then on.
    pub controls: Controls,
}

/// Reads the drive file at `path`.
///
/// # Errors
/// [`ControlError::Io`], or [`ControlError::Line`] with the line that is wrong and why.
pub fn read(path: &Path) -> Result<Vec<Step>, ControlError> {
    let failed = |source| ControlError::Io { path: path.into(), source };
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    file.take(LONGEST_FILE_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > LONGEST_FILE_BYTES {
        let what = format!("the file is longer than {} MiB; split the drive", LONGEST_FILE_BYTES >> 20);
        return Err(ControlError::Line { path: path.into(), line: text.lines().count(), what });
    }
    parse(&text).map_err(|(line, what)| ControlError::Line { path: path.into(), line, what })
}

/// The steps in `text`; an error is the number of a line, from 1, and what is wrong with it. Empty lines are passed
/// over.
///
/// # Errors
/// No header, no step, a wrong number of values, a value that is not a number or out of range, or a time that is
/// not later than the one before.
pub fn parse(text: &str) -> Result<Vec<Step>, (usize, String)> {
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let header = lines.next().map_or("", |(_, line)| line.trim_start_matches('\u{feff}'));
    if EARLIER_HEADERS.contains(&header) {
        let how = "the columns after steering are dead_man (1 while it is held) and enable (1 while the button is \
                   pressed); begin with 500 ms of 0,0, then 1,1 without throttle, then 1,0; gear follows, 1 is forward";
        return Err((1, format!("a drive that nobody enables moves nothing; {how}")));
    }
    if header != HEADER {
        return Err((1, format!("the first line must be \"{HEADER}\"")));
    }
    let mut steps: Vec<Step> = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let step = parse_step(line).map_err(|what| (number, what))?;
        if let Some(before) = steps.last().filter(|before| before.time >= step.time) {
            let (this, before) = (step.time.as_millis(), before.time.as_millis());
            return Err((number, format!("time_ms {this} must be later than the line before ({before})")));
        }
        steps.push(step);
    }
    if steps.is_empty() { Err((2, "the drive has no line after its header".into())) } else { Ok(steps) }
}

fn parse_step(line: &str) -> Result<Step, String> {
    let values: Vec<&str> = line.split(',').map(str::trim).collect();
    let [time, throttle, brake, steering, dead_man, enable, gear] = values[..] else {
        return Err(format!("{} values where 7 are expected: {HEADER}", values.len()));
    };
    let time_ms: u64 = time
        .parse()
        .map_err(|_| format!("time_ms \"{}\" is not a whole number of milliseconds", shown(time)))?;
    let number = |field: &str, word: &str| {
        word.parse::<f32>().map_err(|_| format!("{field} \"{}\" is not a number", shown(word)))
    };
    let (throttle, brake) = (number("throttle", throttle)?, number("brake", brake)?);
    let controls =
        Controls::new(throttle, brake, number("steering", steering)?).map_err(|error| error.to_string())?;
    let controls = match button("dead_man", dead_man)? {
        true => controls,
        false if throttle == 0.0 => Controls::released(brake, controls.steering()),
        false => return Err(format!("throttle is {throttle} where dead_man is 0: it is not held")),
    };
    let what = || format!("gear \"{}\" is not a whole number from -128 to 127", shown(gear));
    let fittings = Fittings { gear: gear.parse().map_err(|_| what())?, ..Fittings::default() };
    let controls = controls.with_enable(button("enable", enable)?).with_fittings(fittings);
    Ok(Step { time: Duration::from_millis(time_ms), controls })
}

fn button(field: &str, word: &str) -> Result<bool, String> {
    match word {
        "0" => Ok(false),
        "1" => Ok(true),
        other => Err(format!("{field} \"{}\" is neither 0 nor 1", shown(other))),
    }
}

fn shown(word: &str) -> String {
    crate::text::printable(word, 40)
}

/// Plays a drive, once or again and again.
pub struct Player {
    steps: Vec<Step>,
    repeat: bool,
    begun: Option<MonoTime>,
}

impl Player {
    /// Plays `steps` (as [`parse`] gives them) from the first question for controls on.
    pub fn new(steps: Vec<Step>, repeat: bool) -> Player {
        Player { steps, repeat, begun: None }
    }

    /// Length of the drive: the time of its last line, from which on the controls are neutral or the drive begins
    /// again.
    pub fn length(&self) -> Duration {
        self.steps.last().map_or(Duration::ZERO, |step| step.time)
    }

    fn at(&self, elapsed: Duration) -> Controls {
        let length = self.length();
        let elapsed = match (self.repeat, elapsed.as_nanos().checked_rem(length.as_nanos())) {
            (true, Some(rest)) => Duration::from_nanos(rest as u64),
            _ if elapsed >= length => return Controls::NEUTRAL,
            _ => elapsed,
        };
        let after = self.steps.partition_point(|step| step.time <= elapsed);
        after.checked_sub(1).map_or(Controls::NEUTRAL, |index| self.steps[index].controls)
    }
}

impl ControlSource for Player {
    fn controls(&mut self, now: MonoTime) -> Result<Controls, ControlError> {
        let begun = *self.begun.get_or_insert(now);
        Ok(self.at(now.since(begun)))
    }
}

/// Writes a drive file while another source drives.
pub struct Recorder {
    path: PathBuf,
    file: BufWriter<File>,
    begun: Option<MonoTime>,
    last: Option<Step>,
}

impl Recorder {
    /// Begins the file at `path`, which must not exist.
    ///
    /// # Errors
    /// [`ControlError::Io`].
    pub fn create(path: &Path) -> Result<Recorder, ControlError> {
        let failed = |source| ControlError::Io { path: path.into(), source };
        let mut file = BufWriter::new(File::create_new(path).map_err(failed)?);
        writeln!(file, "{HEADER}").map_err(failed)?;
        Ok(Recorder { path: path.into(), file, begun: None, last: None })
    }

    /// `controls` were sent at `now`; written if they differ from those last written, at most one line for each
    /// millisecond.
    ///
    /// # Errors
    /// [`ControlError::Io`] when the disk is full or gone.
    pub fn on_controls(&mut self, now: MonoTime, controls: &Controls) -> Result<(), ControlError> {
        let begun = *self.begun.get_or_insert(now);
        let time = Duration::from_millis(now.since(begun).as_millis() as u64);
        let driven = match controls.dead_man() {
            true => Controls::clamped(controls.throttle(), controls.brake(), controls.steering()),
            false => Controls::released(controls.brake(), controls.steering()),
        };
        let fittings = Fittings { gear: controls.fittings().gear, ..Fittings::default() };
        let driven = driven.with_enable(controls.enable()).with_fittings(fittings);
        if self.last.is_some_and(|last| last.controls == driven || last.time >= time) {
            return Ok(());
        }
        self.write(Step { time, controls: driven })
    }

    /// Ends the file at `now`: writes a last neutral line, which gives the drive its length.
    ///
    /// # Errors
    /// [`ControlError::Io`] when the disk is full or gone.
    pub fn finish(mut self, now: MonoTime) -> Result<(), ControlError> {
        let elapsed = self.begun.map_or(Duration::ZERO, |begun| now.since(begun));
        let after_last = self.last.map_or(Duration::ZERO, |last| last.time + Duration::from_millis(1));
        let time = Duration::from_millis(elapsed.max(after_last).as_millis() as u64);
        self.write(Step { time, controls: Controls::NEUTRAL })?;
        self.file.flush().map_err(|source| ControlError::Io { path: self.path.clone(), source })
    }

    fn write(&mut self, step: Step) -> Result<(), ControlError> {
        let Step { time, controls } = step;
        let (throttle, brake, steering) = (controls.throttle(), controls.brake(), controls.steering());
        self.last = Some(step);
        let (dead_man, enable) = (u8::from(controls.dead_man()), u8::from(controls.enable()));
        let (ms, gear) = (time.as_millis(), controls.fittings().gear);
        writeln!(self.file, "{ms},{throttle},{brake},{steering},{dead_man},{enable},{gear}")
            .map_err(|source| ControlError::Io { path: self.path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DRIVE: &str = "time_ms,throttle,brake,steering,dead_man,enable,gear\n0,0.5,0,0,1,0,1\n\n1000, 0, 1, -0.25, 0, 0, 1\r\n2000,0,0,0,0,0,1\n";

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn controls(throttle: f32, brake: f32, steering: f32) -> Controls {
        Controls::new(throttle, brake, steering).unwrap()
    }

    #[test]
    fn each_line_holds_until_the_next_and_the_end_is_neutral() {
        let mut player = Player::new(parse(DRIVE).unwrap(), false);
        assert_eq!(player.controls(at(7_000)).unwrap(), controls(0.5, 0.0, 0.0));
        assert_eq!(player.controls(at(7_999)).unwrap(), controls(0.5, 0.0, 0.0));
        assert_eq!(player.controls(at(8_000)).unwrap(), Controls::released(1.0, -0.25));
        assert_eq!(player.controls(at(9_000)).unwrap(), Controls::NEUTRAL);
        assert_eq!(player.controls(at(99_000)).unwrap(), Controls::NEUTRAL);
    }

    #[test]
    fn a_drive_that_repeats_begins_again_at_its_last_time() {
        let mut player = Player::new(parse(DRIVE).unwrap(), true);
        player.controls(at(0)).unwrap();
        assert_eq!(player.controls(at(2_000)).unwrap(), controls(0.5, 0.0, 0.0));
        assert_eq!(player.controls(at(3_500)).unwrap(), Controls::released(1.0, -0.25));
    }

    #[test]
    fn each_fault_of_a_drive_file_is_told_with_its_line() {
        let faults = [
            ("", 1, "the first line must be"),
            ("time,throttle\n", 1, "the first line must be"),
            ("time_ms,throttle,brake,steering\n0,1,0,0\n", 1, "a drive that nobody enables moves nothing"),
            ("H\n", 2, "no line after its header"),
            ("time_ms,throttle,brake,steering,enabled\n0,1,0,0,1\n", 1, "enable (1 while"),
            ("H\n0,0,0,1\n", 2, "4 values where 7 are expected"),
            ("H\n0,0,0,0,0,0,1\n\nsoon,0,0,0,0,0,1\n", 4, "time_ms \"soon\" is not a whole number"),
            ("H\n0,0,much,0,1,0,1\n", 2, "brake \"much\" is not a number"),
            ("H\n0,1.5,0,0,1,0,1\n", 2, "throttle is 1.5, allowed is 0 to 1"),
            ("H\n0,0,0,nan,1,0,1\n", 2, "steering is NaN, allowed is -1 to 1"),
            ("H\n0,0,0,0,yes,0,1\n", 2, "dead_man \"yes\" is neither 0 nor 1"),
            ("H\n0,0,0,0,1,2,1\n", 2, "enable \"2\" is neither 0 nor 1"),
            ("H\n0,0,0,0,1,0,128\n", 2, "gear \"128\" is not a whole number"),
            ("H\n0,1,0,0,0,0,1\n", 2, "throttle is 1 where dead_man is 0"),
            ("H\n5,0,0,0,0,0,1\n5,0,0,0,0,0,1\n", 3, "time_ms 5 must be later than the line before (5)"),
        ];
        for (text, line, what) in faults {
            let (found, why) = parse(&text.replace('H', HEADER)).unwrap_err();
            assert!(found == line && why.contains(what), "{text:?}: line {found}: {why}");
        }
    }

    #[test]
    fn what_was_recorded_plays_the_same() {
        let path = std::env::temp_dir().join(format!("tokkyu-drive-{}.csv", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let mut recorder = Recorder::create(&path).unwrap();
        assert!(Recorder::create(&path).is_err(), "a drive that exists is not overwritten");
        let sent = |ms: u64| crate::control::pattern::at(Duration::from_millis(ms));
        for ms in (0..19_000).step_by(20) {
            recorder.on_controls(at(500 + ms), &sent(ms)).unwrap();
        }
        recorder.finish(at(19_500)).unwrap();
        let mut player = Player::new(read(&path).unwrap(), false);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(player.length(), Duration::from_secs(19));
        for ms in (0..19_000).step_by(20) {
            assert_eq!(player.controls(at(ms)).unwrap(), sent(ms), "at {ms} ms");
        }
    }

    #[test]
    fn an_emergency_stop_is_recorded_as_the_braking_it_is_and_no_more() {
        let path = std::env::temp_dir().join(format!("tokkyu-estop-{}.csv", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let mut recorder = Recorder::create(&path).unwrap();
        recorder.on_controls(at(0), &Controls::emergency()).unwrap();
        recorder.finish(at(10)).unwrap();
        let steps = read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(steps[0].controls, Controls::released(1.0, 0.0));
    }

    proptest! {
        #[test]
        fn any_text_is_a_drive_or_a_fault_of_one_of_its_lines(lines in proptest::collection::vec("[0-9a-z,.\\-]{0,20}", 0..8)) {
            let text = format!("{HEADER}\n{}", lines.join("\n"));
            match parse(&text) {
                Ok(steps) => prop_assert!(steps.windows(2).all(|pair| pair[0].time < pair[1].time)),
                Err((line, _)) => prop_assert!((1..=lines.len() + 2).contains(&line)),
            }
        }
    }
}
