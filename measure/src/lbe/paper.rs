//! What the paper on LW-LBE says, and ours of the same beside it.
//!
//! Source: 山本 享弘, 猿渡 俊介, 森川 博之: Lightweight Lower-than-Best-Effort : 携帯電話センシングのための軽量の低優先度通信機構
//! (Lightweight Lower-than-Best-Effort for Mobile Phone Sensing), 情報処理学会論文誌, accepted April 2012. It draws figures 6
//! to 12 and prints few numbers of them: table 1, the download of 400 KB in section 5.3, the reaction of TCP Nice in section
//! 5.5. Of the rest it says in words which curve lies above which; then no number stands here.
//!
//! Pure. Invariant: nothing is quoted that the paper does not print, and each quotation names its place (SPEC.md MEA-87).

use serde::Serialize;

use super::case::{Foreground, LbeCase, kilobytes, quotient, same_work};
use crate::table::{NONE, Row, Table};

/// Which paper, and why its figures are a reference and no baseline.
pub const SOURCE: &str = "The paper: Yamamoto, Saruwatari, Morikawa: Lightweight Lower-than-Best-Effort for Mobile Phone Sensing (2012): one ARM11 \
    processor of 528 MHz, Linux 2.6.29, W-CDMA; HTTP requests of 1 KB to 1 000 KB, means of 100; cycles. Ours: virtual boards, medians, \
    instructions. Other hardware and another network, so only quotients are set side by side; where it prints no number, its words say \
    which is more.";

/// How long TCP Nice takes to yield by the paper's section 5.5: 7 halvings of a window of 65, 200 ms each.
pub const TCP_NICE_MS: f64 = 1_400.0;

/// What the paper says of a quotient, or of a time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    /// It prints both values.
    Printed { value: f64, by: f64, unit: &'static str, of: &'static str },
    /// It prints a time.
    Time { ms: f64, of: &'static str },
    /// The first lies above the second, without a number.
    Above,
    /// Both lie together, without a number.
    Near,
}

impl Says {
    fn figure(self) -> Option<f64> {
        match self {
            Says::Printed { value, by, .. } => Some(value / by),
            Says::Time { ms, .. } => Some(ms),
            Says::Above | Says::Near => None,
        }
    }

    fn words(self) -> String {
        match self {
            Says::Printed { value, by, unit, of } => {
                format!("{:.3} ({value} / {by} {unit}{of})", value / by)
            }
            Says::Time { ms, of } => format!("{ms} ms ({of})"),
            Says::Above => "above 1, no number".to_owned(),
            Says::Near => "about 1, no number".to_owned(),
        }
    }
}

/// Which figure of our cases stands beside.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Measure {
    Time,
    Instructions,
    /// Of UDP over the fast link, with nothing in the foreground.
    PerPacket,
    /// A time and no quotient.
    LongestWait,
}

/// One thing the paper says.
struct Claim {
    place: &'static str,
    section: &'static str,
    what: &'static str,
    says: Says,
    measure: Measure,
    direction: Foreground,
    /// Our scheme, and the one it is divided by.
    ours: (&'static str, &'static str),
}

/// Table 1: means of 3 000 switches each.
const SWITCHES: Claim = Claim {
    place: "table 1",
    section: "5.2",
    what: "switch of tasks / of task and softirq",
    says: Says::Printed { value: 5_484.0, by: 2_177.0, unit: "cycles", of: "" },
    measure: Measure::PerPacket,
    direction: Foreground::Idle,
    ours: ("task", "lbe"),
};

/// Section 5.3 (2): about 3.68 s and about 4.04 s.
const DOWNLOAD: Says = Says::Printed { value: 4.04, by: 3.68, unit: "s", of: ", 400 KB" };

/// Section 5.5, equations (2) and (3): a window of 65, delayed acknowledgements of 200 ms.
const REACTION: Claim = Claim {
    place: "",
    section: "5.5",
    what: "until an upload yields",
    says: Says::Time { ms: TCP_NICE_MS, of: "worked out for TCP Nice" },
    measure: Measure::LongestWait,
    direction: Foreground::React,
    ours: ("lbe", ""),
};

/// A claim on requests, of section 5.3 or 5.4.
const fn request(
    (place, section): (&'static str, &'static str),
    what: &'static str,
    says: Says,
    (measure, direction): (Measure, Foreground),
    ours: (&'static str, &'static str),
) -> Claim {
    Claim { place, section, what, says, measure, direction, ours }
}

const NO_LBE: &str = "without LBE / LW-LBE";
const TASK: &str = "task-based / LW-LBE";
const ALONE: &str = "LW-LBE / no background";
const LARGE: &str = "LW-LBE, device queue 8 KB / 1500 B";
const TASK_LARGE: &str = "task-based, device queue 8 KB / 1500 B";
const SMALL: &str = "nobody else there, device queue 1500 B / 8 KB";
const GET_TIME: (Measure, Foreground) = (Measure::Time, Foreground::Get);
const POST_TIME: (Measure, Foreground) = (Measure::Time, Foreground::Post);
const GET_WORK: (Measure, Foreground) = (Measure::Instructions, Foreground::Get);
const POST_WORK: (Measure, Foreground) = (Measure::Instructions, Foreground::Post);
const FIGURE_6: (&str, &str) = ("figure 6", "5.3");
const FIGURE_7: (&str, &str) = ("figure 7", "5.3");
const FIGURE_8: (&str, &str) = ("figure 8", "5.3");
const FIGURE_9: (&str, &str) = ("figure 9", "5.3");
const FIGURE_10: (&str, &str) = ("figure 10", "5.4");

/// In the paper's order. Figures 6 and 7 are told by (1) to (3) after them, 8 and 9 likewise; 10 to 12 in section 5.4.
const CLAIMS: [Claim; 18] = [
    SWITCHES,
    request(FIGURE_6, NO_LBE, Says::Above, GET_TIME, ("pfifo", "lbe")),
    request(FIGURE_6, TASK, DOWNLOAD, GET_TIME, ("task", "lbe")),
    request(FIGURE_6, ALONE, Says::Above, GET_TIME, ("lbe", "none")),
    request(FIGURE_7, NO_LBE, Says::Above, POST_TIME, ("pfifo", "lbe")),
    request(FIGURE_7, TASK, Says::Near, POST_TIME, ("task", "lbe")),
    request(FIGURE_7, ALONE, Says::Above, POST_TIME, ("lbe", "none")),
    request(FIGURE_8, NO_LBE, Says::Above, GET_WORK, ("pfifo", "lbe")),
    request(FIGURE_8, TASK, Says::Above, GET_WORK, ("task", "lbe")),
    request(FIGURE_8, ALONE, Says::Above, GET_WORK, ("lbe", "none")),
    request(FIGURE_9, NO_LBE, Says::Above, POST_WORK, ("pfifo", "lbe")),
    request(FIGURE_9, TASK, Says::Above, POST_WORK, ("task", "lbe")),
    request(FIGURE_9, ALONE, Says::Above, POST_WORK, ("lbe", "none")),
    request(FIGURE_10, LARGE, Says::Above, POST_TIME, ("lbe-8k", "lbe")),
    // Ours has no such scheme, so nothing stands beside it.
    request(FIGURE_10, TASK_LARGE, Says::Above, POST_TIME, ("task-8k", "task")),
    request(("figure 11", "5.4"), SMALL, Says::Near, POST_TIME, ("none-small-queue", "none")),
    request(("figure 12", "5.4"), SMALL, Says::Near, POST_WORK, ("none-small-queue", "none")),
    REACTION,
];

/// One thing the paper says, and ours beside one background.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beside {
    /// Release of our kernel.
    pub kernel: String,
    /// Table or figure of the paper; empty for its text.
    pub place: &'static str,
    /// Section of the paper.
    pub section: &'static str,
    /// What the paper tells.
    pub what: &'static str,
    /// What it says, with the values it prints.
    pub paper: String,
    /// The same as a number, if it prints one.
    pub paper_figure: Option<f64>,
    /// Which figure of ours stands beside.
    pub ours_is: String,
    /// The background it is beside; `None` if it was not run.
    pub background: Option<String>,
    /// Ours, for each size; empty if it was not run.
    pub ours: Vec<Ours>,
}

/// One figure of ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ours {
    /// Bytes of the request; 0 for what is no transfer.
    pub bytes: u64,
    /// The quotient of two medians, or a time in ms.
    pub figure: f64,
    /// Rounds of the case that has fewer.
    pub n: usize,
}

/// All that the paper says, with ours beside it, for each kernel.
pub fn beside_ours(cases: &[LbeCase]) -> Vec<Beside> {
    let mut kernels: Vec<&str> = cases.iter().map(|case| case.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let of_kernel = |kernel| CLAIMS.iter().flat_map(move |claim| claim.beside(cases, kernel));
    kernels.into_iter().flat_map(of_kernel).collect()
}

impl Claim {
    /// A line for each background.
    fn beside(&self, cases: &[LbeCase], kernel: &str) -> Vec<Beside> {
        let mut lines: Vec<Beside> = Vec::new();
        let ours = cases.iter().filter(|case| case.kernel == kernel && self.is_of(case));
        for (case, figure) in ours.filter_map(|case| Some((case, self.figure(cases, case)?))) {
            match lines.iter_mut().find(|line| line.background.as_ref() == Some(&case.background)) {
                Some(line) => line.ours.push(figure),
                None => lines.push(self.line(kernel, Some(case.background.clone()), vec![figure])),
            }
        }
        if lines.is_empty() {
            lines.push(self.line(kernel, None, Vec::new()));
        }
        lines
    }

    fn line(&self, kernel: &str, background: Option<String>, ours: Vec<Ours>) -> Beside {
        Beside {
            kernel: kernel.to_owned(),
            place: self.place,
            section: self.section,
            what: self.what,
            paper: self.says.words(),
            paper_figure: self.says.figure(),
            ours_is: self.ours_words(),
            background,
            ours,
        }
    }

    fn ours_words(&self) -> String {
        let (scheme, by) = self.ours;
        let way = match self.direction {
            Foreground::Get => "GET",
            Foreground::Post => "POST",
            _ => "",
        };
        match self.measure {
            Measure::Time => format!("{way} time, {scheme} / {by}"),
            Measure::Instructions => format!("{way} instructions, {scheme} / {by}"),
            Measure::PerPacket => format!("instructions a packet, {scheme} / {by}"),
            Measure::LongestWait => format!("longest wait of a packet, {scheme}"),
        }
    }

    fn is_of(&self, case: &LbeCase) -> bool {
        let on_link = self.measure != Measure::PerPacket || case.is_on_fast_link();
        case.scheme == self.ours.0 && (case.direction, case.processors) == (self.direction, 1) && on_link
    }

    fn figure(&self, cases: &[LbeCase], case: &LbeCase) -> Option<Ours> {
        let (value, n) = (self.value(case)?, case.n);
        let ours = |figure, n| Ours { bytes: case.bytes, figure, n };
        if self.measure == Measure::LongestWait {
            return value.is_finite().then(|| ours(value, n));
        }
        let is_other = |other: &&LbeCase| {
            let beside = other.background == case.background || other.background == "none";
            other.scheme == self.ours.1 && beside && same_work(other, case)
        };
        let other = cases.iter().find(is_other)?;
        Some(ours(quotient(value, self.value(other)?)?, n.min(other.n)))
    }

    fn value(&self, case: &LbeCase) -> Option<f64> {
        match self.measure {
            Measure::Time => Some(case.median_ms),
            Measure::Instructions => Some(case.instructions),
            Measure::PerPacket => case.instructions_per_packet,
            Measure::LongestWait => Some(case.worst_ms),
        }
    }
}

const HEADER: [&str; 6] = ["the paper", "it says", "ours", "beside", "measured", "n"];

/// The paper's words beside our figures, as a table of a kernel's lines.
pub(crate) fn table<'a>(lines: impl IntoIterator<Item = &'a Beside>) -> Table {
    let rows = lines.into_iter().map(|line| Row { quoted: false, cells: cells(line) });
    Table { header: HEADER.to_vec(), rows: rows.collect() }
}

fn cells(line: &Beside) -> Vec<String> {
    let place = match line.place {
        "" => format!("§{}", line.section),
        place => format!("{place}, §{}", line.section),
    };
    let n = line.ours.iter().map(|ours| ours.n).min();
    vec![
        format!("{place}: {}", line.what),
        line.paper.clone(),
        line.ours_is.clone(),
        line.background.clone().unwrap_or_else(|| NONE.to_owned()),
        measured(line),
        n.map_or(NONE.to_owned(), |n| n.to_string()),
    ]
}

fn measured(line: &Beside) -> String {
    let is_time = line.section == REACTION.section;
    let figure = |ours: &Ours| match (is_time, ours.bytes) {
        (true, _) => format!("{:.1} ms", ours.figure),
        (false, 0) => format!("{:.3}", ours.figure),
        (false, bytes) => format!("{}: {:.3}", kilobytes(bytes), ours.figure),
    };
    match line.ours.is_empty() {
        true => "was not run".to_owned(),
        false => line.ours.iter().map(figure).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::case;
    use super::*;

    fn line(lines: &[Beside], place: &str, what: &str) -> Vec<String> {
        let found = lines.iter().find(|line| line.place == place && line.what == what);
        cells(found.expect("the claim is there"))
    }

    #[test]
    fn the_papers_numbers_are_those_it_prints() {
        let printed: Vec<(&str, &str, f64)> = (CLAIMS.iter())
            .filter_map(|claim| Some((claim.place, claim.section, claim.says.figure()?)))
            .collect();
        assert_eq!(
            printed,
            [("table 1", "5.2", 5484.0 / 2177.0), ("figure 6", "5.3", 4.04 / 3.68), ("", "5.5", 1400.0)]
        );
        // Equations (2) and (3): halvings of the window until it is 1, a delayed acknowledgement each.
        let halvings = 65_f64.log2().ceil();
        assert_eq!(halvings * 200.0, TCP_NICE_MS);
    }

    #[test]
    fn each_of_the_papers_figures_has_a_line() {
        let lines = beside_ours(&[case("none", "none", Foreground::Post, 1000, 200.0)]);
        for figure in 6..=12 {
            let place = format!("figure {figure}");
            assert!(lines.iter().any(|line| line.place == place), "{place}");
        }
        assert!(lines.iter().all(|line| line.ours.is_empty() && cells(line)[4] == "was not run"));
        assert!(beside_ours(&[]).is_empty());
    }

    #[test]
    fn ours_stands_beside_the_papers_for_each_size_and_background() {
        let cases = [
            case("none", "none", Foreground::Get, 400_000, 3_600.0),
            case("task", "tcp8", Foreground::Get, 20_000, 420.0),
            case("task", "tcp8", Foreground::Get, 400_000, 3_700.0),
            case("lbe", "tcp8", Foreground::Get, 20_000, 400.0),
            LbeCase { n: 5, ..case("lbe", "tcp8", Foreground::Get, 400_000, 3_700.0) },
            case("lbe", "udp1", Foreground::Get, 400_000, 3_960.0),
        ];
        let lines = beside_ours(&cases);
        assert_eq!(
            line(&lines, "figure 6", TASK),
            [
                "figure 6, §5.3: task-based / LW-LBE",
                "1.098 (4.04 / 3.68 s, 400 KB)",
                "GET time, task / lbe",
                "tcp8",
                "20 KB: 1.050, 400 KB: 1.000",
                "5"
            ]
        );
        let alone: Vec<&Beside> =
            lines.iter().filter(|line| line.place == "figure 6" && line.what == ALONE).collect();
        assert_eq!(alone.len(), 2, "one for each background: {alone:?}");
        assert_eq!(alone[1].ours, [Ours { bytes: 400_000, figure: 1.1, n: 20 }]);
    }

    #[test]
    fn the_reaction_stands_beside_that_of_tcp_nice() {
        let mut react = case("lbe", "udp1", Foreground::React, 0, 11.0);
        react.worst_ms = 31.96;
        let lines = beside_ours(&[react]);
        let cells = line(&lines, "", "until an upload yields");
        assert_eq!(cells[1], "1400 ms (worked out for TCP Nice)");
        assert_eq!((cells[3].as_str(), cells[4].as_str()), ("udp1", "32.0 ms"));
    }

    #[test]
    fn packets_are_compared_on_the_link_where_they_cost_something() {
        let idle = |scheme, link_kbps, per_packet| LbeCase {
            link_kbps,
            instructions_per_packet: Some(per_packet),
            ..case(scheme, "udp1", Foreground::Idle, 0, 10_000.0)
        };
        let cases = [idle("task", 384, 30e3), idle("lbe", 384, 10e3)];
        assert!(line(&beside_ours(&cases), "table 1", SWITCHES.what).contains(&"was not run".to_owned()));
        let cases = [idle("task", 20_000, 16e3), idle("lbe", 20_000, 10e3)];
        assert_eq!(line(&beside_ours(&cases), "table 1", SWITCHES.what)[4], "1.600");
    }
}
