//! The end of the operator's program: threads, link, pictures, records and summary, in that order.
//!
//! Invariant: whatever ended the run, every thread has ended, and what was measured is written.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokkyu_link::carrier::clock;
use tokkyu_link::runtime::Closing;
use tokkyu_measure::Sources;

use super::OperatorSummary;
use super::run::Operator;
use super::status::{CaptureClock, SavedFigures, StreamAges};
use crate::program::threads::join;
use crate::program::{CpuFigures, DriveError, Ending, LinkFigures, stream_figures, summary};
use crate::save::Saver;

impl Operator<'_> {
    /// Ends everything and writes the results.
    pub(super) fn finish(mut self) -> Result<OperatorSummary, DriveError> {
        self.halt.set();
        for thread in std::mem::take(&mut self.threads) {
            // The others' results are kept.
            if let Err(died) = join(thread) {
                self.course.failure.get_or_insert(died);
            }
        }
        self.take_events(Duration::ZERO);
        self.take_reports();
        let now = clock::now();
        let status = self.status(now);
        self.desk.display.on_status(now, &status);
        let left = self.driver.as_mut().map(|driver| driver.book.close());
        self.desk.write(left.into_iter().flatten());
        let mut summary = self.summary();
        let closing = self.link.close().unwrap_or_else(|died| {
            summary.ending = None;
            summary.error.get_or_insert_with(|| died.to_string());
            self.course.failure.get_or_insert(died.into());
            Closing::default()
        });
        let driver = self.driver.iter().map(|driver| &driver.book);
        let driver = driver.map(|book| (book.stream(), book.ledger(), book.payload_bytes()));
        summary.sent = stream_figures(&closing.sent, driver);
        let cameras = self.cameras.iter().enumerate().map(|(stream, camera)| {
            (camera.flow.as_str(), self.received.ledger(stream), camera.payload_bytes)
        });
        summary.received = stream_figures(&closing.received, cameras);
        summary.saved = self.saver.and_then(finish_saving);
        let written = summary::write(self.options.end.summary.as_deref(), &summary);
        let recorded = self.desk.records.finish();
        if let Some(failure) = self.course.failure {
            return Err(failure);
        }
        recorded?;
        written?;
        match summary.saved.as_ref().and_then(|saved| saved.trouble.clone()) {
            Some(trouble) => Err(DriveError::NotSaved(trouble)),
            None => Ok(summary),
        }
    }

    fn summary(&self) -> OperatorSummary {
        let stats = self.link.stats();
        let (link, error) =
            (LinkFigures::from(&stats), self.course.failure.as_ref().map(ToString::to_string));
        let ages = self.cameras.iter().enumerate().map(|(stream, camera)| StreamAges {
            stream: camera.flow.clone(),
            figures: camera.ages.summary(self.received.ledger(stream).offered),
        });
        let ending = if self.course.interrupted { Ending::Interrupted } else { Ending::Completed };
        let mut environment = self.environment.clone();
        summary::note_grants(&mut environment, &self.desk.real_time);
        Sources::default().complete(&mut environment);
        OperatorSummary {
            program: "operator".to_owned(),
            robot: self.options.end.robot.name.clone(),
            ending: error.is_none().then_some(ending),
            error,
            clocks: self.clocks,
            ended_ns: clock::now().as_nanos(),
            sessions: self.course.sessions,
            received: Vec::new(),
            ages: ages.collect(),
            sent: Vec::new(),
            corrupt: self.cameras.iter().map(|camera| camera.corrupt).sum(),
            overrun: self.course.overrun,
            unrecorded: self.inbox.unread.iter().map(|unread| unread.load(Ordering::Relaxed)).sum(),
            ticks_left_out: self.course.ticks_left_out,
            capture_clock: CaptureClock {
                offset_ns: link.clock_offset_ns,
                error_ns: link.clock_error_ns,
                ..self.course.capture_clock
            },
            saved: None,
            cpu: CpuFigures::read(&stats),
            link,
            real_time: self.desk.real_time.clone(),
            environment,
        }
    }
}

/// Writes what still waits for the disk. The picture threads have ended, so nobody else holds the saver.
fn finish_saving(saver: Arc<Saver>) -> Option<SavedFigures> {
    let mut saver = Arc::into_inner(saver)?;
    saver.end();
    Some(SavedFigures::of(&saver))
}
