//! What the project set out to reach beside others, judged by the figures of a comparison.
//!
//! Pure. Invariants: a goal is judged only where its network was run by our link and by somebody it is compared to; each
//! judgement carries the figures it was made from. Rules: SPEC.md MEA-75 to MEA-78.

use crate::drive::DriveCase;
use crate::study::{Bound, Figure, Goal, Least, ratio_of_pairs};
use crate::table::ms;

use super::contender::Contender;
use super::network::{Comparison, OnNetwork};

/// MEA-77: as much may our mean be above the best on a network that loses nothing.
const AS_GOOD_AS: f64 = 1.1;
/// The peer whose processor time is the measure (MEA-78).
const CPU_PEER: &str = "cyclonedds";
/// Settings that somebody made who knows the network.
const TUNED: &str = "tuned";
/// Fewest images by which a goal can be met.
const ENOUGH: Least = Least { n: 100, rounds: 1 };

/// What a goal is judged by.
#[derive(Clone, Debug)]
struct Found {
    figures: Vec<Figure>,
    /// Whose figures they are, in milliseconds.
    words: String,
    /// What was missed although the figures may be as wanted.
    fault: Option<String>,
}

/// Why a goal cannot be judged.
type NoJudgement = String;
type Judged = Result<Found, NoJudgement>;

pub(super) fn goals(comparison: &Comparison<'_>) -> Vec<Goal> {
    let worst_below = |network: &str| {
        let what = format!(
            "{network}: nothing lost, and the link's worst below the mean of every peer that delivers all"
        );
        let found = judged_on(comparison, network, worst_below_means);
        goal(format!("drive.{network}.worst"), what, Bound::Below(1.0), found)
    };
    let (lossy, lan) = ("lan-loss5", "lan");
    let mut goals = vec![
        worst_below("wan-loss5"),
        worst_below("wan-loss1"),
        goal(
            format!("drive.{lossy}.each"),
            format!("{lossy}: the link's mean, p99 and worst each below the best tuned peer's"),
            Bound::Below(1.0),
            judged_on(comparison, lossy, below_the_best_tuned),
        ),
        goal(
            format!("drive.{lan}.mean"),
            format!("{lan}: the link's mean at most 10 % above the best peer's"),
            Bound::AtMost(AS_GOOD_AS),
            judged_on(comparison, lan, mean_near_the_best),
        ),
    ];
    goals.extend(comparison.networks.iter().map(|part| {
        let what = format!(
            "{}: the link's CPU time for each delivered MB no more than tuned {CPU_PEER}'s",
            part.network
        );
        let found = link_of(part).and_then(|link| no_more_cpu(part, link));
        goal(format!("drive.{}.{}.cpu", part.network, part.images), what, Bound::AtMost(1.0), found)
    }));
    goals
}

fn goal(id: String, what: String, bound: Bound, judged: Judged) -> Goal {
    match judged {
        Ok(Found { figures, words, fault }) => {
            Goal::judged(id, what, bound, figures, ENOUGH).unless(fault).with_words(words)
        }
        Err(because) => Goal::not_judged(id, what, because),
    }
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
    let worst_ms = link.worst_ms().unwrap_or(f64::INFINITY);
    let (value, words) = match least(whole, Contender::mean_ms) {
        Some((mean_ms, peer)) => {
            let words = format!("{own}; least mean of who delivered all: {} {mean_ms:.1} ms", peer.name());
            (quotient(worst_ms, mean_ms), words)
        }
        // Nobody else delivers all: theirs is infinite.
        None => (quotient(worst_ms, f64::INFINITY), format!("{own}; nobody else delivered all")),
    };
    let fault = (!link.delivered_all()).then(|| "the link did not deliver all".to_owned());
    Ok(Found { figures: vec![one(value, link)], words, fault })
}

/// MEA-76.
fn below_the_best_tuned<'a>(part: &OnNetwork<'a>, link: &Contender<'a>) -> Judged {
    let tuned = |peer: &&Contender| peer.variant() == TUNED && delivers_no_less(peer, link);
    let compare =
        |name: &str, of: fn(&Contender<'a>) -> Option<f64>| -> Result<(Figure, String), NoJudgement> {
            let ours = of(link).ok_or("the link delivered nothing")?;
            let best = least(part.peers().filter(tuned), of);
            let (theirs, peer) = best.ok_or("no tuned peer delivers as large a share as the link")?;
            let words =
                format!("{name} {} ms against {} ms of {}", ms(Some(ours)), ms(Some(theirs)), peer.name());
            Ok((one(quotient(ours, theirs), link).named(name), words))
        };
    let found = [
        compare("mean", Contender::mean_ms),
        compare("p99", Contender::p99_ms),
        compare("worst", Contender::worst_ms),
    ];
    let found = found.into_iter().collect::<Result<Vec<(Figure, String)>, NoJudgement>>()?;
    let (figures, words): (Vec<Figure>, Vec<String>) = found.into_iter().unzip();
    Ok(Found { figures, words: words.join(", "), fault: None })
}

/// MEA-77. The best is who has the least median of the runs; each run of ours is compared with its run of the same number.
fn mean_near_the_best(part: &OnNetwork<'_>, link: &Contender<'_>) -> Judged {
    let own_ms = link.mean_ms().ok_or("the link delivered nothing")?;
    let best = least(part.peers().filter(|peer| delivers_no_less(peer, link)), Contender::mean_ms);
    let (best_ms, peer) = best.ok_or("no peer delivers as large a share as the link")?;
    let words = format!("link {own_ms:.1} ms, {} {best_ms:.1} ms", peer.name());
    let ratio = by_run(link, peer, |case| case.images_together.as_ref()?.figures.mean_ms);
    Ok(Found {
        figures: vec![ratio.unwrap_or_else(|| one(quotient(own_ms, best_ms), link))],
        words,
        fault: None,
    })
}

/// MEA-78. Of several QoS the one counts that answers the link's condition, else the cheapest.
fn no_more_cpu(part: &OnNetwork<'_>, link: &Contender<'_>) -> Judged {
    let tuned: Vec<&Contender> =
        part.peers().filter(|peer| peer.peer() == CPU_PEER && peer.variant() == TUNED).collect();
    let same = tuned.iter().copied().filter(|peer| peer.condition() == link.condition());
    let peer = least(same, Contender::cpu_ms_per_mb)
        .or_else(|| least(tuned.iter().copied(), Contender::cpu_ms_per_mb));
    let (theirs, peer) = peer.ok_or_else(|| format!("tuned {CPU_PEER} was not run, or delivered nothing"))?;
    let ours = link.cpu_ms_per_mb().ok_or("the link's processor time is not known")?;
    let words = format!("link {ours:.1} ms/MB, {CPU_PEER} {theirs:.1} ms/MB");
    let ratio = by_run(link, peer, DriveCase::cpu_ms_per_mb);
    Ok(Found {
        figures: vec![ratio.unwrap_or_else(|| one(quotient(ours, theirs), link))],
        words,
        fault: None,
    })
}

/// Of what all runs of the link have together.
fn one(value: f64, link: &Contender<'_>) -> Figure {
    Figure::of_value(value, link.offered(), link.good().count()).missing(link.missed())
}

/// Run by run; nothing where no run of both counts.
fn by_run(link: &Contender<'_>, peer: &Contender<'_>, of: fn(&DriveCase) -> Option<f64>) -> Option<Figure> {
    let runs = |contender: &Contender<'_>| -> Vec<(u32, f64)> {
        contender.good().filter_map(|case| Some((case.run, of(case)?))).collect()
    };
    let ratio = ratio_of_pairs(&runs(link), &runs(peer))?;
    Some(Figure::of_rounds(ratio, link.offered()).missing(link.missed()))
}

/// What never came is infinitely late: as late as another that did not, it is not below.
fn quotient(ours: f64, theirs: f64) -> f64 {
    match (ours.is_infinite(), theirs.is_infinite()) {
        (true, _) => f64::INFINITY,
        (false, true) => 0.0,
        (false, false) => ours / theirs,
    }
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
