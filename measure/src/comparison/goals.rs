//! What the project set out to reach beside others, judged by the figures of a comparison.
//!
//! Pure. Invariants: a goal is judged only where its network was run by our link and by somebody it is compared to; each
//! judgement carries the figures it was made from. Rules: SPEC.md MEA-75 to MEA-78.

use std::fmt;

use crate::table::ms;

use super::contender::Contender;
use super::network::{Comparison, OnNetwork};

/// MEA-77: as much may our mean be above the best on a network that loses nothing.
const AS_GOOD_AS: f64 = 1.1;
/// The peer whose processor time is the measure (MEA-78).
const CPU_PEER: &str = "cyclonedds";
/// Settings that somebody made who knows the network.
const TUNED: &str = "tuned";

/// One goal and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What was to be reached.
    pub what: String,
    /// Whether it was.
    pub judgement: Judgement,
    /// The figures, or why there is no judgement.
    pub because: String,
}

/// What became of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It was reached.
    Met,
    /// It was not.
    Missed,
    /// There is nothing to judge it by.
    NotJudged,
}

impl Judgement {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Judgement::Met => "met",
            Judgement::Missed => "missed",
            Judgement::NotJudged => "not judged",
        }
    }

    const fn of(met: bool) -> Judgement {
        if met { Judgement::Met } else { Judgement::Missed }
    }
}

/// One line.
impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.judgement.as_str(), self.what, self.because)
    }
}

/// Why a goal cannot be judged.
type NoJudgement = String;
type Judged = Result<(Judgement, String), NoJudgement>;

pub(super) fn goals(comparison: &Comparison<'_>) -> Vec<Goal> {
    let worst_below = |network: &str| {
        let what = format!(
            "{network}: nothing lost, and the link's worst below the mean of every peer that delivers all"
        );
        goal(what, judged_on(comparison, network, worst_below_means))
    };
    let on = |network, judge, what: &str| {
        goal(format!("{network}: {what}"), judged_on(comparison, network, judge))
    };
    let mut goals = vec![
        worst_below("wan-loss5"),
        worst_below("wan-loss1"),
        on(
            "lan-loss5",
            below_the_best_tuned,
            "the link's mean, p99 and worst each below the best tuned peer's",
        ),
        on("lan", mean_near_the_best, "the link's mean at most 10 % above the best peer's"),
    ];
    goals.extend(comparison.networks.iter().map(|part| {
        let what = format!(
            "{}: the link's CPU time for each delivered MB no more than tuned {CPU_PEER}'s",
            part.network
        );
        goal(what, link_of(part).and_then(|link| no_more_cpu(part, link)))
    }));
    goals
}

fn goal(what: String, judged: Judged) -> Goal {
    let (judgement, because) = judged.unwrap_or_else(|why| (Judgement::NotJudged, why));
    Goal { what, judgement, because }
}

fn judged_on(
    comparison: &Comparison<'_>,
    network: &str,
    judge: fn(&OnNetwork<'_>, &Contender<'_>) -> Judged,
) -> Judged {
    let part = comparison.on(network).ok_or_else(|| format!("{network} was not run"))?;
    let link = link_of(part)?;
    match part.peers().any(|peer| peer.offered() > 0) {
        true => judge(part, link),
        false => Err("no run of a peer counts".to_owned()),
    }
}

fn link_of<'a, 'b>(part: &'b OnNetwork<'a>) -> Result<&'b Contender<'a>, NoJudgement> {
    let link = part.link().filter(|link| link.offered() > 0);
    link.ok_or_else(|| "no run of the link with --qos link counts".to_owned())
}

/// MEA-75.
fn worst_below_means(part: &OnNetwork<'_>, link: &Contender<'_>) -> Judged {
    let whole = part.peers().filter(|peer| peer.delivered_all());
    let own =
        format!("link worst {} ms, {} of {} missed", ms(link.worst_ms()), link.missed(), link.offered());
    Ok(match least(whole, Contender::mean_ms) {
        Some((mean_ms, peer)) => {
            let below = link.worst_ms().is_some_and(|worst_ms| worst_ms < mean_ms);
            let least = format!("{own}; least mean of who delivered all: {} {mean_ms:.1} ms", peer.name());
            (Judgement::of(link.delivered_all() && below), least)
        }
        None => (Judgement::of(link.delivered_all()), format!("{own}; nobody else delivered all")),
    })
}

/// MEA-76.
fn below_the_best_tuned<'a>(part: &OnNetwork<'a>, link: &Contender<'a>) -> Judged {
    let tuned = |peer: &&Contender| peer.variant() == TUNED && delivers_no_less(peer, link);
    let compare =
        |name: &str, of: fn(&Contender<'a>) -> Option<f64>| -> Result<(bool, String), NoJudgement> {
            let ours = of(link).ok_or("the link delivered nothing")?;
            let best = least(part.peers().filter(tuned), of);
            let (theirs, peer) = best.ok_or("no tuned peer delivers as large a share as the link")?;
            Ok((ours < theirs, format!("{name} {ours:.1} ms against {theirs:.1} ms of {}", peer.name())))
        };
    let figures = [
        compare("mean", Contender::mean_ms),
        compare("p99", Contender::p99_ms),
        compare("worst", Contender::worst_ms),
    ];
    let figures = figures.into_iter().collect::<Result<Vec<(bool, String)>, NoJudgement>>()?;
    let words: Vec<&str> = figures.iter().map(|(_, words)| words.as_str()).collect();
    Ok((Judgement::of(figures.iter().all(|(below, _)| *below)), words.join(", ")))
}

/// MEA-77.
fn mean_near_the_best(part: &OnNetwork<'_>, link: &Contender<'_>) -> Judged {
    let own_ms = link.mean_ms().ok_or("the link delivered nothing")?;
    let best = least(part.peers().filter(|peer| delivers_no_less(peer, link)), Contender::mean_ms);
    let (best_ms, peer) = best.ok_or("no peer delivers as large a share as the link")?;
    let words = format!(
        "link {own_ms:.1} ms, {} {best_ms:.1} ms: {:+.0} %",
        peer.name(),
        (own_ms / best_ms - 1.0) * 100.0
    );
    Ok((Judgement::of(own_ms <= best_ms * AS_GOOD_AS), words))
}

/// MEA-78. Of several QoS the one counts that answers the link's condition, else the cheapest.
fn no_more_cpu(part: &OnNetwork<'_>, link: &Contender<'_>) -> Judged {
    let tuned: Vec<&Contender> =
        part.peers().filter(|peer| peer.peer() == CPU_PEER && peer.variant() == TUNED).collect();
    let same = tuned.iter().copied().filter(|peer| peer.condition() == link.condition());
    let peer = least(same, Contender::cpu_ms_per_mb)
        .or_else(|| least(tuned.iter().copied(), Contender::cpu_ms_per_mb));
    let (theirs, _) = peer.ok_or_else(|| format!("tuned {CPU_PEER} was not run, or delivered nothing"))?;
    let ours = link.cpu_ms_per_mb().ok_or("the link's processor time is not known")?;
    Ok((Judgement::of(ours <= theirs), format!("link {ours:.1} ms/MB, {CPU_PEER} {theirs:.1} ms/MB")))
}

/// Who misses a larger share has younger images for that alone: no measure for who misses less.
fn delivers_no_less(peer: &Contender<'_>, link: &Contender<'_>) -> bool {
    let share = |contender: &Contender| contender.missed_share().unwrap_or(1.0);
    share(peer) <= share(link)
}

fn least<'a, 'b: 'a>(
    contenders: impl Iterator<Item = &'a Contender<'b>>,
    of: impl Fn(&Contender<'b>) -> Option<f64>,
) -> Option<(f64, &'a Contender<'b>)> {
    contenders
        .filter_map(|contender| Some((of(contender)?, contender)))
        .min_by(|one, other| one.0.total_cmp(&other.0))
}
