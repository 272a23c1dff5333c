//! Tables of cases, for a terminal and for documents.

use super::goals::LOAD_KEPT;
use super::paper;
use super::{MeanMax, RtnetCase};
use crate::table::{NONE, Row, Table};

const HEADER: [&str; 12] = [
    "load, setting",
    "n",
    "jitter mean",
    "sd",
    "max",
    "max of each run",
    "RTT mean",
    "sd",
    "max",
    "max of each run",
    "lost",
    "load Mbit/s",
];
const WHERE: [&str; 10] = [
    "load, setting (mean / max ms)",
    "woken",
    "send call",
    "to driver",
    "device",
    "RTT: peer to driver",
    "board",
    "board to driver",
    "peer in",
    "rest",
];

/// Two tables for each kernel, driver and layout: the figures with the paper's beside, and where time goes.
pub(crate) fn titled(cases: &[RtnetCase]) -> Vec<(String, Table)> {
    let mut titles: Vec<String> = cases.iter().map(title).collect();
    titles.dedup();
    let of = |wanted: &str| cases.iter().filter(|case| title(case) == wanted).collect::<Vec<_>>();
    titles
        .iter()
        .flat_map(|title| {
            let cases = of(title);
            [
                (format!("{title}, ms"), figures(&cases)),
                (format!("{title}: where the time goes"), places(&cases)),
            ]
        })
        .collect()
}

pub(crate) fn title(case: &RtnetCase) -> String {
    let driver = match case.driver.as_str() {
        "softirq" => "driver's work in ksoftirqd",
        _ => "driver's work in the interrupt's thread",
    };
    let plural = |n: u32, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    let slow = if case.instruction_ns == 4 { " of half the speed" } else { "" };
    let (cores, ports) = (plural(case.cores, "core"), plural(case.ports, "port"));
    let traced = if case.trace.is_some() { ", traced" } else { "" };
    format!("Linux {}, {cores}{slow}, {ports}, {driver}{traced}", case.kernel)
}

fn figures(cases: &[&RtnetCase]) -> Table {
    let rows = cases.iter().flat_map(|case| {
        let own = Row { quoted: false, cells: cells(case, unequal(cases, case)) };
        let is_papers = (case.cores, case.ports) == (1, 1);
        let quoted = paper::beside(&case.load, &case.config).filter(|_| is_papers).map(quoted);
        std::iter::once(own).chain(quoted)
    });
    Table { header: HEADER.to_vec(), rows: rows.collect() }
}

/// Whether its load is not that of the untuned, so that it may not be compared (MEA-103).
fn unequal(cases: &[&RtnetCase], case: &RtnetCase) -> bool {
    let untuned = cases.iter().find(|other| other.load == case.load && other.config == "untuned-other");
    untuned.is_some_and(|untuned| {
        let (less, more) = (case.load_mbit.min(untuned.load_mbit), case.load_mbit.max(untuned.load_mbit));
        less < more * LOAD_KEPT
    })
}

fn cells(case: &RtnetCase, unequal: bool) -> Vec<String> {
    let [jitter, rtt] = case.spread_of_worst();
    let measured = |n: u64, ms: f64| number(Some(ms).filter(|_| n > 0));
    let between = |n: u64, (least, most): (f64, f64)| match n {
        0 => NONE.to_owned(),
        _ => format!("{least:.3}–{most:.3}"),
    };
    let mut cells = vec![format!("{}, {}", case.load, case.config), case.n.to_string()];
    cells.extend([case.jitter_mean_ms, case.jitter_sd_ms, case.jitter_max_ms].map(|ms| measured(case.n, ms)));
    cells.push(between(case.n, jitter));
    cells.extend([case.rtt_mean_ms, case.rtt_sd_ms, case.rtt_max_ms].map(|ms| measured(case.rtt_n, ms)));
    cells.push(between(case.rtt_n, rtt));
    cells.push(case.lost.to_string());
    let mark = if unequal { " ≠" } else { "" };
    cells.push(if case.load == "none" { NONE.to_owned() } else { format!("{:.1}{mark}", case.load_mbit) });
    cells
}

fn quoted(row: &paper::Row) -> Row {
    let ms = |ms: f64| number(Some(ms));
    let none = || NONE.to_owned();
    let cells = vec![
        "  paper".to_owned(),
        none(),
        none(),
        ms(row.jitter_sd_ms),
        ms(row.jitter_max_ms),
        none(),
        ms(row.rtt_mean_ms),
        ms(row.rtt_sd_ms),
        ms(row.rtt_max_ms),
        none(),
        none(),
        none(),
    ];
    Row { quoted: true, cells }
}

fn places(cases: &[&RtnetCase]) -> Table {
    let rows = cases.iter().map(|case| {
        let (split, legs) = (&case.split, &case.legs);
        let frame = [split.wake, split.call, split.to_driver, split.device];
        let rest = MeanMax { mean_ms: legs.wires.mean_ms - legs.far_to_driver.mean_ms, max_ms: f64::NAN };
        let trip = [legs.out, legs.far, legs.far_to_driver, legs.back, rest];
        let mut cells = vec![format!("{}, {}", case.load, case.config)];
        cells.extend(frame.into_iter().chain(trip).map(both));
        Row { quoted: false, cells }
    });
    Table { header: WHERE.to_vec(), rows: rows.collect() }
}

fn both(times: MeanMax) -> String {
    format!("{} / {}", number(Some(times.mean_ms)), number(Some(times.max_ms)))
}

/// What is no number is not there (MEA-7).
fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or(NONE.to_owned(), |value| format!("{value:.3}"))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn case(config: &str, load: &str) -> RtnetCase {
        RtnetCase {
            kernel: "6.1-rt".to_owned(),
            cores: 1,
            ports: 1,
            load: load.to_owned(),
            config: config.to_owned(),
            driver: "thread".to_owned(),
            n: 10_000,
            rtt_n: 10_000,
            load_mbit: 95.0,
            ..RtnetCase::default()
        }
    }

    #[test]
    fn the_paper_stands_below_the_same_cell() {
        let shown = titled(&[case("untuned-other", "send"), case("tuned", "send")])[0].1.to_text();
        assert_eq!(shown.matches("  paper").count(), 1, "{shown}");
        assert!(shown.contains("4.264") && shown.contains("14.367"), "{shown}");
        let two = RtnetCase { cores: 2, ports: 2, ..case("untuned-other", "send") };
        assert!(!titled(&[two])[0].1.to_text().contains("  paper"));
    }

    #[test]
    fn unequal_loads_are_marked() {
        // MEA-103
        let untuned = case("untuned-other", "send");
        let half = RtnetCase { load_mbit: 50.0, ..case("step:pacing", "send") };
        let shown = titled(&[untuned, half])[0].1.to_markdown();
        assert!(shown.contains("| 50.0 ≠ |") && shown.contains("| 95.0 |"), "{shown}");
    }
}
