//! From what a board said to the cases of a result.

use std::fs;
use std::path::Path;

use tokkyu_measure::Fault;
use tokkyu_measure::rtnet::{Busy, Legs, Load, MeanMax, RtnetCase, Run, Split, Times, Traced, Work};
use tokkyu_probe::counters::Counters;
use tokkyu_probe::figures::Figures;
use tokkyu_probe::line::{Answered, Line, RoundTrips, Sent};

use super::cell::{ANSWERED, ASKED, COUNTERS, Cell, RECEIVED, SENT, TRACE};
use super::{samples, trace};
use crate::board::{Kernel, Line as Told, Outcome};

/// What one start of a board found.
#[derive(Clone, Debug)]
pub struct Finding {
    kernel: String,
    /// What was run.
    pub cell: Cell,
    /// The figures, or why there are none that may be believed.
    pub run: Result<Run, String>,
    trace: Option<Traced>,
}

/// Less of a thread is not told.
const SHARE_TOLD: f64 = 0.005;

/// Figures of one start.
pub(super) fn find(cell: &Cell, kernel: &Kernel, outcome: &Outcome, folder: &Path) -> Finding {
    let run = match &outcome.fault {
        Some(fault) => Err(fault.clone()),
        None => figures(cell, outcome, folder),
    };
    let trace = fs::read_to_string(folder.join(TRACE)).ok().and_then(|text| trace::look(&text));
    let run = match (cell.traced, &trace) {
        (true, None) if run.is_ok() => Err("the trace shows no frame of the sender".to_owned()),
        _ => run,
    };
    Finding { kernel: kernel.release.clone(), cell: *cell, run, trace }
}

/// The cases of all findings: repetitions of a cell are one. What is of one board in the order of its settings and loads, else in the order in which the first
/// of each came.
pub fn cases(findings: &[Finding]) -> Vec<RtnetCase> {
    let mut cases: Vec<RtnetCase> = Vec::new();
    for finding in by_setting(findings) {
        let Ok(run) = &finding.run else { continue };
        let empty = empty(finding);
        let same = |case: &&mut RtnetCase| {
            (&case.kernel, &case.load, &case.config, &case.driver)
                == (&empty.kernel, &empty.load, &empty.config, &empty.driver)
                && (case.cores, case.ports, case.instruction_ns)
                    == (empty.cores, empty.ports, empty.instruction_ns)
                && case.trace.is_none()
                && empty.trace.is_none()
        };
        match cases.iter_mut().find(same) {
            Some(case) => case.runs.push(run.clone()),
            None => cases.push(RtnetCase { runs: vec![run.clone()], ..empty }),
        }
    }
    for case in &mut cases {
        case.runs.sort_by_key(|run| run.run);
        case.pool();
    }
    cases
}

/// Runs that failed.
pub fn faults(findings: &[Finding]) -> Vec<Fault> {
    let fault = |finding: &Finding| {
        let because = finding.run.as_ref().err()?.clone();
        let cell = format!("Linux {}, {}", finding.kernel, finding.cell);
        Some(Fault { cell, by: finding.cell.setting.to_string(), because })
    };
    findings.iter().filter_map(fault).collect()
}

fn by_setting(findings: &[Finding]) -> Vec<&Finding> {
    let board = |finding: &Finding| {
        let Cell { layout, driver, traced, .. } = finding.cell;
        (finding.kernel.clone(), layout, driver, traced)
    };
    let mut boards = Vec::new();
    for finding in findings {
        if !boards.contains(&board(finding)) {
            boards.push(board(finding));
        }
    }
    let place = |finding: &Finding| boards.iter().position(|known| *known == board(finding));
    let mut ordered: Vec<&Finding> = findings.iter().collect();
    ordered.sort_by_key(|finding| (place(finding), finding.cell.setting.place(), finding.cell.load));
    ordered
}

fn empty(finding: &Finding) -> RtnetCase {
    let Cell { layout, driver, setting, load, .. } = finding.cell;
    RtnetCase {
        kernel: finding.kernel.clone(),
        cores: layout.cores,
        ports: layout.ports,
        instruction_ns: layout.instruction_ns(),
        load: load.to_string(),
        config: setting.to_string(),
        driver: driver.as_str().to_owned(),
        trace: finding.trace.clone(),
        ..RtnetCase::default()
    }
}

fn figures(cell: &Cell, outcome: &Outcome, folder: &Path) -> Result<Run, String> {
    let sent = said(outcome, SENT, |line| if let Line::Sent(sent) = line { Some(sent) } else { None })?;
    let received =
        said(outcome, RECEIVED, |line| if let Line::Received(one) = line { Some(one) } else { None })?;
    let asked = said(outcome, ASKED, |line| if let Line::RoundTrips(one) = line { Some(one) } else { None })?;
    let answered =
        said(outcome, ANSWERED, |line| if let Line::Answered(one) = line { Some(one) } else { None })?;
    let counters = COUNTERS.map(|name| {
        said(outcome, name, |line| if let Line::Counters(one) = line { Some(one) } else { None })
    });
    let [before_jitter, after_jitter, before_trips, after_trips] = counters;
    let (before_jitter, after_jitter) = (before_jitter?, after_jitter?);
    if let Some((reason, times)) = sent.refused.first() {
        return Err(format!("the kernel refused {times} frames: {reason}"));
    }
    if sent.stepped || asked.stepped || answered.stepped {
        return Err("the board's wall clock was set in the middle".to_owned());
    }
    let load_mbit = [(&before_jitter, &after_jitter), (&before_trips?, &after_trips?)]
        .map(|(before, after)| rate(cell.load, before, after));
    Ok(Run {
        run: cell.run,
        jitter: times(&received.jitter),
        rtt: times(&asked.rtt),
        lost: u64::from(received.lost) + u64::from(asked.lost) + u64::from(asked.late),
        load_mbit: load_mbit.iter().sum::<f64>() / load_mbit.len() as f64,
        split: split(&sent, folder),
        legs: legs(&asked, &answered),
        busy: busy(&before_jitter, &after_jitter),
    })
}

/// What a program said of a kind, if it came to its end.
fn said<T>(outcome: &Outcome, wanted: &str, kind: impl Fn(Line) -> Option<T>) -> Result<T, String> {
    let ran = outcome.lines.iter().find_map(|line| match line {
        Told::Ran { name, code, output, errors } if name == wanted => Some((*code, output, errors)),
        _ => None,
    });
    let (code, output, errors) = ran.ok_or_else(|| format!("{wanted} did not run"))?;
    let lines: Vec<Line> = output.lines().filter_map(|line| Line::from_json(line).ok()).collect();
    if code != 0 || !lines.contains(&Line::Done {}) {
        return Err(format!("{wanted} ended with {code}: {errors}"));
    }
    lines.into_iter().find_map(kind).ok_or_else(|| format!("{wanted} did not say what is wanted"))
}

fn ms(ns: f64) -> f64 {
    ns / 1e6
}

fn times(of: &Figures) -> Times {
    Times {
        n: of.n,
        mean_ms: ms(of.mean_ns),
        sd_ms: ms(of.sd_ns),
        p999_ms: ms(of.p999_ns as f64),
        max_ms: ms(of.max_ns as f64),
    }
}

fn mean_max(of: &Figures) -> MeanMax {
    MeanMax { mean_ms: ms(of.mean_ns), max_ms: ms(of.max_ns as f64) }
}

fn split(sent: &Sent, folder: &Path) -> Split {
    Split {
        wake: mean_max(&sent.wake),
        call: mean_max(&sent.call),
        to_driver: mean_max(&sent.to_driver),
        device: samples::in_device(folder),
    }
}

fn legs(asked: &RoundTrips, answered: &Answered) -> Legs {
    Legs {
        out: mean_max(&asked.out),
        far: mean_max(&asked.far),
        far_to_driver: mean_max(&answered.to_driver),
        back: mean_max(&asked.back),
        wires: mean_max(&asked.wires),
    }
}

fn seconds(before: &Counters, after: &Counters) -> f64 {
    (after.at_ns - before.at_ns).max(1) as f64 / 1e9
}

/// Mbit/s of the direction that bulk traffic has; what is measured is of it too, and is next to nothing.
fn rate(load: Load, before: &Counters, after: &Counters) -> f64 {
    let name = match load {
        Load::None => return 0.0,
        Load::Send => "tx_bytes",
        Load::Receive => "rx_bytes",
    };
    let of = |counters: &Counters| counters.statistics.get(name).copied().unwrap_or(0);
    of(after).saturating_sub(of(before)) as f64 * 8.0 / 1e6 / seconds(before, after)
}

fn busy(before: &Counters, after: &Counters) -> Busy {
    let seconds = seconds(before, after);
    let each_second = |name: &str| {
        let of = |counters: &Counters| counters.softirqs.get(name).cloned().unwrap_or_default();
        of(after).iter().zip(of(before)).map(|(after, before)| (after - before) as f64 / seconds).collect()
    };
    let squeezed = |counters: &Counters| counters.softnet.iter().map(|of| of[2]).sum::<u64>();
    let threads = after.threads.iter().filter_map(|thread| {
        let was = before.threads.iter().find(|was| was.id == thread.id).map_or(0, |was| was.ran_ns);
        let share = (thread.ran_ns - was) as f64 / 1e9 / seconds;
        let work = Work {
            name: thread.name.clone(),
            policy: thread.policy.clone(),
            priority: thread.priority,
            share,
        };
        (share >= SHARE_TOLD).then_some(work)
    });
    Busy {
        threads: threads.collect(),
        net_rx_per_s: each_second("NET_RX"),
        net_tx_per_s: each_second("NET_TX"),
        squeezed: squeezed(after) - squeezed(before),
        interrupts_per_s: (after.interrupts - before.interrupts) as f64 / seconds,
        retransmissions: after.tcp_retransmissions - before.tcp_retransmissions,
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Layout;
    use super::super::setting::{Driver, Rung, Setting};
    use super::*;

    fn finding(setting: Setting, driver: Driver, run: u32) -> Finding {
        of_load(Load::Send, setting, driver, run)
    }

    fn of_load(load: Load, setting: Setting, driver: Driver, run: u32) -> Finding {
        let cell = Cell { layout: Layout::ONE, driver, setting, load, run, count: 1, traced: false };
        Finding { kernel: "6.1".to_owned(), cell, run: Ok(Run { run, ..Run::default() }), trace: None }
    }

    /// Boards that run beside each other end in any order.
    #[test]
    fn loads_have_an_order() {
        let loads = [Load::Receive, Load::None, Load::Send];
        let findings = loads.map(|load| of_load(load, Setting::Other, Driver::Thread, 0));
        let told: Vec<String> = cases(&findings).into_iter().map(|case| case.load).collect();
        assert_eq!(told, ["none", "send", "receive"]);
    }

    #[test]
    fn the_plan_comes_after_the_steps_it_is_made_of() {
        let settings = [Setting::Other, Setting::Tuned]
            .into_iter()
            .chain(Rung::ALL.map(Setting::Step))
            .chain([Setting::Fifo1]);
        let mut findings: Vec<Finding> =
            settings.map(|setting| finding(setting, Driver::Thread, 0)).collect();
        findings.insert(1, finding(Setting::Other, Driver::Softirq, 0));
        findings.push(finding(Setting::Tuned, Driver::Thread, 1));
        let cases = cases(&findings);
        let told: Vec<&str> = cases.iter().map(|case| case.config.as_str()).collect();
        let ladder =
            ["step:gso", "step:band", "step:bql", "step:irq", "tuned", "step:bypass", "step:answers"];
        let wanted = [&["untuned-other", "untuned-fifo1"], ladder.as_slice(), &["untuned-other"]].concat();
        assert_eq!(told, wanted);
        assert_eq!(cases[6].runs.len(), 2);
    }
}
