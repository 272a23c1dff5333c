//! From what each run measured to the cases of a result: rounds of a peer and size are one.

use std::path::PathBuf;

use tokkyu_measure::local::{LocalCase, LocalMore, OverloadCase, RoundTold, Size, place_of};
use tokkyu_measure::{Fault, Figures};

use super::gather;
use super::records::{OverloadTimes, Times};
use super::study::Cell;
use super::summary::{OverloadSummary, Summary};

/// What one run of a peer found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was run.
    pub cell: Cell,
    /// Its raw records, seen from the result.
    pub records: PathBuf,
    /// Of the machine, over one minute, when it began; nothing if it is told from an earlier run.
    pub load_average: Option<f64>,
    /// The figures, or why there are none that may be believed.
    pub measured: Result<Measured, String>,
}

/// What a run measured.
#[derive(Clone, Debug)]
pub enum Measured {
    /// One-way latency.
    Latency {
        /// From publishing to the receiver's hands.
        times: Times,
        /// What the program said.
        summary: Summary,
    },
    /// What publishing takes while the subscriber is too slow.
    Overload {
        /// From before the call to after it, and of the floor beside.
        times: OverloadTimes,
        /// What the program said.
        summary: OverloadSummary,
    },
}

impl Measured {
    /// The times that were recorded of what is measured.
    pub fn figures(&self) -> &Figures {
        match self {
            Measured::Latency { times, .. } => &times.figures,
            Measured::Overload { times, .. } => &times.calls,
        }
    }
}

/// One peer at one size, with its rounds that count.
type Group<'a> = ((Size, usize), Vec<(&'a Finding, &'a Measured)>);

/// Sizes in their order, within each the peers in theirs.
fn groups(findings: &[Finding]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for finding in findings {
        let Ok(measured) = &finding.measured else { continue };
        let key = (finding.cell.size, place_of(finding.cell.peer().as_str()));
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, rounds)) => rounds.push((finding, measured)),
            None => groups.push((key, vec![(finding, measured)])),
        }
    }
    groups.sort_by_key(|(key, _)| *key);
    groups
}

/// Latencies of all findings.
pub fn cases(findings: &[Finding]) -> Vec<LocalCase> {
    let case = |(_, rounds): Group<'_>| {
        let latencies: Vec<(u32, &Times, &Summary)> = rounds
            .iter()
            .filter_map(|(finding, measured)| match measured {
                Measured::Latency { times, summary } => Some((finding.cell.round, times, summary)),
                Measured::Overload { .. } => None,
            })
            .collect();
        let records = rounds.iter().map(|(finding, _)| finding.records.clone()).collect();
        gather::latencies(&latencies, records)
    };
    groups(findings).into_iter().filter_map(case).collect()
}

/// Overload of all findings.
pub fn overload_cases(findings: &[Finding]) -> Vec<OverloadCase> {
    let case = |(_, rounds): Group<'_>| {
        let overloads: Vec<(&OverloadTimes, &OverloadSummary)> = rounds
            .iter()
            .filter_map(|(_, measured)| match measured {
                Measured::Overload { times, summary } => Some((times, summary)),
                Measured::Latency { .. } => None,
            })
            .collect();
        gather::overload(&overloads)
    };
    groups(findings).into_iter().filter_map(case).collect()
}

/// What a result has beside its latencies.
pub fn more(findings: &[Finding]) -> LocalMore {
    LocalMore { overload: overload_cases(findings), rounds: rounds(findings) }
}

/// Each round as it was run: findings come in the order of their cells.
fn rounds(findings: &[Finding]) -> Vec<RoundTold> {
    let round = |of_round: &[Finding]| RoundTold {
        round: of_round[0].cell.round,
        load_average: of_round[0].load_average,
        order: of_round.iter().map(|finding| finding.cell.file_name()).collect(),
    };
    findings.chunk_by(|one, next| one.cell.round == next.cell.round).map(round).collect()
}

/// Runs that failed.
pub fn faults(findings: &[Finding]) -> Vec<Fault> {
    let fault = |finding: &Finding| {
        let because = finding.measured.as_ref().err()?.clone();
        let cell = &finding.cell;
        let (by, round) = (cell.peer().as_str().to_owned(), cell.round + 1);
        Some(Fault { cell: format!("round {round}, {by}, {}", cell.size), by, because })
    };
    findings.iter().filter_map(fault).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::study::tests::study;
    use super::*;

    /// A round of a peer at 64 bytes, in which its samples took so long, in µs.
    pub(crate) fn finding(name: &str, round: u32, us: &[u64]) -> Finding {
        let cell = study(&[name]).cells(round).into_iter().find(|cell| cell.size == Size::SMALL).unwrap();
        let mut times = Times::default();
        us.iter().for_each(|us| times.figures.record(us * 1_000));
        let summary =
            Summary { peer: name.to_owned(), bytes: 64, copies: 4, processes: 2, ..Summary::default() };
        let records = format!("round{}/{}.txt", round + 1, cell.file_name()).into();
        Finding { cell, records, load_average: Some(0.5), measured: Ok(Measured::Latency { times, summary }) }
    }

    #[test]
    fn rounds_of_a_peer_are_one_case_and_a_run_that_failed_is_in_none() {
        let mut failed = finding("iceoryx", 1, &[9_000; 5]);
        failed.measured = Err("it failed".to_owned());
        let findings = [
            finding("iceoryx", 0, &[10, 20, 30]),
            finding("floor-futex", 1, &[5]),
            failed,
            finding("iceoryx", 2, &[40, 50, 60]),
            finding("floor-futex", 0, &[5]),
        ];
        let cases = cases(&findings);
        assert_eq!(
            cases.iter().map(|case| case.peer.as_str()).collect::<Vec<_>>(),
            ["floor-futex", "iceoryx"]
        );
        let iceoryx = &cases[1];
        assert_eq!((iceoryx.n, iceoryx.p50_rounds_us.len(), iceoryx.worst_us), (6, 2, Some(60.0)));
        assert_eq!((&*iceoryx.p50_rounds_us, &*iceoryx.round_numbers), (&[20.0, 50.0][..], &[0, 2][..]));
        assert_eq!(iceoryx.records, ["round1/iceoryx-64.txt", "round3/iceoryx-64.txt"].map(PathBuf::from));
        assert!(overload_cases(&findings).is_empty());
        let faults = faults(&findings);
        assert_eq!(faults[0].to_string(), "round 2, iceoryx, 64 B: it failed");
        assert_eq!((faults.len(), faults[0].by.as_str()), (1, "iceoryx"));
        let rounds = more(&findings).rounds;
        assert_eq!(
            (rounds[0].round, rounds[0].load_average, rounds[0].order[0].as_str()),
            (0, Some(0.5), "iceoryx-64")
        );
    }
}
