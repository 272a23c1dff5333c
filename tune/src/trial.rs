//! Whether a plan is worth keeping: what was measured before it, with it, and before again (TUNE-30 to TUNE-32). Pure.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One measurement of one kind, such as jitter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Mean, ns.
    pub mean_ns: f64,
    /// 999 of 1000 are no more, ns.
    pub p999_ns: i64,
    /// The most, ns: told, and not judged, as one frame decides it.
    pub max_ns: i64,
    /// Frames or requests lost.
    pub lost: u32,
    /// Of the bulk traffic beside it, Mbit/s; `None`: there is none.
    pub load_mbit: Option<f64>,
}

/// The same before, with the plan, and when it was taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Such as `jitter`.
    pub what: String,
    /// As it was.
    pub before: Seen,
    /// With the plan.
    pub with: Seen,
    /// As it was, again.
    pub again: Seen,
}

/// How the plan does against what was before it and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Less than both.
    Better,
    /// Between both, or hardly beside.
    Alike,
    /// More than both.
    Worse,
}

/// What becomes of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is kept.
    Keep,
    /// It is taken back, for these reasons.
    Revert(Vec<String>),
}

/// What of a difference is none, of what it is compared to.
const NEGLIGIBLE: f64 = 0.05;
/// What of the bulk traffic must be left.
const LOAD_KEPT: f64 = 0.9;

fn change(before: f64, with: f64, again: f64) -> Change {
    let (least, most) = (before.min(again), before.max(again));
    match with {
        with if with < least * (1.0 - NEGLIGIBLE) => Change::Better,
        with if with > most * (1.0 + NEGLIGIBLE) => Change::Worse,
        _ => Change::Alike,
    }
}

impl Compared {
    /// Of mean and 99.9th percentile.
    pub fn changes(&self) -> [Change; 2] {
        let of = |part: fn(&Seen) -> f64| change(part(&self.before), part(&self.with), part(&self.again));
        [of(|seen| seen.mean_ns), of(|seen| seen.p999_ns as f64)]
    }

    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let [mean, p999] = self.changes();
        for (change, what) in [(mean, "mean"), (p999, "99.9th percentile")] {
            if change == Change::Worse {
                faults.push(format!("{}: its {what} is worse", self.what));
            }
        }
        if self.with.lost > self.before.lost.max(self.again.lost) {
            faults.push(format!(
                "{}: {} lost, and at most {} without",
                self.what,
                self.with.lost,
                self.before.lost.max(self.again.lost)
            ));
        }
        let untuned = self
            .before
            .load_mbit
            .zip(self.again.load_mbit)
            .map(|(before, again)| f64::midpoint(before, again));
        if let Some((with, untuned)) =
            self.with.load_mbit.zip(untuned).filter(|(with, untuned)| *with < untuned * LOAD_KEPT)
        {
            faults.push(format!("{}: beside {with:.1} Mbit/s, and {untuned:.1} without: what it gains it may gain by carrying less", self.what));
        }
        faults
    }
}

/// A plan is kept if something is better and nothing worse, nothing more is lost, and the bulk traffic is no less.
pub fn judge(all: &[Compared]) -> Verdict {
    let mut faults: Vec<String> = all.iter().flat_map(Compared::faults).collect();
    if !all.iter().flat_map(Compared::changes).any(|change| change == Change::Better) {
        faults.push(
            "nothing is better, beyond what the measurements before it and after it differ by".to_owned(),
        );
    }
    if faults.is_empty() { Verdict::Keep } else { Verdict::Revert(faults) }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Change::Better => "better",
            Change::Alike => "alike",
            Change::Worse => "worse",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(mean_ns: f64) -> Seen {
        Seen { mean_ns, p999_ns: (mean_ns * 3.0) as i64, max_ns: 0, lost: 0, load_mbit: Some(90.0) }
    }

    fn compared(before: f64, with: f64, again: f64) -> Compared {
        Compared { what: "jitter".to_owned(), before: seen(before), with: seen(with), again: seen(again) }
    }

    fn reasons(all: &[Compared]) -> String {
        match judge(all) {
            Verdict::Keep => "keep".to_owned(),
            Verdict::Revert(reasons) => reasons.join("; "),
        }
    }

    #[test]
    fn a_plan_that_helps_and_harms_nothing_is_kept() {
        assert_eq!(reasons(&[compared(1_000.0, 200.0, 1_100.0), compared(500.0, 500.0, 480.0)]), "keep");
    }

    #[test]
    fn what_measurements_differ_by_anyway_is_no_gain() {
        assert!(reasons(&[compared(1_000.0, 600.0, 500.0)]).contains("nothing is better"));
        assert!(reasons(&[compared(1_000.0, 960.0, 1_000.0)]).contains("nothing is better"));
        assert!(reasons(&[]).contains("nothing is better"));
    }

    #[test]
    fn a_gain_does_not_pay_for_a_harm() {
        let better = compared(1_000.0, 200.0, 1_100.0);
        assert!(reasons(&[better.clone(), compared(500.0, 700.0, 480.0)]).contains("its mean is worse"));
        let mut lossy = better.clone();
        lossy.with.lost = 1;
        assert!(reasons(&[lossy]).contains("1 lost"));
        let mut idle = better;
        idle.with.load_mbit = Some(60.0);
        assert!(reasons(&[idle]).contains("carrying less"));
    }
}
