//! `tokkyu tune try`: measures before, with the plan, and before again, and keeps the plan or not.

use clap::Args;
use serde::Serialize;
use tokkyu_contract::class::Class;
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_probe::figures::Figures;
use tokkyu_tune::trial::{Compared, Seen, Verdict, judge};
use tokkyu_tune::{Finding, Journals, TuneError, apply, find, revert};

use super::wanted::Wanted;
use crate::command::measure::{Between, MeasureJitter, MeasureRtt};
use crate::exit::{CODES, Done, Failure};
use crate::output::say;

const EXAMPLES: &str = "\
Examples:
  sudo tokkyu tune try --robot robot.yaml --dev eth0 --to 192.168.7.2 --far 'ssh robot@192.168.7.2' --load send
  sudo tokkyu tune try --robot robot.yaml --dev eth0 --to 192.168.7.2 --far 'ssh robot@192.168.7.2' --load receive --json";

/// Requests are so far apart, and by another part of the spread each time.
const PAUSE_US: u32 = 500;
const PAUSE_SPREAD_US: u32 = 5_500;

/// Measure jitter and round trips as it is, with the plan, and as it was again; keep the plan if it helps and harms nothing.
///
/// Judged are mean and 99.9th percentile, against both measurements without the plan. What is measured with the plan is marked as flows of
/// the class control are to be. The other machine needs tokkyu-probe, as for tokkyu measure, and is not tuned.
///
/// Fails (1) if the plan is not kept. Interrupted, it is taken back; killed, tokkyu tune revert does it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Try {
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    between: Between,
    /// Between two frames
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..))]
    period_us: u32,
}

#[derive(Serialize)]
struct Told<'a> {
    compared: &'a [Compared],
    verdict: &'a Verdict,
}

/// A plan that is taken back, whatever comes, unless it is released.
struct Applied<'a> {
    device: &'a str,
    journals: &'a Journals,
}

impl<'a> Applied<'a> {
    fn new(finding: &'a Finding, journals: &'a Journals) -> Result<Applied<'a>, TuneError> {
        apply(finding, journals)?;
        Ok(Applied { device: &finding.host.device, journals })
    }

    fn release(self) {
        std::mem::forget(self);
    }
}

impl Drop for Applied<'_> {
    fn drop(&mut self) {
        if let Err(error) = revert(self.device, self.journals) {
            say(&format!("the plan was not taken back: {error}"));
        }
    }
}

impl Try {
    pub fn run(self, stop: &StopFlag) -> Done {
        let (journals, device) = (Journals::here(), &self.between.device);
        if journals.of(device)?.is_some_and(|journal| !journal.is_of_another_start()) {
            return Err(TuneError::Tuned(device.clone()).into());
        }
        let finding = find(device, &self.wanted.wish()?)?;
        let before = self.measure("as it is", None, stop)?;
        let applied = Applied::new(&finding, &journals)?;
        let mark = i32::from(Class::Control.priorities().skb_priority);
        let with = self.measure("with the plan", Some(mark), stop)?;
        drop(applied);
        let again = self.measure("as it was, again", None, stop)?;
        let compared: Vec<Compared> = ["jitter", "round trips"]
            .into_iter()
            .zip(before.into_iter().zip(with).zip(again))
            .map(|(what, ((before, with), again))| Compared { what: what.to_owned(), before, with, again })
            .collect();
        let verdict = judge(&compared);
        if verdict == Verdict::Keep {
            Applied::new(&finding, &journals)?.release();
        }
        self.tell(&compared, &verdict)?;
        Ok(if verdict == Verdict::Keep { ExitCode::Ok } else { ExitCode::Failed })
    }

    /// Jitter, then round trips.
    fn measure(&self, when: &str, mark: Option<i32>, stop: &StopFlag) -> Result<[Seen; 2], Failure> {
        say(when);
        let mut between = self.between.clone();
        between.skb_priority = mark.or(between.skb_priority);
        let (jitter, load) = MeasureJitter::of(between.clone(), self.period_us).measure(stop)?;
        let frames = seen(&jitter.received.jitter, jitter.received.lost, load);
        let (trips, load) = MeasureRtt::of(between, PAUSE_US, PAUSE_SPREAD_US).measure(stop)?;
        Ok([frames, seen(&trips.asked.rtt, trips.asked.lost + trips.asked.late, load)])
    }

    fn tell(&self, compared: &[Compared], verdict: &Verdict) -> Result<(), Failure> {
        self.between.json.show(&text(compared, verdict, &self.between.device), &Told { compared, verdict })
    }
}

fn seen(figures: &Figures, lost: u32, load_mbit: Option<f64>) -> Seen {
    Seen { mean_ns: figures.mean_ns, p999_ns: figures.p999_ns, max_ns: figures.max_ns, lost, load_mbit }
}

fn text(compared: &[Compared], verdict: &Verdict, device: &str) -> String {
    let mut text = format!("{:<26}{:>12}{:>12}{:>12}  \n", "ms", "before", "with", "before");
    for one in compared {
        let Compared { what, before, with, again } = one;
        let all = [before, with, again];
        let [mean, p999] = one.changes();
        let row = |name: &str, of: &dyn Fn(&Seen) -> String, verdict: String| {
            format!(
                "{:<26}{}  {verdict}\n",
                format!("{what}, {name}"),
                all.map(|seen| format!("{:>12}", of(seen))).concat()
            )
        };
        text += &row("mean", &|seen| ms(seen.mean_ns), mean.to_string());
        text += &row("99.9 %", &|seen| ms(seen.p999_ns as f64), p999.to_string());
        text += &row("worst", &|seen| ms(seen.max_ns as f64), String::new());
        text += &row("lost", &|seen| seen.lost.to_string(), String::new());
        if before.load_mbit.is_some() {
            text +=
                &row("load Mbit/s", &|seen| format!("{:.1}", seen.load_mbit.unwrap_or(0.0)), String::new());
        }
    }
    text + &match verdict {
        Verdict::Keep => format!("\nkept: tokkyu tune status --dev {device} tells what was set\n"),
        Verdict::Revert(reasons) => format!("\ntaken back: {}\n", reasons.join("; ")),
    }
}

fn ms(ns: f64) -> String {
    format!("{:.4}", ns / 1e6)
}
