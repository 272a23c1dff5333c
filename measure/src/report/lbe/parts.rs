//! The parts of the page, one for each of the paper's figures and one for each question of our own: which cases are drawn
//! beside which, and what is said below.

use super::by_scheme::{self, Mark};
use super::look::schemes;
use super::middle::drawable;
use super::{figures, look, over_size};
use crate::lbe::{COMPUTATION_BOUND, Foreground, LbeCase, full_frame_ms, paper};
use crate::report::html::{classed, figure};
use crate::study::{Place, ReportError, Section};

/// What one plot is about: all its cases differ in scheme and size alone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Scope<'a> {
    kernel: &'a str,
    link_kbps: u32,
    direction: Foreground,
    background: &'a str,
}

/// Schemes of the paper's figure 10: two of them before either queue.
const QUEUES: [&str; 4] = ["task", "lbe", "lbe-8k", "lbe-8k-nodefer"];
/// Those of figures 11 and 12.
const NOBODY_ELSE: [&str; 2] = ["none", "none-small-queue"];

type Part = fn(&[LbeCase]) -> Result<String, ReportError>;

/// Heading, what it says, and what draws it; in the paper's order, then ours.
const PARTS: [(&str, &str, Part); 8] = [
    (
        "Beside table 1: what a packet costs",
        "The paper counts cycles of a switch. Ours: 10 s of upload over the fast link with nothing in the foreground.",
        packets,
    ),
    (
        "Beside figures 6 and 7: transfer time over size",
        "Left the time of a request, right by how much it is longer than with no background; 0.1 % or less is drawn as 0.1 %.",
        transfers,
    ),
    (
        "Beside figures 8 and 9: executed instructions over size",
        "Left the instructions of the whole board, both ends of the link, while a request lasts; right its task switches.",
        instructions,
    ),
    (
        "Beside figure 10: device queue of 1 500 B and of 8 KB",
        "Left time, right by how much longer than alone.",
        queues,
    ),
    (
        "Beside figures 11 and 12: the small queue with nobody else there",
        "Left time, right instructions. The paper's small queue has its LW-LBE before it, ours the same pfifo as the large one.",
        nobody_else,
    ),
    (
        "Beside section 5.5: how fast an upload yields",
        "From send to the first bit on the wire, of single packets beside the upload. Dot: median, ring: longest, and its value.",
        reaction,
    ),
    (
        "Computation beside an upload",
        "The paper argues in its section 3.3 that a background must wait for it too, and prints no measurement. Over the fast link; \
         0.01 % or less is drawn as 0.01 %.",
        computation,
    ),
    (
        "What the background gets",
        "Of the link, gaps between frames counted in: 10 s with nothing in the foreground, and while a computation runs. Figure 1 of the \
         paper is a sketch of it; it prints no measurement.",
        share,
    ),
];

/// All parts. What was not run is said.
pub(super) fn all(cases: &[LbeCase]) -> impl Iterator<Item = Section<'_>> {
    let section = move |(heading, words, part): (&str, &'static str, Part)| {
        Section::new(heading).told_in(Place::Page).with_plot(move || {
            let drawn = part(cases)?;
            Ok(classed("p", "soft", if drawn.is_empty() { "Was not run." } else { words }) + &drawn)
        })
    };
    PARTS.into_iter().map(section)
}

fn packets(cases: &[LbeCase]) -> Result<String, ReportError> {
    beside_each(cases, Foreground::Idle, |scope, cases| {
        let cases: Vec<&LbeCase> = cases.iter().copied().filter(|case| case.is_on_fast_link()).collect();
        let per_packet = dots(scope, &cases, &figures::PER_PACKET, &[])?;
        Ok(per_packet + &dots(scope, &cases, &figures::SWITCHES_MEANWHILE, &[])?)
    })
}

fn transfers(cases: &[LbeCase]) -> Result<String, ReportError> {
    requests(cases, |_| true, [&figures::TIME, &figures::MORE])
}

fn instructions(cases: &[LbeCase]) -> Result<String, ReportError> {
    requests(cases, |_| true, [&figures::INSTRUCTIONS, &figures::SWITCHES])
}

/// Nothing to see with one queue alone.
fn queues(cases: &[LbeCase]) -> Result<String, ReportError> {
    let both = cases.iter().any(|case| case.scheme.starts_with("lbe-8k"));
    match both {
        true => requests(cases, |scheme| QUEUES.contains(&scheme), [&figures::TIME, &figures::MORE]),
        false => Ok(String::new()),
    }
}

fn nobody_else(cases: &[LbeCase]) -> Result<String, ReportError> {
    if !cases.iter().any(|case| case.scheme == NOBODY_ELSE[1]) {
        return Ok(String::new());
    }
    let mut out = String::new();
    for direction in [Foreground::Get, Foreground::Post] {
        let alone = cases.iter().filter(|case| NOBODY_ELSE.contains(&case.scheme.as_str()));
        for scope in scopes(alone.clone(), direction) {
            let of_scope: Vec<&LbeCase> = alone.clone().filter(|case| scope.holds(case)).collect();
            out.push_str(&curves(&scope, &of_scope, [&figures::TIME, &figures::INSTRUCTIONS])?);
        }
    }
    Ok(out)
}

fn reaction(cases: &[LbeCase]) -> Result<String, ReportError> {
    beside_each(cases, Foreground::React, |scope, cases| {
        let frame_ms = full_frame_ms(scope.link_kbps);
        let nice = format!("TCP Nice, by the paper: {} ms", paper::TCP_NICE_MS);
        let mut marks = vec![Mark { at: paper::TCP_NICE_MS, name: nice }];
        if drawable(frame_ms).is_some() {
            marks.push(Mark { at: frame_ms, name: format!("a full frame: {frame_ms:.1} ms") });
        }
        dots(scope, cases, &figures::WAIT, &marks)
    })
}

fn computation(cases: &[LbeCase]) -> Result<String, ReportError> {
    let percent = (COMPUTATION_BOUND - 1.0) * 100.0;
    beside_each(cases, Foreground::Compute, |scope, cases| {
        let goal = [Mark { at: percent, name: format!("goal: {percent:.1} %") }];
        dots(scope, cases, &figures::COMPUTED, &goal)
    })
}

fn share(cases: &[LbeCase]) -> Result<String, ReportError> {
    let while_it = |does| beside_each(cases, does, |scope, cases| dots(scope, cases, &figures::SHARE, &[]));
    Ok(while_it(Foreground::Idle)? + &while_it(Foreground::Compute)?)
}

/// Requests beside each background, with what they take alone.
fn requests(
    cases: &[LbeCase],
    is_shown: impl Fn(&str) -> bool,
    pair: [&over_size::Figure; 2],
) -> Result<String, ReportError> {
    let mut out = String::new();
    for direction in [Foreground::Get, Foreground::Post] {
        let shown = cases.iter().filter(|case| is_shown(&case.scheme) && case.background != "none");
        for scope in scopes(shown, direction) {
            let of_scope: Vec<&LbeCase> = cases
                .iter()
                .filter(|case| {
                    is_baseline(case) && scope.holds_but_for_background(case)
                        || is_shown(&case.scheme) && scope.holds(case)
                })
                .collect();
            out.push_str(&curves(&scope, &of_scope, pair)?);
        }
    }
    Ok(out)
}

fn is_baseline(case: &LbeCase) -> bool {
    case.background == "none" && case.scheme == case.baseline
}

/// What `draw` makes of each background's cases.
fn beside_each(
    cases: &[LbeCase],
    direction: Foreground,
    draw: impl Fn(&Scope<'_>, &[&LbeCase]) -> Result<String, ReportError>,
) -> Result<String, ReportError> {
    let beside = cases.iter().filter(|case| case.background != "none");
    let mut drawn = String::new();
    for scope in scopes(beside, direction) {
        let of_scope: Vec<&LbeCase> = cases.iter().filter(|case| scope.holds(case)).collect();
        drawn.push_str(&draw(&scope, &of_scope)?);
    }
    Ok(if drawn.is_empty() { drawn } else { format!("<div class=\"pair held\">\n{drawn}</div>\n") })
}

/// In the order in which they were run.
fn scopes<'a>(cases: impl Iterator<Item = &'a LbeCase>, direction: Foreground) -> Vec<Scope<'a>> {
    let mut scopes: Vec<Scope> = Vec::new();
    for case in cases.filter(|case| case.direction == direction && case.processors == 1) {
        let scope = Scope {
            kernel: &case.kernel,
            link_kbps: case.link_kbps,
            direction: case.direction,
            background: &case.background,
        };
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes
}

impl Scope<'_> {
    fn holds(&self, case: &LbeCase) -> bool {
        case.background == self.background && self.holds_but_for_background(case)
    }

    fn holds_but_for_background(&self, case: &LbeCase) -> bool {
        (case.kernel.as_str(), case.link_kbps, case.direction, case.processors)
            == (self.kernel, self.link_kbps, self.direction, 1)
    }

    fn title(&self) -> String {
        let what = match self.direction {
            Foreground::Get => "GET",
            Foreground::Post => "POST",
            Foreground::Compute => "Computation",
            Foreground::Idle => "Nothing in the foreground",
            Foreground::React => "Single packets",
        };
        let beside = match self.background {
            "none" => "nobody else there".to_owned(),
            background => format!("beside {background}"),
        };
        format!("{what}, {beside}, {} kbit/s, Linux {}", self.link_kbps, self.kernel)
    }
}

/// Two plots over size side by side, their legend below.
fn curves(
    scope: &Scope<'_>,
    cases: &[&LbeCase],
    both: [&over_size::Figure; 2],
) -> Result<String, ReportError> {
    let mut drawn = String::new();
    for shown in both {
        let name = format!("{}: {}", scope.title(), shown.axis);
        if let Some(drawing) = over_size::drawing(&name, cases, shown)? {
            drawn.push_str(&figure(&drawing, &format!("{name}. Median and middle half, {}.", rounds(cases))));
        }
    }
    if drawn.is_empty() {
        return Ok(drawn);
    }
    let items: String = schemes(cases.iter().copied()).into_iter().map(look::item).collect();
    Ok(format!("<div class=\"pair held\">\n{drawn}</div>\n<ul class=\"legend row\">\n{items}</ul>\n"))
}

fn dots(
    scope: &Scope<'_>,
    cases: &[&LbeCase],
    shown: &by_scheme::Figure,
    marks: &[Mark],
) -> Result<String, ReportError> {
    let name = format!("{}: {}", scope.title(), shown.axis);
    let drawing = by_scheme::drawing(&name, cases, shown, marks)?;
    Ok(drawing.map_or(String::new(), |drawing| figure(&drawing, &format!("{name}. {}.", rounds(cases)))))
}

fn rounds(cases: &[&LbeCase]) -> String {
    let least = cases.iter().map(|case| case.n).min().unwrap_or_default();
    match cases.iter().map(|case| case.n).max().unwrap_or_default() {
        most if most == least => format!("n = {least}"),
        most => format!("n = {least} to {most}"),
    }
}
