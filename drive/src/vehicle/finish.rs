//! The end of the vehicle's program: threads, link, records and summary, in that order.
//!
//! Invariant: whatever ended the run, every thread and child has ended, and what was measured is written.

use std::sync::atomic::Ordering;
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

use tokkyu_link::carrier::clock;
use tokkyu_link::runtime::Closing;
use tokkyu_measure::{Record, Sources};

use super::VehicleSummary;
use super::camera_side::CameraSide;
use super::control_side::ControlSide;
use super::others::OtherEnd;
use super::quality::QualityFigures;
use super::run::Vehicle;
use super::status::GateEntry;
use crate::program::threads::join;
use crate::program::{CpuFigures, DriveError, Ending, LinkFigures, stream_figures, summary};
use crate::safety::Gate;

/// So long is waited for motors at the end.
const MOTORS_END: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(1);

impl Vehicle<'_> {
    /// Ends everything and writes the results.
    pub(super) fn finish(mut self) -> Result<VehicleSummary, DriveError> {
        self.orders.stop.set();
        // Cameras that were never started end their children here.
        self.lanes.clear();
        let threads = std::mem::take(&mut self.threads);
        let dead: Vec<DriveError> = threads.into_iter().filter_map(|thread| join(thread).err()).collect();
        let gate = self.control.as_mut().map(ControlSide::end).transpose();
        let (gate, brakeless) = gate.map_or_else(|died| (None, Some(died)), |gate| (gate.flatten(), None));
        if let Some(died) = brakeless.into_iter().chain(dead).next() {
            self.course.failure.get_or_insert(died);
        }
        self.take_events(Duration::ZERO);
        self.take_reports();
        let now = clock::now();
        self.show_end(now);
        let status = self.status(now);
        self.desk.display.on_status(now, &status);
        let stats = self.link.stats();
        let (cpu, link) = (CpuFigures::read(&stats), LinkFigures::from(&stats));
        self.close_link(gate, cpu, link)
    }

    fn close_link(
        mut self,
        gate: Option<Gate>,
        cpu: CpuFigures,
        link: LinkFigures,
    ) -> Result<VehicleSummary, DriveError> {
        let left: Vec<Record> = self.cameras.iter_mut().flat_map(|camera| camera.book.close()).collect();
        self.desk.write(left);
        let status = self.gate_status();
        std::mem::take(&mut self.ends.others).into_iter().for_each(OtherEnd::close);
        let closing = self.link.close().unwrap_or_else(|died| {
            self.course.failure.get_or_insert(died.into());
            Closing::default()
        });
        let error = self.course.failure.as_ref().map(ToString::to_string);
        let mut summary = VehicleSummary {
            program: "vehicle".to_owned(),
            robot: self.options.end.robot.name.clone(),
            ending: error.is_none().then(|| ending(self.course.interrupted)),
            error,
            clocks: self.clocks,
            first_tick_ns: self.course.first_tick.map(|first| first.as_nanos()),
            ended_ns: clock::now().as_nanos(),
            sessions: self.course.sessions,
            sent: Vec::new(),
            received: Vec::new(),
            ticks_left_out: self.course.ticks_left_out,
            unrecorded: self.inbox.unread.iter().map(|unread| unread.load(Ordering::Relaxed)).sum(),
            qualities: self.cameras.iter().filter_map(CameraSide::quality).collect(),
            troubles: std::mem::take(&mut self.course.troubles),
            safe_stops_on_the_way: self.course.safe_stops,
            gate: status,
            gate_log: gate.as_ref().map(GateEntry::of).unwrap_or_default(),
            link,
            cpu,
            real_time: self.desk.real_time.clone(),
            environment: self.environment.clone(),
        };
        summary::note_grants(&mut summary.environment, &summary.real_time);
        Sources::default().complete(&mut summary.environment);
        let cameras = self.cameras.iter().map(|camera| &camera.book);
        let cameras = cameras.map(|book| (book.stream(), book.ledger(), book.payload_bytes()));
        summary.sent = stream_figures(&closing.sent, cameras);
        let received = &self.received;
        let commands = self.control.iter();
        let commands = commands.map(|side| (side.flow.as_str(), received.ledger(0), side.payload_bytes));
        summary.received = stream_figures(&closing.received, commands);
        let written = summary::write(self.options.end.summary.as_deref(), &summary);
        let recorded = self.desk.records.finish();
        match self.course.failure {
            Some(failure) => Err(failure),
            None => {
                recorded?;
                written?;
                Ok(summary)
            }
        }
    }
}

impl CameraSide {
    fn quality(&self) -> Option<QualityFigures> {
        self.quality.figures(self.book.stream())
    }
}

impl ControlSide {
    /// Ends the thread; the motors brake. Gives the gate as it left it. A thread that its motors hold is not waited for
    /// longer than [`MOTORS_END`]: it ends with the process, and the second brake stays pulled.
    fn end(&mut self) -> Result<Option<Gate>, DriveError> {
        self.halt.set();
        let ended = self.thread.take().map(|thread| join_within(MOTORS_END, thread)).transpose();
        self.unwatched.set();
        let watched = self.watchdog.take().map_or(Ok(()), join);
        if let Some(gate) = ended? {
            self.left = Some(gate);
        }
        watched.map(|()| self.left.take())
    }

    /// Why nobody drives any more, if the thread died. It ends by itself, too, when the link has died.
    pub(super) fn notice_death(&mut self) -> Option<DriveError> {
        let watchdog = self.watchdog.take_if(|thread| thread.is_finished());
        let unwatched = watchdog.and_then(|thread| join(thread).err());
        let thread = self.thread.take_if(|thread| thread.is_finished());
        let died = thread.and_then(|thread| join(thread).map(|gate| self.left = Some(gate)).err());
        died.or(unwatched)
    }
}

fn join_within<T>(patience: Duration, thread: JoinHandle<T>) -> Result<T, DriveError> {
    let until = clock::now() + patience;
    while !thread.is_finished() {
        if clock::now() >= until {
            return Err(DriveError::MotorsHang);
        }
        sleep(LOOK_EVERY);
    }
    join(thread)
}

impl Drop for ControlSide {
    /// A program that ends by whatever way leaves no motors running.
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn ending(interrupted: bool) -> Ending {
    if interrupted { Ending::Interrupted } else { Ending::Completed }
}
