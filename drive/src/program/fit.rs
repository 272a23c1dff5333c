//! Tells of a flow that the path cannot carry as it was declared, and what would help: too much of it, or too far. SPEC.md
//! DRV-110.
//!
//! Pure. Runs in the main threads, with the status.

use std::time::Duration;

use tokkyu_contract::MonoTime;

use crate::view::snapshot::{rate, size};

/// It has to be so for this long: the first grants, and a path that changes, are no verdict.
const FOR: Duration = Duration::from_secs(1);

/// Whether something has been so for a while; told once each way.
#[derive(Clone, Copy, Debug, Default)]
struct Lasting {
    is_so: bool,
    other_since: Option<MonoTime>,
}

impl Lasting {
    /// It is `now_so`. What it has been for a while, if that is news.
    fn on_look(&mut self, now: MonoTime, now_so: bool) -> Option<bool> {
        if now_so == self.is_so {
            self.other_since = None;
            return None;
        }
        let since = *self.other_since.get_or_insert(now);
        if now.since(since) < FOR {
            return None;
        }
        *self = Lasting { is_so: now_so, other_since: None };
        Some(now_so)
    }
}

/// A flow of pictures.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    flow: String,
    period: Duration,
    /// What its engineer may do about too much of it.
    remedy: &'static str,
    is_too_much: Lasting,
}

impl Fit {
    /// Of `flow` with a sample each `period`; `compresses` where its pictures become as small as they can by themselves.
    pub(crate) fn new(flow: &str, period: Duration, compresses: bool) -> Fit {
        let remedy = match compresses {
            true => "lower its rate:, or width: and height:",
            false => {
                "write encoding: mjpeg, which makes them as small as they have to be, or lower rate: or size:"
            }
        };
        Fit { flow: flow.to_owned(), period, remedy, is_too_much: Lasting::default() }
    }

    /// Its samples have `bytes`, and the link grants it `granted_bps` (0: not known yet). Words where that is news.
    pub(crate) fn on_look(&mut self, now: MonoTime, bytes: usize, granted_bps: u64) -> Option<String> {
        let needed_bps = (bytes as f64 * 8.0 / self.period.as_secs_f64()) as u64;
        let is_too_much = granted_bps > 0 && needed_bps > granted_bps;
        let news = self.is_too_much.on_look(now, is_too_much)?;
        let Fit { flow, remedy, .. } = &self;
        match news {
            true => Some(format!(
                "{flow} DOES NOT FIT: pictures of {} each {} ms need {}, and the link grants {}: most come too late or never; \
                 {remedy} (robot.yaml)",
                size(bytes as u64),
                self.period.as_millis(),
                rate(needed_bps),
                rate(granted_bps)
            )),
            false => Some(format!("{flow} fits the link again")),
        }
    }
}

/// A flow with a lifespan, and how far the other end is.
#[derive(Clone, Debug)]
pub(crate) struct Distance {
    flow: String,
    lifespan: Option<Duration>,
    is_too_far: Lasting,
}

impl Distance {
    /// Of `flow`.
    pub(crate) fn new(flow: &str, lifespan: Option<Duration>) -> Distance {
        Distance { flow: flow.to_owned(), lifespan, is_too_far: Lasting::default() }
    }

    /// The shortest round trip is `min_rtt` (zero: not known yet). Words where it is news that nothing comes in time.
    pub(crate) fn on_look(&mut self, now: MonoTime, min_rtt: Duration) -> Option<String> {
        let (way, lifespan) = (min_rtt / 2, self.lifespan?);
        let news = self.is_too_far.on_look(now, way >= lifespan)?;
        let flow = &self.flow;
        match news {
            true => Some(format!(
                "{flow} IS TOO FAR: half the round trip is {} ms, and its samples are worth {} ms: none comes in time; raise \
                 its lifespan: at both ends (robot.yaml), or take a shorter path",
                way.as_millis(),
                lifespan.as_millis()
            )),
            false => Some(format!("{flow} comes in time again")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    #[test]
    fn what_does_not_fit_for_a_second_is_told_once_with_what_would_help() {
        let mut fit = Fit::new("camera/front", Duration::from_millis(100), false);
        assert_eq!(fit.on_look(at(0), 374_000, 0), None);
        assert_eq!(fit.on_look(at(100), 374_000, 3_000_000), None);
        assert_eq!(fit.on_look(at(900), 374_000, 40_000_000), None, "a moment is nothing");
        assert_eq!(fit.on_look(at(1_000), 374_000, 3_000_000), None);
        let told = fit.on_look(at(2_000), 374_000, 3_000_000).unwrap();
        assert!(
            told.contains("374.0 kB each 100 ms need 29.92 Mbit/s, and the link grants 3.00 Mbit/s"),
            "{told}"
        );
        assert!(told.contains("encoding: mjpeg"), "{told}");
        assert_eq!(fit.on_look(at(9_000), 374_000, 3_000_000), None);
        assert_eq!(fit.on_look(at(9_100), 374_000, 30_000_000), None);
        let again = fit.on_look(at(10_100), 374_000, 30_000_000);
        assert_eq!(again.as_deref(), Some("camera/front fits the link again"));
    }

    #[test]
    fn what_cannot_come_in_time_is_told() {
        let mut commands = Distance::new("drive/command", Some(Duration::from_millis(150)));
        let rtt = Duration::from_millis;
        assert_eq!(commands.on_look(at(0), rtt(299)), None);
        assert_eq!(commands.on_look(at(1_000), rtt(600)), None);
        let told = commands.on_look(at(2_000), rtt(600)).unwrap();
        assert!(told.contains("half the round trip is 300 ms, and its samples are worth 150 ms"), "{told}");
        assert_eq!(Distance::new("log", None).on_look(at(9_000), rtt(9_000)), None);
    }
}
