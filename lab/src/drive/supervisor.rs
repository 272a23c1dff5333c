//! The programs of a run, looked after until all have ended: who is told to end, when, and who is killed.
//!
//! Runs in the caller's thread at ordinary priority. What bounds its time: `overdue_at`, then [`PATIENCE`] after SIGTERM,
//! then SIGKILL.
//!
//! ```text
//!                 all ended by themselves
//!   Running ──────────────────────────────────────────────► over
//!      │  told to stop, one failed, overdue,                  ▲
//!      │  or only those that stay are left:                   │
//!      └─────────── SIGTERM ────► Asked ──── all ended ───────┤
//!                                   └─ PATIENCE ─► SIGKILL ───┘
//! ```
//!
//! The vehicle is told first: it waits a moment for its last pictures, and the operator must still be there for them.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use nix::sys::signal::Signal;
use tokkyu_contract::MonoTime;

use crate::wire::{End, monotonic_now};

use super::program::{Line, Program};
use super::watcher::Watcher;

/// From SIGTERM to SIGKILL.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the operator is left alone after SIGTERM to the vehicle, and after the vehicle's end.
const VEHICLE_FIRST: Duration = Duration::from_millis(1_500);
const LAST_PICTURES: Duration = Duration::from_millis(300);
/// How long one program waits for the other that has ended, before it is told to end too. Ours notice by themselves within
/// the link's lease of a second; a peer's sender stays for its drain.
const ALONE: Duration = Duration::from_secs(5);
/// Between two looks at the programs.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Why the programs were told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The user wanted it.
    Stopped,
    /// One end was there alone.
    OneEnded,
    /// The run should have been over long ago.
    Overdue,
    /// Everybody else had ended well.
    Done,
}

/// The programs and what they were told.
pub(super) struct Supervisor {
    pub(super) programs: Vec<Program>,
    overdue_at: MonoTime,
    /// When the programs were told to end, and why.
    pub(super) asked: Option<(MonoTime, Reason)>,
    /// Who got SIGTERM: a second one would end it at once.
    told: Vec<End>,
}

impl Supervisor {
    /// Takes over programs that run, and that should have ended by `overdue_at`.
    pub(super) fn of(programs: Vec<Program>, overdue_at: MonoTime) -> Supervisor {
        Supervisor { programs, overdue_at, asked: None, told: Vec::new() }
    }

    /// Returns when all have ended.
    pub(super) fn run(&mut self, heard: &Receiver<Line>, watcher: &mut dyn Watcher, stop: &dyn Fn() -> bool) {
        loop {
            let now = monotonic_now();
            self.look(now, watcher);
            heard.try_iter().for_each(|(end, line)| watcher.on_status(end, &line));
            if self.programs.iter().all(|program| program.ended.is_some()) {
                return;
            }
            let go_on = watcher.wait(LOOK_EVERY);
            self.on_look(now, !go_on || stop());
        }
    }

    fn look(&mut self, now: MonoTime, watcher: &mut dyn Watcher) {
        for program in self.programs.iter_mut().filter(|program| program.ended.is_none()) {
            program.look(now);
            if program.ended.is_some() {
                watcher.on_end(program.end, program.failure().as_deref());
            }
        }
    }

    /// Decides what must be done at `now`.
    fn on_look(&mut self, now: MonoTime, stopped: bool) {
        match self.asked {
            None => {
                if let Some(reason) = self.reason_to_end(now, stopped) {
                    self.asked = Some((now, reason));
                    self.tell(End::Vehicle);
                }
            }
            Some((at, _)) if now.since(at) > PATIENCE => self.kill(),
            Some((at, _)) if self.is_operators_turn(now, at) => self.tell(End::Operator),
            Some(_) => {}
        }
    }

    /// Whether the operator, too, is told to end. Usually it has ended by itself, because the vehicle left.
    fn is_operators_turn(&self, now: MonoTime, asked: MonoTime) -> bool {
        let vehicle = self.programs.iter().filter(|program| program.end == End::Vehicle);
        let ended = vehicle.map(|program| program.ended.map(|ended| ended.at));
        // When the last of them left; nothing while one is there.
        let left =
            ended.collect::<Option<Vec<MonoTime>>>().map(|left| left.into_iter().max().unwrap_or(asked));
        now.since(asked) > VEHICLE_FIRST || left.is_some_and(|left| now.since(left) > LAST_PICTURES)
    }

    fn tell(&mut self, end: End) {
        if !self.told.contains(&end) {
            self.told.push(end);
            self.signal(end, Signal::SIGTERM);
        }
    }

    fn kill(&self) {
        [End::Vehicle, End::Operator].into_iter().for_each(|end| self.signal(end, Signal::SIGKILL));
    }

    fn reason_to_end(&self, now: MonoTime, stopped: bool) -> Option<Reason> {
        let mut ended = self.programs.iter().filter_map(|program| program.ended);
        let alone = ended.any(|ended| !ended.status.success() || now.since(ended.at) > ALONE);
        if stopped {
            Some(Reason::Stopped)
        } else if alone {
            Some(Reason::OneEnded)
        } else if self.only_who_stays_is_left() {
            Some(Reason::Done)
        } else {
            (now > self.overdue_at).then_some(Reason::Overdue)
        }
    }

    fn only_who_stays_is_left(&self) -> bool {
        let (stay, leave): (Vec<_>, Vec<_>) = self.programs.iter().partition(|program| program.stays);
        !stay.is_empty() && !leave.is_empty() && leave.iter().all(|program| program.ended.is_some())
    }

    fn signal(&self, end: End, signal: Signal) {
        self.programs.iter().filter(|program| program.end == end).for_each(|program| program.signal(signal));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, Stdio};

    const BEGIN: MonoTime = MonoTime::from_millis(10_000);

    fn supervisor(programs: Vec<Program>) -> Supervisor {
        Supervisor::of(programs, BEGIN + Duration::from_secs(60))
    }

    /// A program that will not listen to SIGTERM.
    fn deaf() -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' TERM; echo ready; while :; do sleep 100; done"]);
        let mut child = command.stdout(Stdio::piped()).process_group(0).spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 6]).unwrap();
        child
    }

    fn reason(programs: Vec<Program>, now: MonoTime, stopped: bool) -> Option<Reason> {
        supervisor(programs).reason_to_end(now, stopped)
    }

    #[test]
    fn an_end_that_failed_ends_the_other_at_once_and_one_that_is_done_leaves_it_time() {
        let operator = |exit_code| vec![Program::past(End::Operator, exit_code, BEGIN)];
        assert_eq!(reason(operator(4), BEGIN, false), Some(Reason::OneEnded));
        assert_eq!(reason(operator(0), BEGIN + ALONE, false), None);
        assert_eq!(
            reason(operator(0), BEGIN + ALONE + Duration::from_nanos(1), false),
            Some(Reason::OneEnded)
        );
    }

    #[test]
    fn who_stays_is_told_to_end_when_everybody_else_has_ended_well() {
        let with = |others: Vec<Program>| {
            let mut child = deaf();
            let mut stays = Program::running(End::Vehicle, &child);
            stays.stays = true;
            let reason = reason(others.into_iter().chain([stays]).collect(), BEGIN, false);
            child.wait().unwrap_err();
            reason
        };
        assert_eq!(with(vec![Program::past(End::Operator, 0, BEGIN)]), Some(Reason::Done));
        assert_eq!(with(vec![Program::past(End::Operator, 1, BEGIN)]), Some(Reason::OneEnded));
        assert_eq!(with(vec![]), None);
        let mut child = deaf();
        let one_of_two =
            vec![Program::past(End::Operator, 0, BEGIN), Program::running(End::Operator, &child)];
        assert_eq!(with(one_of_two), None);
        child.wait().unwrap_err();
    }

    #[test]
    fn a_run_that_takes_too_long_is_ended_and_a_stop_comes_before_all() {
        assert_eq!(reason(vec![], BEGIN + Duration::from_secs(60), false), None);
        assert_eq!(reason(vec![], BEGIN + Duration::from_secs(61), false), Some(Reason::Overdue));
        let failed = vec![Program::past(End::Vehicle, 1, BEGIN)];
        assert_eq!(reason(failed, BEGIN + Duration::from_secs(61), true), Some(Reason::Stopped));
    }

    #[test]
    fn the_operator_is_told_to_end_after_the_vehicle_had_time_for_its_last_pictures() {
        let told = |vehicle: Program, after: Duration| {
            let mut supervisor = supervisor(vec![vehicle, Program::past(End::Operator, 0, BEGIN)]);
            supervisor.on_look(BEGIN, true);
            supervisor.on_look(BEGIN + after, true);
            supervisor.told
        };
        let gone = |after| told(Program::past(End::Vehicle, 130, BEGIN), after);
        assert_eq!(gone(LAST_PICTURES), [End::Vehicle]);
        assert_eq!(gone(LAST_PICTURES + Duration::from_millis(1)), [End::Vehicle, End::Operator]);
        let mut child = deaf();
        let stays = |after| told(Program::running(End::Vehicle, &child), after);
        assert_eq!(stays(VEHICLE_FIRST), [End::Vehicle]);
        child.wait().unwrap_err();
    }

    #[test]
    fn a_program_that_does_not_listen_is_killed_after_a_while_and_not_before() {
        let mut child = deaf();
        let mut supervisor = supervisor(vec![Program::running(End::Vehicle, &child)]);
        supervisor.on_look(BEGIN, true);
        supervisor.on_look(BEGIN + PATIENCE, false);
        assert_eq!(child.try_wait().unwrap(), None, "SIGTERM alone");
        supervisor.on_look(BEGIN + PATIENCE + Duration::from_millis(1), false);
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(libc::SIGKILL));
        // Waited for above: nothing is left for the program's own end.
        supervisor.programs.iter_mut().for_each(|program| program.look(BEGIN));
    }
}
