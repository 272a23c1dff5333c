//! What the experiment wants to show, and whether it did.

use std::fmt;

use super::{Foreground, LbeCase};

/// Ours, as it is compared: with the same queue for the foreground as what it is compared to.
const OURS: &str = "lbe";
/// Bytes of a full frame with what it takes on the wire besides.
const FULL_FRAME_BYTES: f64 = 1514.0 + 24.0;

/// One goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What was wanted.
    pub wanted: String,
    /// The figure; `None` if what it is made of was not run.
    pub figure: Option<f64>,
    /// Whether it is as wanted.
    pub met: Option<bool>,
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.met {
            Some(true) => "met",
            Some(false) => "missed",
            None => "not judged",
        };
        let figure = self.figure.map_or("was not run".to_owned(), |figure| format!("{figure:.4}"));
        write!(f, "{verdict}: {} ({figure})", self.wanted)
    }
}

fn at_most(wanted: String, figure: Option<f64>, bound: f64) -> Goal {
    Goal { wanted: format!("{wanted}: at most {bound}"), figure, met: figure.map(|figure| figure <= bound) }
}

fn at_least(wanted: String, figure: Option<f64>, bound: f64) -> Goal {
    Goal { wanted: format!("{wanted}: at least {bound}"), figure, met: figure.map(|figure| figure >= bound) }
}

/// All goals, for each kernel.
pub fn goals(cases: &[LbeCase]) -> Vec<Goal> {
    let mut kernels: Vec<&str> = cases.iter().map(|case| case.kernel.as_str()).collect();
    kernels.dedup();
    kernels.into_iter().flat_map(|kernel| Cases { cases, kernel }.goals()).collect()
}

struct Cases<'a> {
    cases: &'a [LbeCase],
    kernel: &'a str,
}

impl Cases<'_> {
    fn goals(&self) -> Vec<Goal> {
        let on = |wanted: &str| format!("Linux {}: {wanted}", self.kernel);
        vec![
            at_most(
                on("POST of 100 KB beside 8 TCP flows, to none"),
                self.ratio(Foreground::Post, 100_000, "tcp8"),
                1.03,
            ),
            at_most(
                on("POST of 20 KB beside UDP, to none"),
                self.ratio(Foreground::Post, 20_000, "udp1"),
                1.10,
            ),
            at_most(on("computation beside UDP, to none"), self.ratio(Foreground::Compute, 0, "udp1"), 1.005),
            at_most(
                on("computation beside 8 TCP flows, to none"),
                self.ratio(Foreground::Compute, 0, "tcp8"),
                1.005,
            ),
            at_most(on("instructions for each packet, to pfifo"), self.instructions(), 1.03),
            at_least(on("share of the idle link that 8 TCP flows get"), self.idle_share(), 0.98),
            at_most(on("longest wait of a packet, in frames' time"), self.reaction(), 1.0),
            at_most(
                on("transfers through the small queue, nobody else there, to none"),
                self.small_queue(),
                1.01,
            ),
            at_least(
                on("background beside one busy processor of two, to idle"),
                self.on_two_processors(),
                0.9,
            ),
        ]
    }

    fn find(&self, wanted: impl Fn(&LbeCase) -> bool) -> Option<&LbeCase> {
        self.cases.iter().find(|case| case.kernel == self.kernel && wanted(case))
    }

    fn ours(&self, direction: Foreground, bytes: u64, background: &str) -> Option<&LbeCase> {
        self.find(|case| {
            case.scheme == OURS
                && case.background == background
                && (case.direction, case.bytes, case.processors) == (direction, bytes, 1)
        })
    }

    fn ratio(&self, direction: Foreground, bytes: u64, background: &str) -> Option<f64> {
        self.ours(direction, bytes, background)?.ratio_to_none
    }

    /// Of UDP, whose packets are all the near end's own work.
    fn instructions(&self) -> Option<f64> {
        let per_packet = |scheme: &str| {
            let found = self.find(|case| {
                (case.scheme.as_str(), case.background.as_str()) == (scheme, "udp1")
                    && (case.direction, case.processors) == (Foreground::Idle, 1)
                    && case.link_kbps >= 10_000
            });
            found?.instructions_per_packet
        };
        Some(per_packet(OURS)? / per_packet("pfifo")?)
    }

    fn idle_share(&self) -> Option<f64> {
        let slow =
            |case: &LbeCase| case.scheme == OURS && case.background == "tcp8" && case.link_kbps < 10_000;
        Some(self.find(|case| slow(case) && case.direction == Foreground::Idle)?.background_share)
    }

    fn reaction(&self) -> Option<f64> {
        let worst = self.cases.iter().filter(|case| {
            case.kernel == self.kernel && case.scheme == OURS && case.direction == Foreground::React
        });
        worst
            .map(|case| case.worst_ms / (FULL_FRAME_BYTES * 8.0 / f64::from(case.link_kbps)))
            .reduce(f64::max)
    }

    fn small_queue(&self) -> Option<f64> {
        let cases = self.cases.iter().filter(|case| {
            case.kernel == self.kernel
                && case.scheme == "none-small-queue"
                && matches!(case.direction, Foreground::Post | Foreground::Get)
        });
        cases.filter_map(|case| case.ratio_to_none).reduce(f64::max)
    }

    fn on_two_processors(&self) -> Option<f64> {
        let share = |direction| {
            let found =
                self.find(|case| case.scheme == OURS && case.processors == 2 && case.direction == direction);
            found.map(|case| case.background_share)
        };
        Some(share(Foreground::Compute)? / share(Foreground::Idle)?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::compare;
    use super::super::tests::case;
    use super::*;

    fn verdicts(cases: &[LbeCase]) -> Vec<Option<bool>> {
        goals(cases).iter().map(|goal| goal.met).collect()
    }

    #[test]
    fn what_was_not_run_is_not_judged() {
        let cases = [case("none", "none", Foreground::Post, 100_000, 100.0)];
        assert!(verdicts(&cases).iter().all(Option::is_none));
    }

    #[test]
    fn a_transfer_is_judged_by_its_ratio() {
        let mut cases = vec![
            case("none", "none", Foreground::Post, 100_000, 100.0),
            case("lbe", "tcp8", Foreground::Post, 100_000, 102.9),
        ];
        compare(&mut cases);
        assert_eq!(verdicts(&cases)[0], Some(true));
        cases[1].median_ms = 103.1;
        compare(&mut cases);
        assert_eq!(verdicts(&cases)[0], Some(false));
        assert!(
            goals(&cases)[0].to_string().starts_with("missed: Linux 6.1: POST of 100 KB"),
            "{}",
            goals(&cases)[0]
        );
    }

    #[test]
    fn a_packet_may_wait_for_one_frame() {
        let frame_ms = FULL_FRAME_BYTES * 8.0 / 384.0;
        let mut cases = vec![case("lbe", "tcp8", Foreground::React, 0, 10.0)];
        cases[0].worst_ms = frame_ms;
        assert_eq!(verdicts(&cases)[6], Some(true));
        cases[0].worst_ms = frame_ms * 1.01;
        assert_eq!(verdicts(&cases)[6], Some(false));
    }
}
