//! What the live view shows, as plain values: the program fills it from its link, its gate and its histograms.
//!
//! Pure data. Invariant of its users: any value may be absent or not a number; showing it must not panic.

use std::time::Duration;

use tokkyu_contract::Ledger;

use crate::control::Controls;
use crate::program::CapFigures;
use crate::safety::{Need, State};
use crate::text::printable;

/// Longest name that is shown.
pub(super) const NAME: usize = 40;

/// One moment of a drive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// What the network is called: the peer's address, or the simulated network's name.
    pub network: String,
    /// Time since the drive began.
    pub elapsed: Duration,
    /// Length of the drive, `None` where it has no set end.
    pub total: Option<Duration>,
    /// One row for each camera.
    pub cameras: Vec<CameraRow>,
    /// The link to the other side.
    pub link: LinkRow,
    /// The commands, as the vehicle reports them.
    pub control: ControlRow,
    /// The vehicle is driven by this terminal's keys.
    pub keys_drive: bool,
    /// A message for the driver, such as a disk that is full.
    pub notice: Option<String>,
}

/// What arrives of one camera.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CameraRow {
    /// Name of its flow.
    pub name: String,
    /// Age of the newest picture now; it grows until the next one comes.
    pub age: Option<Duration>,
    /// Age from which a picture is worth nothing (the flow's lifespan); colours follow it.
    pub lifespan: Option<Duration>,
    /// Pictures in a second, over the last seconds.
    pub rate_hz: f64,
    /// What became of the flow's samples.
    pub ledger: Ledger,
    /// Median age on arrival.
    pub p50: Option<Duration>,
    /// 99th percentile of the age on arrival.
    pub p99: Option<Duration>,
    /// Length of the newest sample in bytes.
    pub size_bytes: u64,
    /// JPEG quality of the newest picture that was sent, where its camera compresses and this end knows.
    pub quality: Option<u8>,
    /// Ages on arrival of the last pictures, oldest first.
    pub ages: Vec<Duration>,
}

/// The link, as its sender sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkRow {
    /// Bits sent in a second.
    pub send_bps: u64,
    /// Bits in a second the link grants to the flows.
    pub granted_bps: u64,
    /// Bits in a second the network is estimated to carry.
    pub capacity_bps: u64,
    /// Round-trip time.
    pub rtt: Option<Duration>,
    /// Packets lost on the network, of 100.
    pub loss_percent: f64,
    /// Packets of forward error correction, of 100 sent.
    pub parity_percent: f64,
    /// Packets sent again, of 100 sent.
    pub repair_percent: f64,
    /// The ways to the other end.
    pub paths: Vec<PathRow>,
}

/// A way to the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRow {
    /// Its number, from 1.
    pub number: u8,
    /// Its round trip; `None` while it does not answer.
    pub rtt: Option<Duration>,
}

/// The commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControlRow {
    /// Median age on arrival.
    pub p50: Option<Duration>,
    /// 99th percentile of the age on arrival.
    pub p99: Option<Duration>,
    /// Age of the newest command on arrival.
    pub last: Option<Duration>,
    /// The gate's state, `None` until the vehicle reported it.
    pub gate: Option<State>,
    /// What the gate waits for.
    pub need: Need,
    /// Safe stops since the drive began.
    pub safe_stops: u64,
    /// Name of another end that holds the emergency stop: until it lets go no reset counts.
    pub held_by: Option<String>,
    /// The vehicle is held to a speed below its highest.
    pub slower: Option<SlowerRow>,
    /// What the driver wants now.
    pub controls: Option<Controls>,
}

impl ControlRow {
    /// `screen holds the stop`, where somebody does.
    pub(super) fn holder_in_words(&self) -> Option<String> {
        self.held_by.as_deref().map(|name| format!("{} holds the stop", printable(name, NAME)))
    }
}

/// A speed that the latency allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowerRow {
    /// The most.
    pub kmh: f64,
    /// From picture to reaction; `None`: not known.
    pub latency_ms: Option<f64>,
}

impl SlowerRow {
    /// The row for `cap`, where it bounds anything.
    pub(crate) fn of(cap: &CapFigures) -> Option<SlowerRow> {
        cap.most_kmh.map(|kmh| SlowerRow { kmh, latency_ms: cap.latency_ms })
    }

    /// `at most 40.0 km/h (250 ms)`.
    pub(super) fn words(&self) -> String {
        let latency = self.latency_ms.map_or(String::new(), |ms| format!(" ({ms:.0} ms)"));
        format!("{}{latency}", self.short())
    }

    /// `at most 40.0 km/h`.
    pub(super) fn short(&self) -> String {
        format!("at most {:.1} km/h", self.kmh)
    }
}

/// The need that shows as `words`; nothing for words that no need has.
pub(crate) fn need_of(words: &str) -> Need {
    Need::ALL.into_iter().find(|need| need.as_str() == words).unwrap_or_default()
}

/// `12.3 ms`, `4.56 s`, or `–` for none.
pub(super) fn ms(span: Option<Duration>) -> String {
    match span {
        None => "–".to_owned(),
        Some(span) if span < Duration::from_secs(1) => format!("{:.1} ms", span.as_secs_f64() * 1e3),
        Some(span) => format!("{:.2} s", span.as_secs_f64()),
    }
}

/// A bit rate with a unit that leaves at most four digits before the point.
pub(crate) fn rate(bps: u64) -> String {
    match bps as f64 {
        bits if bits >= 1e9 => format!("{:.2} Gbit/s", bits / 1e9),
        bits if bits >= 1e6 => format!("{:.2} Mbit/s", bits / 1e6),
        bits if bits >= 1e3 => format!("{:.1} kbit/s", bits / 1e3),
        bits => format!("{bits:.0} bit/s"),
    }
}

impl LinkRow {
    /// Several ways in a few words; None where there is one.
    pub fn paths_in_words(&self) -> Option<String> {
        let word = |path: &PathRow| {
            let rtt = path
                .rtt
                .map_or_else(|| "SILENT".to_owned(), |rtt| format!("{:.0} ms", rtt.as_secs_f64() * 1e3));
            format!("{} {rtt}", path.number)
        };
        let words: Vec<String> = self.paths.iter().map(word).collect();
        (words.len() > 1).then(|| format!("paths {}", words.join(", ")))
    }

    /// How much is sent, of what is granted where anything is.
    pub(super) fn sending(&self) -> String {
        match self.granted_bps {
            0 => format!("{} sent", rate(self.send_bps)),
            granted => format!("{} of {} granted", rate(self.send_bps), rate(granted)),
        }
    }
}

impl CameraRow {
    /// Whether this end knows how old pictures are on arrival: the sender does not.
    pub(super) fn knows_ages(&self) -> bool {
        self.age.is_some() || self.ledger.delivered == 0
    }
}

/// Bytes, in kB from 1000 on.
pub(crate) fn size(bytes: u64) -> String {
    if bytes < 1_000 { format!("{bytes} B") } else { format!("{:.1} kB", bytes as f64 / 1e3) }
}

/// `m:ss`.
pub(crate) fn clock(span: Duration) -> String {
    format!("{}:{:02}", span.as_secs() / 60, span.as_secs() % 60)
}

#[cfg(test)]
pub(super) fn example() -> Snapshot {
    let ms = |ms: u64| Some(Duration::from_millis(ms));
    let front = CameraRow {
        name: "camera/front".into(),
        age: ms(45),
        lifespan: ms(500),
        rate_hz: 9.97,
        ledger: Ledger { offered: 1_200, delivered: 1_188, late: 3, expired: 4, dropped: 2, lost: 3 },
        p50: ms(44),
        p99: ms(212),
        size_bytes: 374_000,
        quality: Some(85),
        ages: (0..50).map(|n| Duration::from_millis(40 + n % 7 * 10)).collect(),
    };
    let rear =
        CameraRow { name: "camera/rear".into(), age: ms(620), lifespan: ms(500), ..CameraRow::default() };
    let link = LinkRow {
        send_bps: 30_100_000,
        granted_bps: 40_000_000,
        capacity_bps: 48_500_000,
        rtt: ms(38),
        loss_percent: 2.5,
        parity_percent: 8.25,
        repair_percent: 1.5,
        paths: vec![PathRow { number: 1, rtt: ms(38) }],
    };
    let control = ControlRow {
        p50: ms(21),
        p99: ms(60),
        last: ms(19),
        gate: Some(State::Driving),
        need: Need::Nothing,
        safe_stops: 2,
        held_by: None,
        slower: Some(SlowerRow { kmh: 38.46, latency_ms: Some(260.0) }),
        controls: Controls::new(0.5, 0.0, -0.25).ok(),
    };
    Snapshot {
        network: "lte-drive".into(),
        elapsed: Duration::from_secs(75),
        total: Some(Duration::from_secs(120)),
        cameras: vec![front, rear],
        link,
        control,
        keys_drive: true,
        notice: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_way_is_not_told_and_of_several_each() {
        let path = |number, ms: Option<u64>| PathRow { number, rtt: ms.map(Duration::from_millis) };
        let told =
            |paths: &[PathRow]| LinkRow { paths: paths.to_vec(), ..LinkRow::default() }.paths_in_words();
        assert_eq!((told(&[]), told(&[path(1, Some(38))])), (None, None));
        let two = told(&[path(1, Some(38)), path(2, None)]);
        assert_eq!(two.as_deref(), Some("paths 1 38 ms, 2 SILENT"));
    }

    #[test]
    fn values_are_written_with_units_that_keep_them_short() {
        let span = |us| ms(Some(Duration::from_micros(us)));
        assert_eq!([span(45_250), span(999_000), span(1_234_000)], ["45.2 ms", "999.0 ms", "1.23 s"]);
        assert_eq!(ms(None), "–");
        let rates = [999, 1_500, 30_100_000, 2_000_000_000].map(rate);
        assert_eq!(rates, ["999 bit/s", "1.5 kbit/s", "30.10 Mbit/s", "2.00 Gbit/s"]);
        assert_eq!([size(999), size(374_000)], ["999 B", "374.0 kB"]);
        assert_eq!(clock(Duration::from_secs(3_605)), "60:05");
        let link = LinkRow { send_bps: 999, ..LinkRow::default() };
        assert_eq!(link.sending(), "999 bit/s sent", "an end that asks for nothing is granted nothing");
    }
}
