//! One row of a comparison: a peer with one of its settings under one QoS, over all its runs.
//!
//! Pure. Invariant: a figure is the median of the runs that count (see [`counts`]), but worst and best, which are those of all of them;
//! missed images are their sum, to which a run counts too in which the contender itself broke.

use crate::drive::{DriveCase, StreamResult};
use crate::figures::Summary;
use crate::repetitions::{counts, groups, median};
use crate::table::{NONE, Row, ms, percent};

use super::who::OURS;

/// Columns of a comparison.
pub(super) const HEADER: [&str; 18] = [
    "who, QoS",
    "runs",
    "mean ms",
    "worst ms",
    "best ms",
    "sd ms",
    "p99 ms",
    "≤ 100 ms %",
    "≤ 150 ms %",
    "≤ 225 ms %",
    "≤ 500 ms %",
    "missed",
    "of",
    "wire/payload",
    "CPU s send",
    "CPU s receive",
    "CPU ms/MB",
    "load",
];

/// A peer, a variant and a QoS, with all its runs over one network.
#[derive(Clone, Debug)]
pub struct Contender<'a> {
    /// All runs, in their order; at least one.
    pub runs: Vec<&'a DriveCase>,
}

impl<'a> Contender<'a> {
    /// The contenders among `cases`, best first.
    pub(super) fn all(cases: impl Iterator<Item = &'a DriveCase>) -> Vec<Contender<'a>> {
        let mut all: Vec<Contender> = groups(cases).into_iter().map(|runs| Contender { runs }).collect();
        all.sort_by(|one, other| {
            one.rank().0.cmp(&other.rank().0).then(one.rank().1.total_cmp(&other.rank().1))
        });
        all
    }

    /// MEA-73: who delivered everything by their mean, then who missed some by their share, then who has no run that counts.
    fn rank(&self) -> (u8, f64) {
        match (self.missed_share(), self.mean_ms()) {
            (Some(0.0), Some(mean_ms)) => (0, mean_ms),
            (Some(missed), _) => (1, missed),
            (None, _) => (2, 0.0),
        }
    }

    /// Name of the peer.
    pub fn peer(&self) -> &'a str {
        &self.runs[0].peer
    }

    /// Which of its settings.
    pub fn variant(&self) -> &'a str {
        &self.runs[0].variant
    }

    /// Peer and variant. Ours has one way to be set, which needs no word.
    pub fn name(&self) -> String {
        match (self.is_ours(), self.variant()) {
            (true, "default") => self.peer().to_owned(),
            (_, variant) => format!("{} {variant}", self.peer()),
        }
    }

    /// Name and QoS.
    pub fn title(&self) -> String {
        format!("{}, {}", self.name(), self.runs[0].qos)
    }

    /// The paper's condition it answers.
    pub fn condition(&self) -> Option<u8> {
        self.runs[0].condition
    }

    /// Whether it is one of our own.
    pub fn is_ours(&self) -> bool {
        self.peer() == OURS
    }

    /// Our link as it is meant to be used: with a lifespan, which no condition of the paper has.
    pub(super) fn is_link(&self) -> bool {
        self.is_ours() && self.runs[0].qos.contains(" lifespan ")
    }

    /// Runs that count.
    pub fn good(&self) -> impl Iterator<Item = &'a DriveCase> {
        self.runs.iter().copied().filter(|case| counts(case))
    }

    fn images(&self) -> impl Iterator<Item = &'a StreamResult> {
        self.good().filter_map(|case| case.images_together.as_ref())
    }

    /// Median of a figure over the runs that count.
    fn figure(&self, of: impl Fn(&Summary) -> Option<f64>) -> Option<f64> {
        median(self.images().filter_map(|images| of(&images.figures)))
    }

    fn of_case(&self, of: impl Fn(&DriveCase) -> Option<f64>) -> Option<f64> {
        median(self.good().filter_map(of))
    }

    /// Mean latency.
    pub fn mean_ms(&self) -> Option<f64> {
        self.figure(|figures| figures.mean_ms)
    }

    /// Largest latency of all runs that count.
    pub fn worst_ms(&self) -> Option<f64> {
        self.images().filter_map(|images| images.figures.worst_ms).reduce(f64::max)
    }

    /// Smallest latency of all runs that count.
    fn best_ms(&self) -> Option<f64> {
        self.images().filter_map(|images| images.figures.best_ms).reduce(f64::min)
    }

    /// 99th percentile.
    pub fn p99_ms(&self) -> Option<f64> {
        median(self.images().filter_map(StreamResult::p99_ms))
    }

    /// Processor time of both ends for each megabyte of images delivered.
    pub fn cpu_ms_per_mb(&self) -> Option<f64> {
        self.of_case(DriveCase::cpu_ms_per_mb)
    }

    /// Images offered in all runs that count, and in those in which the contender broke.
    pub fn offered(&self) -> u64 {
        let good = sum(self.images().map(|images| images.ledger.offered));
        good.saturating_add(sum(self.broken().map(|(offered, _)| offered)))
    }

    /// Of these, the images that were not delivered: who breaks has missed what was to come.
    pub fn missed(&self) -> u64 {
        let good = sum(self.images().map(StreamResult::missed));
        good.saturating_add(sum(self.broken().map(|(offered, delivered)| offered.saturating_sub(delivered))))
    }

    /// Images that were to be offered, and those delivered, of each run in which the contender broke.
    fn broken(&self) -> impl Iterator<Item = (u64, u64)> {
        let broke = self.runs.iter().filter(|case| case.broke && !case.interrupted);
        broke.map(|case| {
            let planned = u64::from(case.images).saturating_mul(case.samples);
            let images = case.images_together.as_ref();
            (planned, images.map_or(0, |images| images.ledger.delivered))
        })
    }

    /// Share of the images offered that were not delivered; `None` if none was offered.
    pub fn missed_share(&self) -> Option<f64> {
        let offered = self.offered();
        (offered > 0).then(|| self.missed() as f64 / offered as f64)
    }

    /// Whether every image arrived.
    pub fn delivered_all(&self) -> bool {
        self.missed_share() == Some(0.0)
    }

    fn runs_words(&self) -> String {
        match (self.good().count(), self.runs.len()) {
            (good, all) if good == all => all.to_string(),
            (good, all) => format!("{good} of {all}"),
        }
    }

    pub(super) fn row(&self) -> Row {
        let inside = |of: fn(&Summary) -> Option<f64>| percent(self.figure(of));
        let number =
            |value: Option<f64>, digits: usize| value.map_or(NONE.to_owned(), |v| format!("{v:.digits$}"));
        let cells = vec![
            self.title(),
            self.runs_words(),
            ms(self.mean_ms()),
            ms(self.worst_ms()),
            ms(self.best_ms()),
            ms(self.figure(|figures| figures.sd_ms)),
            ms(self.p99_ms()),
            inside(|figures| figures.inside.ms_100),
            inside(|figures| figures.inside.ms_150),
            inside(|figures| figures.inside.ms_225),
            inside(|figures| figures.inside.ms_500),
            self.missed().to_string(),
            self.offered().to_string(),
            number(self.of_case(DriveCase::wire_ratio), 3),
            number(self.of_case(|case| case.cpu_s.send), 2),
            number(self.of_case(|case| case.cpu_s.receive), 2),
            number(self.cpu_ms_per_mb(), 1),
            number(self.of_case(|case| case.load_average), 2),
        ];
        Row { quoted: false, cells }
    }
}

/// A file from outside may hold any numbers.
fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}
