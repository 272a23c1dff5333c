//! The end of the vehicle's program: threads, link, records and summary, in that order.
//!
//! Invariant: whatever ended the run, every thread and child has ended, and what was measured is written.

use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use tokkyu_link::carrier::clock;
use tokkyu_measure::{Record, Sources};

use super::VehicleSummary;
use super::quality::QualityFigures;
use super::run::{CameraSide, ControlSide, Vehicle};
use super::status::GateEntry;
use crate::program::{CpuFigures, DriveError, Ending, LinkFigures, stream_figures, summary};
use crate::safety::Gate;

impl Vehicle<'_> {
    /// Ends everything and writes the results.
    pub(super) fn finish(mut self) -> Result<VehicleSummary, DriveError> {
        self.orders.stop.set();
        // Cameras that were never started end their children here.
        self.lanes.clear();
        std::mem::take(&mut self.threads).into_iter().for_each(join);
        let gate = self.control.as_mut().and_then(ControlSide::end);
        self.take_events(Duration::ZERO);
        self.take_reports();
        let now = clock::now();
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
            gate: self.gate_status(),
            gate_log: gate.as_ref().map(GateEntry::of).unwrap_or_default(),
            link,
            cpu,
            real_time: self.desk.real_time.clone(),
            environment: self.environment.clone(),
        };
        summary::note_grants(&mut summary.environment, &summary.real_time);
        Sources::default().complete(&mut summary.environment);
        let closing = self.link.close();
        let cameras = self.cameras.iter().map(|camera| (camera.book.ledger(), camera.book.payload_bytes()));
        summary.sent = stream_figures(&closing.sent, cameras);
        let commands = self.control.iter().map(|control| (self.received.ledger(0), control.payload_bytes));
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
    /// Ends the thread; the motors brake.
    fn end(&mut self) -> Option<Gate> {
        self.halt.set();
        self.thread.take()?.join().ok()
    }
}

fn join(thread: JoinHandle<()>) {
    // A camera's thread that panicked has told why on standard error; the others' results are kept.
    let _ = thread.join();
}

fn ending(interrupted: bool) -> Ending {
    if interrupted { Ending::Interrupted } else { Ending::Completed }
}
