//! The table of the experiment and what follows from it: what bridges add, and whether the project's goals were reached.
//!
//! Pure. Invariants: a figure is the median of the runs that count, worst and best are those of all of them; a goal without figures is not judged, and says why; each
//! judgement carries the figures it was made from. Follows LAB-22 and LAB-23.

use crate::comparison::BRIDGED;
use crate::drive::{CpuSeconds, DriveCase, StreamResult};
use crate::figures::Summary;
use crate::repetitions::{counts, groups, median};
use crate::study::{Bound, Figure, Goal, Least, middle, ratio_of_pairs};
use crate::table::{Row, Table, ms, percent};

/// Name of the stream of commands.
pub const COMMAND: &str = "drive/command";
/// Fewest samples by which a goal can be met: of so many a 99th percentile is told.
const ENOUGH: Least = Least { n: 100, rounds: 1 };
/// LAB-22: both bridges together may add as much, as a multiple of the link's own latency.
const ADDED_AT_MOST: f64 = 1.5;
const ADDED_ON: (&str, u32) = ("lan", 1);
/// LAB-23: how much above the path's own delay the 99th percentile of commands may be.
const COMMAND_ABOVE_PATH_MS: f64 = 20.0;
const COMMAND_ON: (&str, u32) = ("wan-loss5", 4);

const HEADER: [&str; 18] = [
    "case, stream",
    "runs",
    "mean ms",
    "worst ms",
    "best ms",
    "sd ms",
    "p99 ms",
    "≤ 100 ms %",
    "≤ 150 ms %",
    "≤ 225 ms %",
    "≤ 500 ms %",
    "missed",
    "of",
    "added ms",
    "CPU s vehicle",
    "CPU s operator",
    "DDS CPU s vehicle",
    "DDS CPU s operator",
];

pub(crate) const HOW_TO_READ: &str = "Latency counts from the tick at which the sample is due. link: published straight into the link by tokkyu \
vehicle and operator. bridged: written by a DDS program, read by another, a bridge at each end of the link between them. added: \
the mean above the link's. CPU: of the two programs that hold the link; DDS CPU: of the programs that write and read beside bridges.";

/// How samples get from one end to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Published straight into the link.
    Link,
    /// From a DDS writer to a DDS reader, with a bridge at each end of the link.
    Bridged,
}

impl Way {
    /// In a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Way::Link => "link",
            Way::Bridged => "bridged",
        }
    }
}

/// All runs of one case in one way.
struct Side<'a>(Vec<&'a DriveCase>);

impl<'a> Side<'a> {
    fn all(cases: &'a [DriveCase]) -> Vec<Side<'a>> {
        groups(cases).into_iter().map(Side).collect()
    }

    /// The runs of `images` cameras over `network` in one way.
    fn find<'b>(sides: &'b [Side<'a>], (network, images): (&str, u32), way: Way) -> Option<&'b Side<'a>> {
        let here =
            |side: &&Side| side.0[0].network == network && side.0[0].images == images && side.way() == way;
        sides.iter().find(here)
    }

    fn way(&self) -> Way {
        match self.0[0].peer == BRIDGED {
            true => Way::Bridged,
            false => Way::Link,
        }
    }

    fn place(&self) -> (&'a str, u32) {
        (&self.0[0].network, self.0[0].images)
    }

    fn good(&self) -> impl Iterator<Item = &'a DriveCase> {
        self.0.iter().copied().filter(|case| counts(case))
    }

    fn streams(&self, load: Load) -> impl Iterator<Item = &'a StreamResult> {
        self.good().filter_map(move |case| load.of(case))
    }

    fn figure(&self, load: Load, of: impl Fn(&Summary) -> Option<f64>) -> Option<f64> {
        median(self.streams(load).filter_map(|stream| of(&stream.figures)))
    }

    fn mean_ms(&self, load: Load) -> Option<f64> {
        self.figure(load, |figures| figures.mean_ms)
    }

    fn p99_ms(&self, load: Load) -> Option<f64> {
        median(self.streams(load).filter_map(StreamResult::p99_ms))
    }

    fn means(&self, load: Load) -> Vec<(u32, f64)> {
        self.good().filter_map(|case| Some((case.run, load.of(case)?.figures.mean_ms?))).collect()
    }

    fn missed(&self, load: Load) -> u64 {
        self.streams(load).map(StreamResult::missed).fold(0, u64::saturating_add)
    }

    fn offered(&self, load: Load) -> u64 {
        self.streams(load).map(|stream| stream.ledger.offered).fold(0, u64::saturating_add)
    }

    fn cpu(&self, of: fn(&DriveCase) -> CpuSeconds) -> [String; 2] {
        let seconds = |end: fn(CpuSeconds) -> Option<f64>| {
            median(self.good().filter_map(|case| end(of(case))))
                .map_or("–".to_owned(), |s| format!("{s:.2}"))
        };
        [seconds(|cpu| cpu.send), seconds(|cpu| cpu.receive)]
    }
}

/// Which samples a row is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    Images,
    Commands,
}

impl Load {
    fn of(self, case: &DriveCase) -> Option<&StreamResult> {
        match self {
            Load::Images => case.images_together.as_ref(),
            Load::Commands => case.streams.iter().find(|stream| stream.name == COMMAND),
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Load::Images => "images",
            Load::Commands => "commands",
        }
    }
}

fn table(sides: &[Side<'_>]) -> Table {
    let of_both = |load| sides.iter().map(move |side| row(sides, side, load));
    Table { header: HEADER.to_vec(), rows: of_both(Load::Images).chain(of_both(Load::Commands)).collect() }
}

fn row(sides: &[Side<'_>], side: &Side<'_>, load: Load) -> Row {
    let (network, images) = side.place();
    let plural = if images == 1 { "" } else { "s" };
    let (good, all) = (side.good().count(), side.0.len());
    let runs = if good == all { all.to_string() } else { format!("{good} of {all}") };
    let mut cells =
        vec![format!("{network}, {images} image{plural}, {}, {}", side.way().as_str(), load.as_str()), runs];
    cells.push(ms(side.mean_ms(load)));
    cells.push(ms(side.streams(load).filter_map(|stream| stream.figures.worst_ms).reduce(f64::max)));
    cells.push(ms(side.streams(load).filter_map(|stream| stream.figures.best_ms).reduce(f64::min)));
    cells.push(ms(side.figure(load, |figures| figures.sd_ms)));
    cells.push(ms(side.p99_ms(load)));
    let shares: [fn(&Summary) -> Option<f64>; 4] =
        [|f| f.inside.ms_100, |f| f.inside.ms_150, |f| f.inside.ms_225, |f| f.inside.ms_500];
    cells.extend(shares.map(|of| percent(side.figure(load, of))));
    cells.extend([side.missed(load), side.offered(load)].map(|count| count.to_string()));
    cells.push(ms(added(sides, side, load)));
    cells.extend(side.cpu(|case| case.cpu_s));
    cells.extend(side.cpu(|case| case.endpoints_cpu_s));
    Row { quoted: false, cells }
}

/// How much older the mean sample is than the link's own.
fn added(sides: &[Side<'_>], side: &Side<'_>, load: Load) -> Option<f64> {
    let link = Side::find(sides, side.place(), Way::Link).filter(|_| side.way() == Way::Bridged)?;
    Some(side.mean_ms(load)? - link.mean_ms(load)?)
}

/// Figures of a goal and the words beside them, or why there are none.
type Judged = Result<(Vec<Figure>, String), String>;

/// What bridges may cost.
pub fn goals(cases: &[DriveCase]) -> Vec<Goal> {
    let sides = Side::all(cases);
    let (lan, path, images) = (ADDED_ON.0, COMMAND_ON.0, COMMAND_ON.1);
    let added = format!(
        "{lan}, 1 image: both bridges together add at most {ADDED_AT_MOST} times the link's own mean"
    );
    let command = format!(
        "{path}, {images} images: p99 of bridged commands at most {COMMAND_ABOVE_PATH_MS:.0} ms above the path's delay"
    );
    vec![
        goal("bridge.added", added, Bound::AtMost(ADDED_AT_MOST), added_to_an_image(&sides)),
        goal("bridge.command", command, Bound::AtMost(COMMAND_ABOVE_PATH_MS), command_above_path(&sides)),
    ]
}

fn goal(id: &str, wanted: String, bound: Bound, judged: Judged) -> Goal {
    match judged {
        Ok((figures, words)) => Goal::judged(id, wanted, bound, figures, ENOUGH).with_words(words),
        Err(because) => Goal::not_judged(id, wanted, because),
    }
}

fn side_on<'a, 'b>(sides: &'b [Side<'a>], place: (&str, u32), way: Way) -> Result<&'b Side<'a>, String> {
    let words = format!("{}, {} images, {}", place.0, place.1, way.as_str());
    let side = Side::find(sides, place, way).ok_or_else(|| format!("{words} was not run"))?;
    match side.good().count() {
        0 => Err(format!("no run of {words} counts")),
        _ => Ok(side),
    }
}

/// Run by run: both ways of a case lie side by side.
fn added_to_an_image(sides: &[Side<'_>]) -> Judged {
    let (link, bridged) = (side_on(sides, ADDED_ON, Way::Link)?, side_on(sides, ADDED_ON, Way::Bridged)?);
    let mean = |side: &Side<'_>| {
        side.mean_ms(Load::Images).ok_or_else(|| format!("{} delivered nothing", side.way().as_str()))
    };
    let (link_ms, bridged_ms) = (mean(link)?, mean(bridged)?);
    let ratio = ratio_of_pairs(&bridged.means(Load::Images), &link.means(Load::Images))
        .ok_or("no run of both counts")?;
    let figure = Figure {
        value: ratio.value - 1.0,
        low: ratio.low - 1.0,
        high: ratio.high - 1.0,
        missed: bridged.missed(Load::Images),
        ..Figure::of_rounds(ratio, bridged.offered(Load::Images))
    };
    let words =
        format!("link {link_ms:.1} ms, bridged {bridged_ms:.1} ms: added {:.1} ms", bridged_ms - link_ms);
    Ok((vec![figure], words))
}

fn command_above_path(sides: &[Side<'_>]) -> Judged {
    let side = side_on(sides, COMMAND_ON, Way::Bridged)?;
    let path =
        side.good().find_map(|case| case.path.as_ref()).ok_or("the path's delay is not known")?.down_ms;
    let above = side.streams(Load::Commands).filter_map(StreamResult::p99_ms).map(|p99_ms| p99_ms - path);
    let above = middle(above).ok_or("too few commands")?;
    let figure = Figure::of_rounds(above, side.offered(Load::Commands)).missing(side.missed(Load::Commands));
    let words = format!("p99 {} ms, path {path:.1} ms", ms(side.p99_ms(Load::Commands)));
    Ok((vec![figure], words))
}

/// Why runs count nowhere, a line each.
fn left_out(cases: &[DriveCase]) -> impl Iterator<Item = String> + '_ {
    let bad = cases.iter().filter(|case| !counts(case));
    bad.flat_map(|case| {
        let which =
            format!("left out: {}, {} images, {}, run {}", case.network, case.images, case.peer, case.run);
        let why =
            case.notes.iter().filter(|note| note.starts_with("INVALID: ") || note.starts_with("interrupted"));
        why.map(move |note| format!("{which}: {}", note.trim_start_matches("INVALID: ")))
    })
}

/// The table of all cases, and why some are in no figure.
pub fn table_of(cases: &[DriveCase]) -> (Table, Vec<String>) {
    (table(&Side::all(cases)), left_out(cases).collect())
}

#[cfg(test)]
mod tests;
