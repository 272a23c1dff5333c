//! What an RTOS may take of processors that it shares with Linux: `cores.rtos` of a site (CON-19).

use core::time::Duration;

use super::error::Log;
use super::fields::{Field, Fields};
use crate::units::{DurationText, Quantity, parse_duration};

/// Highest number of a processor that both may have.
const MAX_CORE: u64 = 7;
/// How long a period is.
const PERIODS: std::ops::RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_secs(1);
/// The least that is worth a switch from one to the other.
const LEAST: Duration = Duration::from_micros(100);

/// The RTOS's bound on one processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtosBudget {
    /// Number of the processor, from 0.
    pub core: u8,
    /// What the RTOS may take of each period, whole microseconds.
    pub budget: Duration,
    /// How long a period is, whole microseconds.
    pub period: Duration,
}

impl RtosBudget {
    /// What Linux has of each period whatever the RTOS's tasks do.
    pub fn left(&self) -> Duration {
        self.period.saturating_sub(self.budget)
    }
}

/// A part that is wrong is left out, and is in the log.
pub(super) fn read(field: &Field<'_>, log: &mut Log<'_>) -> Vec<RtosBudget> {
    let mut all: Vec<RtosBudget> = Vec::new();
    for item in field.items(log).unwrap_or_default() {
        if let Some(budget) = read_one(&item, &all, log) {
            all.push(budget);
        }
    }
    all
}

fn read_one(item: &Field<'_>, before: &[RtosBudget], log: &mut Log<'_>) -> Option<RtosBudget> {
    let fields = item.fields(log, &["core", "budget", "period"])?;
    let core = core(&fields, before, log);
    let period = time(&fields, "period", (*PERIODS.start(), *PERIODS.end()), log);
    let budget = time(&fields, "budget", (LEAST, period.unwrap_or(*PERIODS.end())), log);
    Some(RtosBudget { core: core?, budget: budget?, period: period? })
}

fn core(fields: &Fields<'_>, before: &[RtosBudget], log: &mut Log<'_>) -> Option<u8> {
    let field = fields.required(log, "core", "give the number of the processor, such as core: 0")?;
    let core = u8::try_from(field.integer(log, 0..=MAX_CORE)?).ok()?;
    if before.iter().any(|other| other.core == core) {
        field.wrong(log, format!("processor {core} has a budget already"), "name each processor once");
        return None;
    }
    Some(core)
}

fn time(
    fields: &Fields<'_>,
    name: &str,
    (least, most): (Duration, Duration),
    log: &mut Log<'_>,
) -> Option<Duration> {
    let field = fields.required(log, name, &format!("give it, such as {name}: 10 ms"))?;
    let time = field.quantity(log, Quantity::Duration, parse_duration)?;
    let (least, most) = (DurationText(least), DurationText(most));
    if !(least.0..=most.0).contains(&time) {
        let what = format!("{} is not from {least} to {most}", DurationText(time));
        let remedy = match name {
            "budget" => "a budget has at most its period",
            _ => "choose a period in which Linux can wait for the rest of it",
        };
        field.wrong(log, what, remedy);
        return None;
    }
    if !time.as_nanos().is_multiple_of(1_000) {
        field.wrong(log, format!("{} is no whole number of microseconds", DurationText(time)), "round it");
        return None;
    }
    Some(time)
}
