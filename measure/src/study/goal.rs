//! What an experiment wants to show, and whether it did.
//!
//! Invariants: too little may miss a goal and never meets it; a figure whose ends lie on both sides of the bound decides nothing; each
//! verdict carries the figures it was made from.

use std::fmt;

use serde::Serialize;

use super::bound::Bound;
use super::figure::Figure;

/// What became of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As wanted, and so is all that the rounds leave possible.
    Met,
    /// Not as wanted, and nothing that they leave possible is.
    Missed,
    /// The rounds leave both possible: more of them would tell.
    Undecided,
    /// Not run, or too little of it.
    NotJudged,
}

impl Verdict {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Missed => "missed",
            Verdict::Undecided => "undecided",
            Verdict::NotJudged => "not judged",
        }
    }
}

/// Fewest of everything with which a goal can be met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Least {
    /// Samples.
    pub n: u64,
    /// Rounds, or runs.
    pub rounds: usize,
}

/// One goal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Goal {
    /// The same in every run: `lbe.post-100k-tcp8`.
    pub id: String,
    /// What is wanted, in words; the bound is in them.
    pub wanted: String,
    /// What the figure may be; nothing where no single figure decides.
    pub bound: Option<Bound>,
    /// The one that is farthest from what is wanted; nothing if what it is made of was not run.
    pub figure: Option<Figure>,
    /// What became of it.
    pub verdict: Verdict,
    /// What else there is to know: why it is not judged, what was lost.
    pub because: String,
    /// All figures, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Figure>,
}

impl Goal {
    /// Judged by the worst of these figures, and by what the rounds leave possible of each.
    pub fn judged(
        id: impl Into<String>,
        wanted: impl Into<String>,
        bound: Bound,
        parts: Vec<Figure>,
        least: Least,
    ) -> Goal {
        let Some(worst) = worst(bound, &parts) else { return Goal::not_judged(id, wanted, "was not run") };
        let figure = Figure {
            n: parts.iter().map(|part| part.n).min().unwrap_or(0),
            rounds: parts.iter().map(|part| part.rounds).min().unwrap_or(0),
            missed: parts.iter().map(|part| part.missed).fold(0, u64::saturating_add),
            ..worst.clone()
        };
        let (verdict, because) = match verdict(bound, &parts) {
            Verdict::Met if figure.n < least.n || figure.rounds < least.rounds => {
                (Verdict::NotJudged, least.asked_of(&figure))
            }
            verdict => (verdict, String::new()),
        };
        let parts = if parts.len() > 1 { parts } else { Vec::new() };
        Goal {
            id: id.into(),
            wanted: wanted.into(),
            bound: Some(bound),
            figure: Some(figure),
            verdict,
            because,
            parts,
        }
    }

    /// Of which there is nothing to say, and why.
    pub fn not_judged(id: impl Into<String>, wanted: impl Into<String>, because: impl Into<String>) -> Goal {
        Goal {
            id: id.into(),
            wanted: wanted.into(),
            bound: None,
            figure: None,
            verdict: Verdict::NotJudged,
            because: because.into(),
            parts: Vec::new(),
        }
    }

    /// Adds what else there is to know.
    #[must_use]
    pub fn with_words(mut self, words: impl AsRef<str>) -> Goal {
        if !self.because.is_empty() && !words.as_ref().is_empty() {
            self.because.push_str("; ");
        }
        self.because.push_str(words.as_ref());
        self
    }

    /// Missed for something that its figure does not show: `fault` says what, if there is one. What was not run stays so.
    #[must_use]
    pub fn unless(self, fault: Option<String>) -> Goal {
        match (fault, &self.figure) {
            (Some(fault), Some(_)) => Goal { verdict: Verdict::Missed, ..self }.with_words(fault),
            _ => self,
        }
    }

    /// What the verdict is made from.
    pub fn figures(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        if let Some(figure) = &self.figure {
            let name = if self.parts.is_empty() { "" } else { "worst " };
            words.push(format!("{name}{}, n = {}{}", figure.told(), figure.n, rounds_told(figure.rounds)));
            if figure.missed > 0 {
                words.push(format!("{} missed", figure.missed));
            }
            words.extend((!self.parts.is_empty()).then(|| self.parts_told()));
        }
        words.extend((!self.because.is_empty()).then(|| self.because.clone()));
        words.join("; ")
    }

    fn parts_told(&self) -> String {
        self.parts.iter().map(Figure::told).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.verdict.as_str(), self.wanted, self.figures())
    }
}

impl Least {
    fn asked_of(self, figure: &Figure) -> String {
        let asked = [
            (figure.n < self.n).then(|| format!("{} samples", self.n)),
            (figure.rounds < self.rounds).then(|| format!("{} rounds", self.rounds)),
        ];
        format!("too little, give at least {}", asked.into_iter().flatten().collect::<Vec<_>>().join(" and "))
    }
}

fn rounds_told(rounds: usize) -> String {
    match rounds {
        0 => String::new(),
        1 => ", 1 round".to_owned(),
        more => format!(", {more} rounds"),
    }
}

fn worst(bound: Bound, parts: &[Figure]) -> Option<&Figure> {
    parts.iter().reduce(|one, next| if bound.is_worse(next.value, one.value) { next } else { one })
}

fn verdict(bound: Bound, parts: &[Figure]) -> Verdict {
    let ends = |part: &Figure| bound.best_and_worst(part.low, part.high);
    match parts {
        _ if parts.iter().any(|part| !bound.holds(ends(part).0)) => Verdict::Missed,
        _ if parts.iter().all(|part| bound.holds(ends(part).1)) => Verdict::Met,
        _ => Verdict::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(low: f64, value: f64, high: f64) -> Figure {
        Figure { low, high, ..Figure::of_value(value, 900, 6) }
    }

    fn judged(parts: Vec<Figure>) -> Goal {
        Goal::judged("x.y", "at most 1.1", Bound::AtMost(1.1), parts, Least { n: 300, rounds: 6 })
    }

    #[test]
    fn a_figure_decides_where_both_its_ends_are_on_one_side() {
        assert_eq!(judged(vec![figure(0.9, 1.0, 1.1)]).verdict, Verdict::Met);
        assert_eq!(judged(vec![figure(1.11, 1.2, 1.3)]).verdict, Verdict::Missed);
        assert_eq!(judged(vec![figure(0.9, 1.0, 1.2)]).verdict, Verdict::Undecided);
        let least = |low, value, high| {
            Goal::judged("x", "w", Bound::AtLeast(0.9), vec![figure(low, value, high)], Least::default())
        };
        assert_eq!(least(0.9, 0.95, 1.0).verdict, Verdict::Met);
        assert_eq!(least(0.8, 0.85, 0.89).verdict, Verdict::Missed);
        assert_eq!(least(0.8, 0.95, 1.0).verdict, Verdict::Undecided);
    }

    #[test]
    fn one_part_that_misses_is_enough_and_the_worst_is_told() {
        let goal = judged(vec![
            figure(0.9, 1.0, 1.05).named("64 B"),
            figure(1.2, 1.3, 1.4).named("3 MB"),
            figure(1.0, 1.1, 1.2).named("4 KB"),
        ]);
        assert_eq!(goal.verdict, Verdict::Missed);
        assert_eq!(goal.figure.as_ref().map(|figure| figure.value), Some(1.3));
        let told = goal.to_string();
        assert!(told.contains("worst 3 MB 1.300") && told.contains("64 B 1.000 (0.9000–1.050)"), "{told}");
    }

    #[test]
    fn too_little_may_miss_and_never_meets() {
        for few in [Figure { n: 299, ..figure(1.0, 1.0, 1.0) }, Figure { rounds: 5, ..figure(1.0, 1.0, 1.0) }]
        {
            let goal = judged(vec![few.clone()]);
            assert_eq!(goal.verdict, Verdict::NotJudged);
            assert!(goal.because.starts_with("too little, give at least "), "{goal}");
            let worse = Figure { value: 1.2, low: 1.2, high: 1.2, ..few };
            assert_eq!(judged(vec![worse]).verdict, Verdict::Missed);
        }
    }

    #[test]
    fn what_never_came_misses_and_what_was_not_run_is_not_judged() {
        assert_eq!(
            judged(vec![figure(f64::INFINITY, f64::INFINITY, f64::INFINITY)]).verdict,
            Verdict::Missed
        );
        let not_run = judged(Vec::new());
        assert_eq!(not_run.to_string(), "not judged: at most 1.1 (was not run)");
        assert_eq!(not_run.unless(Some("3 lost".into())).verdict, Verdict::NotJudged);
        let lost = judged(vec![figure(0.9, 1.0, 1.1)]).unless(Some("3 lost".into()));
        assert_eq!(lost.to_string(), "missed: at most 1.1 (1.000 (0.9000–1.100), n = 900, 6 rounds; 3 lost)");
    }

    #[test]
    fn a_goal_has_the_names_that_readers_rely_on() {
        let json = serde_json::to_value(judged(vec![figure(0.9, 1.0, 1.1).missing(2)])).unwrap();
        assert_eq!((json["id"].as_str(), json["verdict"].as_str()), (Some("x.y"), Some("met")));
        assert_eq!(json["bound"]["at_most"], 1.1);
        for (name, value) in
            [("value", 1.0), ("low", 0.9), ("high", 1.1), ("n", 900.0), ("rounds", 6.0), ("missed", 2.0)]
        {
            assert_eq!(json["figure"][name].as_f64(), Some(value), "{name}");
        }
        assert!(json["wanted"].is_string() && json["because"].is_string() && json.get("parts").is_none());
    }
}
