//! The live view of `tokkyu drive`: what both programs tell, merged into one picture.
//!
//! Runs in the main thread. The operator knows the pictures' ages, the vehicle knows the link's sending side and the
//! gate; a program that has ended leaves its last status standing, and its end is told. Nothing a program says can end
//! the view: a line that cannot be read is passed over.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use serde_json::Value;
use tokkyu_contract::MonoTime;
use tokkyu_drive::control::keyboard::asks_to_quit;
use tokkyu_drive::operator::OperatorStatus;
use tokkyu_drive::program::Line;
use tokkyu_drive::program::display::Shown;
use tokkyu_drive::vehicle::VehicleStatus;
use tokkyu_drive::view::{CameraRow, LINE_EVERY, Snapshot, View, plain};
use tokkyu_lab::drive::Watcher;
use tokkyu_lab::wire::{End, monotonic_now};

/// How long an event stays in the view.
const NOTICE_FOR: Duration = Duration::from_secs(8);

/// What both programs told last.
#[derive(Default)]
struct Told {
    vehicle: Option<VehicleStatus>,
    operator: Option<OperatorStatus>,
    notice: Option<(MonoTime, String)>,
}

/// Where the view is shown.
enum Face {
    Screen(Box<View>),
    /// A line a second on standard output.
    Lines {
        next_at: MonoTime,
    },
    /// The same on standard error: standard output belongs to JSON.
    ErrorLines {
        next_at: MonoTime,
    },
}

/// The live view of a run.
pub struct Live {
    face: Face,
    network: String,
    total: Duration,
    begin: MonoTime,
    told: Told,
}

impl Live {
    /// A full-screen view where there is a terminal and nothing speaks against it, else lines.
    ///
    /// # Errors
    /// The terminal cannot be set up.
    pub fn open(network: &str, total: Duration, plain: bool, json_on_stdout: bool) -> io::Result<Live> {
        let terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
        let next_at = MonoTime::ZERO;
        let face = match (json_on_stdout, plain || !terminal) {
            (true, _) => Face::ErrorLines { next_at },
            (false, true) => Face::Lines { next_at },
            (false, false) => Face::Screen(Box::new(View::open()?)),
        };
        Ok(Live { face, network: network.to_owned(), total, begin: MonoTime::ZERO, told: Told::default() })
    }

    fn show(&mut self, now: MonoTime) -> io::Result<()> {
        let snapshot = self.told.snapshot(&self.network, self.total, self.begin, now);
        match &mut self.face {
            Face::Screen(view) => view.show(now, &snapshot),
            Face::Lines { next_at } => line(&mut io::stdout().lock(), next_at, now, &snapshot),
            Face::ErrorLines { next_at } => line(&mut io::stderr().lock(), next_at, now, &snapshot),
        }
    }

    /// Waits; false when the user asked to quit. In raw mode Ctrl-C is a key and comes here.
    fn keys(&mut self, at_most: Duration) -> bool {
        let Face::Screen(view) = &mut self.face else {
            std::thread::sleep(at_most);
            return true;
        };
        let mut quit = false;
        let looked = view.keys(at_most, &mut |event| quit |= asks_to_quit(event));
        !quit && looked.is_ok()
    }
}

fn line(
    output: &mut impl Write,
    next_at: &mut MonoTime,
    now: MonoTime,
    snapshot: &Snapshot,
) -> io::Result<()> {
    if now < *next_at {
        return Ok(());
    }
    *next_at = now + LINE_EVERY;
    writeln!(output, "{}", plain::line(snapshot))?;
    output.flush()
}

impl Watcher for Live {
    fn wants_status(&self) -> bool {
        true
    }

    fn on_start(&mut self, begin: MonoTime, caveat: Option<&str>) {
        self.begin = begin;
        if let Some(caveat) = caveat {
            self.told.notice = Some((begin, caveat.to_owned()));
            if !matches!(self.face, Face::Screen(_)) {
                let _ = writeln!(io::stderr().lock(), "note: {caveat}");
            }
        }
    }

    fn on_status(&mut self, end: End, line: &str) {
        self.told.on_line(end, line, monotonic_now());
    }

    fn on_end(&mut self, _: End, failure: Option<&str>) {
        if let Some(failure) = failure {
            self.told.notice = Some((monotonic_now(), failure.to_owned()));
        }
    }

    fn wait(&mut self, at_most: Duration) -> bool {
        // A view that cannot be shown any more (the terminal is gone) does not end the measurement.
        let _ = self.show(monotonic_now());
        self.keys(at_most)
    }
}

impl Told {
    fn on_line(&mut self, end: End, line: &str, now: MonoTime) {
        let event = match end {
            End::Vehicle => take(line, &mut self.vehicle),
            End::Operator => take(line, &mut self.operator),
        };
        if let Some(text) = event {
            self.notice = Some((now, text));
        }
    }

    /// The operator's pictures, the vehicle's link and gate, the run's own time.
    fn snapshot(&self, network: &str, total: Duration, begin: MonoTime, now: MonoTime) -> Snapshot {
        let vehicle = self.vehicle.as_ref().map(Shown::snapshot).unwrap_or_default();
        let operator = self.operator.as_ref().map(Shown::snapshot).unwrap_or_default();
        let notice = self.notice.as_ref().filter(|(at, _)| now.since(*at) < NOTICE_FOR);
        Snapshot {
            network: network.to_owned(),
            elapsed: now.since(begin),
            total: Some(total),
            // Until pictures come, the vehicle's list says which there will be.
            cameras: cameras(operator.cameras, vehicle.cameras),
            link: vehicle.link,
            control: vehicle.control,
            keys_drive: false,
            notice: notice.map(|(_, text)| text.clone()).or(vehicle.notice).or(operator.notice),
        }
    }
}

/// The operator's rows with the quality the vehicle compressed at.
fn cameras(mut operator: Vec<CameraRow>, vehicle: Vec<CameraRow>) -> Vec<CameraRow> {
    if operator.is_empty() {
        return vehicle;
    }
    for row in &mut operator {
        row.quality = vehicle.iter().find(|other| other.name == row.name).and_then(|other| other.quality);
    }
    operator
}

/// Takes a status in, or gives an event's words back.
fn take<S: serde::de::DeserializeOwned>(line: &str, status: &mut Option<S>) -> Option<String> {
    match serde_json::from_str::<Line<S>>(line) {
        Ok(Line::Status(new)) => {
            *status = Some(new);
            None
        }
        Ok(Line::Event(event)) => Some(event.text),
        Ok(Line::Ready(_)) => None,
        Err(_) => {
            // A line that is JSON but not ours may come from a newer program; anything else is a stray print.
            serde_json::from_str::<Value>(line).err().map(|_| line.chars().take(200).collect())
        }
    }
}
