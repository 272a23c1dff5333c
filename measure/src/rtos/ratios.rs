//! What is wanted of paths beside each other: sizes that make no difference, worst cases that are no worse, ways that are much longer.

use super::case::RtosCase;
use crate::study::{Bound, Figure, Goal, Least};

/// Fewest counts by which one of messages can be met, and one of calls.
const MESSAGES: Least = Least { n: 100, rounds: 1 };
const CALLS: Least = Least { n: 16, rounds: 1 };

/// A figure of two counts.
pub(super) struct Ratio {
    id: &'static str,
    wanted: &'static str,
    bound: Bound,
    /// Name, processors and bytes of the two, and what of each is taken.
    of: [(&'static str, u32, Option<u64>, Take); 2],
    least: Least,
}

#[derive(Clone, Copy)]
enum Take {
    Median,
    Mean,
    Worst,
}

/// All of them.
pub(super) const RATIOS: [Ratio; 4] = [
    Ratio {
        id: "rtos.publish.size",
        wanted: "publish to callback: 256 KB, at its worst, to 64 bytes",
        bound: Bound::AtMost(1.02),
        of: [
            ("publish-to-callback", 1, Some(256 << 10), Take::Worst),
            ("publish-to-callback", 1, Some(64), Take::Median),
        ],
        least: MESSAGES,
    },
    Ratio {
        id: "rtos.publish.steady",
        wanted: "publish to callback: the worst of 1 000 messages of 1 KB to their mean",
        bound: Bound::AtMost(1.1),
        of: [
            ("publish-to-callback", 1, Some(1 << 10), Take::Worst),
            ("publish-to-callback", 1, Some(1 << 10), Take::Mean),
        ],
        least: MESSAGES,
    },
    Ratio {
        id: "rtos.publish.local",
        wanted: "64 bytes by TCPROS to the same from slot to callback",
        bound: Bound::AtLeast(50.0),
        of: [("tcpros", 1, Some(64), Take::Median), ("publish-to-callback", 1, Some(64), Take::Median)],
        least: MESSAGES,
    },
    Ratio {
        id: "rtos.unrelated",
        wanted: "calls of two processors about objects of their own: at once, at their worst, to one after the other",
        bound: Bound::AtMost(1.02),
        of: [("unrelated", 2, None, Take::Worst), ("unrelated-alone", 2, None, Take::Median)],
        least: CALLS,
    },
];

impl Ratio {
    pub(super) fn goal(&self, cases: &[RtosCase]) -> Goal {
        let found = self.of.map(|(name, cores, bytes, take)| {
            let case =
                cases.iter().find(|case| (&*case.name, case.cores, case.bytes) == (name, cores, bytes))?;
            let value = match take {
                Take::Median => case.instructions as f64,
                Take::Mean => case.mean,
                Take::Worst => case.worst as f64,
            };
            Some((value, case.n))
        });
        let (id, wanted) = (self.id.to_owned(), self.wanted.to_owned());
        match found {
            [Some((one, n)), Some((other, of))] if other > 0.0 => {
                let figure = Figure::of_value(one / other, n.min(of), 1);
                Goal::judged(id, wanted, self.bound, vec![figure], self.least)
            }
            _ => Goal::not_judged(id, wanted, "it was not counted"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtos::PATHS;
    use crate::study::Verdict;

    fn case(counted: &str, counts: &[u64]) -> RtosCase {
        let path = PATHS.iter().find(|path| path.counted == counted).expect("a path");
        RtosCase::new(path, counts)
    }

    #[test]
    fn a_message_that_is_longer_or_later_and_a_call_in_the_way_of_others_are_seen() {
        let verdicts = |long: u64, late: u64, tcpros: u64, at_once: u64| {
            let mut many = vec![700; 999];
            many.push(late);
            let cases = [
                case("publish-to-callback-64", &[700; 100]),
                case("publish-to-callback-262144", &[long; 100]),
                case("publish-to-callback-1024", &many),
                case("tcpros-64", &[tcpros; 100]),
                case("unrelated_alone", &[1_000; 16]),
                case("unrelated", &[at_once; 16]),
            ];
            RATIOS.each_ref().map(|ratio| ratio.goal(&cases).verdict)
        };
        assert_eq!(verdicts(714, 700, 35_000, 1_020), [Verdict::Met; 4]);
        assert_eq!(verdicts(715, 771, 34_999, 1_021), [Verdict::Missed; 4]);
        assert_eq!(RATIOS.each_ref().map(|ratio| ratio.goal(&[]).verdict), [Verdict::NotJudged; 4]);
    }
}
