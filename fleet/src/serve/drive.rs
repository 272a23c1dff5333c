//! One drive: the vehicle's program of `tokkyu_drive` in a thread, and what it tells.
//!
//! Telling never holds the program up: a full queue drops a status or a piece of news, and only the end waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::SyncSender;
use std::thread::{self, JoinHandle};

use tokkyu_contract::MonoTime;
use tokkyu_drive::program::{Display, DriveError, Happening, Ready, StopFlag};
use tokkyu_drive::vehicle::{self, Motors, VehicleOptions, VehicleStatus, VehicleSummary};

use super::{Mail, is_up};
use crate::error::FleetError;

/// A drive under way.
pub(super) struct Drive {
    stop: StopFlag,
    thread: JoinHandle<()>,
}

/// How a drive ended; `None` by a panic.
pub(super) struct End(Option<Box<Result<VehicleSummary, DriveError>>>);

impl Drive {
    /// Dials and drives.
    pub(super) fn start(
        options: VehicleOptions,
        motors: impl Motors + 'static,
        mail: SyncSender<Mail>,
    ) -> Result<Drive, FleetError> {
        Drive::spawn(mail, move |ear, stop| vehicle::run_with(options, ear, motors, stop))
    }

    /// `drive` in its thread. However it ends, that is told: a vehicle that heard of none would be busy for ever.
    fn spawn(
        mail: SyncSender<Mail>,
        drive: impl FnOnce(&mut Ear, &StopFlag) -> Result<VehicleSummary, DriveError> + Send + 'static,
    ) -> Result<Drive, FleetError> {
        let stop = StopFlag::new();
        let for_thread = stop.clone();
        let run = move || {
            let mut ear = Ear { mail: mail.clone(), was_up: false };
            // Nothing of what it left half done is looked at again.
            let result = catch_unwind(AssertUnwindSafe(|| drive(&mut ear, &for_thread)));
            // Fails only when the main thread has gone, which then needs no end.
            let _ = mail.send(Mail::Ended(End(result.ok().map(Box::new))));
        };
        let thread =
            thread::Builder::new().name("drive".to_owned()).spawn(run).map_err(FleetError::Thread)?;
        Ok(Drive { stop, thread })
    }

    pub(super) fn stop(&self) {
        self.stop.set();
    }

    /// Whether the thread has ended, by whatever way.
    pub(super) fn is_gone(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the thread, which has told its end.
    pub(super) fn join(self) {
        // It ends by no panic.
        let _ = self.thread.join();
    }
}

impl End {
    /// In words, for people.
    pub(super) fn words(&self) -> String {
        match self.0.as_deref() {
            Some(Ok(_)) => "the drive ended".to_owned(),
            Some(Err(error)) => format!("the drive ended: {error}"),
            // What it said was printed by it; the vehicle brakes without it.
            None => "the drive ended by a panic; this is a fault of tokkyu, please report it".to_owned(),
        }
    }

    /// Why the whole program ends with it: something of ours died, and the next caller would fare no better.
    pub(super) fn fault(self) -> Option<FleetError> {
        let panicked = || DriveError::ThreadDied { name: "drive".to_owned(), why: "it panicked".to_owned() };
        let error = self.0.map_or_else(|| Some(panicked()), |result| result.err())?;
        error.is_fault().then_some(FleetError::Drive(error))
    }

    /// Pictures offered and delivered, and safe stops on the way; zeros where the program did not come so far.
    pub(super) fn figures(&self) -> [u64; 3] {
        let Some(Ok(summary)) = self.0.as_deref() else { return [0; 3] };
        let sum = |count: fn(&vehicle::VehicleSummary) -> u64| count(summary);
        [
            sum(|summary| summary.sent.iter().map(|stream| stream.ledger.offered).sum()),
            sum(|summary| summary.sent.iter().map(|stream| stream.ledger.delivered).sum()),
            summary.safe_stops_on_the_way,
        ]
    }
}

/// Passes on what the main thread needs.
struct Ear {
    mail: SyncSender<Mail>,
    was_up: bool,
}

impl Display<VehicleStatus> for Ear {
    fn on_ready(&mut self, _: &Ready) {}

    fn on_status(&mut self, _: MonoTime, status: &VehicleStatus) {
        let is_up = is_up(&status.link.state);
        // Told again at the next status where the queue was full.
        if is_up != self.was_up && self.mail.try_send(Mail::Link { is_up }).is_ok() {
            self.was_up = is_up;
        }
    }

    fn on_event(&mut self, _: MonoTime, event: &Happening) {
        let _ = self.mail.try_send(Mail::News(event.text.clone()));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::*;
    use tokkyu_drive::program::ExitCode;
    use tokkyu_link::runtime::LinkDied;

    #[test]
    fn a_drive_that_panics_tells_its_end_as_any_other() {
        let (mail, inbox) = sync_channel(1);
        let drive = Drive::spawn(mail, |_, _| panic!("as the test wants")).unwrap();
        let Ok(Mail::Ended(end)) = inbox.recv_timeout(Duration::from_secs(60)) else {
            panic!("no end was told")
        };
        assert!(end.words().contains("by a panic"), "{}", end.words());
        assert_eq!(end.figures(), [0; 3]);
        assert_eq!(end.fault().unwrap().exit_code(), ExitCode::Failed);
        drive.join();
    }

    #[test]
    fn a_drive_that_was_refused_or_interrupted_is_no_fault_and_a_link_that_died_is() {
        let died = LinkDied { what: "as the test wants".to_owned() };
        let end = |error: DriveError| End(Some(Box::new(Err(error))));
        assert!(end(DriveError::NoOperator).fault().is_none());
        let fault = end(died.into()).fault().unwrap();
        assert!(
            fault.exit_code() == ExitCode::Failed && fault.to_string().contains("as the test wants"),
            "{fault}"
        );
    }
}
