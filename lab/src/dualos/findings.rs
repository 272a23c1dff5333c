//! What the machine's words come to.
//!
//! ```text
//! arm static seconds 0.91 activations 1820 moved 0 held 0 unknown 0 nowhere 0 missed 5 ...
//! waits static 7 12                                (of arm static, 12 waits of 2^7 us or more, and less than 2^8)
//! spins static 7 12                                (the same, for mutexes by spinning)
//! ```

use std::collections::BTreeMap;

use tokkyu_measure::dualos::{DualosCase, Placed, Waits, Way};

use super::cell::{CAPACITY_PERIOD_US as PERIOD_US, Cell, Kind, PROCESSORS};

type Values<'a> = BTreeMap<&'a str, f64>;

/// A case for each arm; or what is wrong.
pub(super) fn cases(cell: &Cell, kernel: &str, words: &str) -> Result<Vec<DualosCase>, String> {
    let mut cases: Vec<DualosCase> = Vec::new();
    for line in words.lines().map(str::trim_end) {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        match fields.as_slice() {
            ["arm", arm, rest @ ..] => cases.push(case(cell, kernel, arm, &values(rest)?)?),
            [kind @ ("waits" | "spins"), arm, power, count] => {
                let wrong = || format!("not as it should be: {line:?}");
                let of = cases.iter_mut().find(|case| case.arm == *arm).ok_or_else(wrong)?;
                let (power, count) = power.parse().ok().zip(count.parse().ok()).ok_or_else(wrong)?;
                let waits = if *kind == "waits" { &mut of.waits } else { &mut of.mutex };
                waits.get_or_insert_default().add(power, count);
            }
            _ => {}
        }
    }
    if cell.kind == Kind::Capacity {
        add_ideals(&mut cases);
    }
    let missing = cell.arms().into_iter().find(|arm| !cases.iter().any(|case| case.arm == *arm));
    match missing {
        Some(arm) => Err(format!("nothing is told of arm {arm}: {}", last_words(words))),
        None => Ok(cases),
    }
}

/// The work without a load, by what the RTOS left of the processors.
fn add_ideals(cases: &mut [DualosCase]) {
    let work_of = |arm: &str| arm.split('-').next().unwrap_or_default().to_owned();
    let alone: BTreeMap<String, f64> = cases
        .iter()
        .filter(|case| case.placed.is_none())
        .filter_map(|case| Some((work_of(&case.arm), case.seconds?)))
        .collect();
    for case in cases {
        let (Some(placed), Some(seconds), Some(alone)) =
            (&case.placed, case.seconds, alone.get(&work_of(&case.arm)))
        else {
            continue;
        };
        let share: f64 =
            case.arm.rsplit('-').next().and_then(|word| word.parse().ok()).unwrap_or(0.0) / 100.0;
        let taken = placed.activations as f64 * f64::from(PERIOD_US) / 1e6 * share / seconds.max(0.001);
        case.ideal_seconds = Some(alone * f64::from(PROCESSORS) / (f64::from(PROCESSORS) - taken));
    }
}

fn values<'a>(fields: &[&'a str]) -> Result<Values<'a>, String> {
    let pair = |pair: &[&'a str]| match pair {
        [name, value] => value.parse().ok().map(|value| (*name, value)),
        _ => None,
    };
    let all: Option<Values<'a>> = fields.chunks(2).map(pair).collect();
    all.ok_or_else(|| format!("not as it should be: {:?}", fields.join(" ")))
}

fn case(cell: &Cell, kernel: &str, arm: &str, values: &Values<'_>) -> Result<DualosCase, String> {
    let of = |name: &str| values.get(name).copied();
    let count = |name: &str| of(name).unwrap_or(0.0) as u64;
    let activations = of("activations").map(|activations| activations as u64);
    if activations == Some(0) {
        return Err(format!("arm {arm}: the RTOS began no task"));
    }
    let placed = activations.map(|activations| Placed {
        activations,
        moved: count("moved"),
        held: count("held"),
        unknown: count("unknown"),
        nowhere: count("nowhere"),
        missed: count("missed"),
        arrived: count("arrived"),
    });
    let at_home =
        placed.as_ref().map_or(0, |placed| placed.activations - placed.moved.min(placed.activations));
    let way = match cell.kind {
        Kind::Start | Kind::Fault => way(values, ["start_ticks", "start_most"], at_home),
        Kind::Topic if count("others") > 0 => {
            return Err(format!("arm {arm}: {} messages came back as others", count("others")));
        }
        Kind::Topic => way(values, ["ticks", "most"], count("came")),
        Kind::Spin | Kind::Capacity => None,
    };
    Ok(DualosCase {
        study: cell.kind.name().to_owned(),
        arm: arm.to_owned(),
        cpus: PROCESSORS,
        kernel: kernel.to_owned(),
        round: cell.round,
        placed,
        waits: (cell.kind == Kind::Spin).then(Waits::default),
        mutex: (cell.kind == Kind::Spin).then(Waits::default),
        way,
        seconds: of("seconds"),
        ideal_seconds: None,
        accounting: cell.kind.wants_accounting().then_some(cell.accounting),
        n: activations.unwrap_or(count("came")),
    })
}

/// Of so many, with the names of all ticks and of the most; none: nothing is known.
fn way(values: &Values<'_>, [all, most]: [&str; 2], n: u64) -> Option<Way> {
    let of = |name: &str| values.get(name).copied().unwrap_or(0.0);
    (n > 0).then(|| Way { mean: of(all) / n as f64, worst: of(most) as u64, n })
}

/// For whoever looks for what went wrong.
fn last_words(words: &str) -> String {
    let last: Vec<&str> = words.lines().rev().take(3).map(str::trim).collect();
    last.into_iter().rev().collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPIN: Cell = Cell { kind: Kind::Spin, round: 1, accounting: true };

    fn told(more: &str) -> String {
        let arms = ["timer", "spread", "least-locked", "bounded-defer"].map(|arm| {
            format!("arm {arm} seconds 1 activations 10 moved 3 held 4 unknown 0 nowhere 1 missed 0\r\n")
        });
        format!(
            "[ 0.1] Linux\r\narm none seconds 0.5\r\nwaits none 3 100\r\n{}arm static seconds 0.9 activations 20 \
             moved 0 held 0 unknown 0 nowhere 0 missed 2\r\nwaits static 6 5\r\nwaits static 7 3\r\nwaits static 9 1\r\nspins static 8 2\r\n{more}",
            arms.concat()
        )
    }

    #[test]
    fn an_arm_has_its_waits() {
        let cases = cases(&SPIN, "7.3", &told("")).unwrap();
        let of = |arm: &str| cases.iter().find(|case| case.arm == arm).unwrap();
        let waits = of("static").waits.as_ref().unwrap();
        assert_eq!((waits.all, waits.long), (9, 4));
        assert_eq!(of("static").mutex.as_ref().map(|waits| waits.long), Some(2));
        assert_eq!(
            of("static").placed.as_ref().map(|placed| (placed.activations, placed.missed)),
            Some((20, 2))
        );
        assert_eq!((of("none").placed.as_ref(), of("none").seconds), (None, Some(0.5)));
        assert_eq!(of("least-locked").waits.as_ref().map(|waits| waits.long), Some(0), "none is a count too");
    }

    #[test]
    fn what_is_missing_or_wrong_is_told() {
        let refused = |words: &str| cases(&SPIN, "7.3", words).unwrap_err();
        assert!(refused("arm none seconds 1\n").starts_with("nothing is told of arm timer"));
        assert!(refused(&told("arm x seconds\n")).starts_with("not as it should be"));
        assert!(refused(&told("waits nobody 1 2\n")).starts_with("not as it should be"));
        let never = told("").replace("activations 20", "activations 0");
        assert_eq!(refused(&never), "arm static: the RTOS began no task");
    }

    #[test]
    fn the_ideal_is_what_is_left_of_the_processors() {
        let words: String = Kind::Capacity
            .arms()
            .iter()
            .map(|arm| match arm.ends_with("-none") {
                true => format!("arm {arm} seconds 1.2\n"),
                false => format!("arm {arm} seconds 2 activations 2000 moved 0\n"),
            })
            .collect();
        let cases = cases(&Cell { kind: Kind::Capacity, ..SPIN }, "6.12", &words).unwrap();
        let of = |arm: &str| cases.iter().find(|case| case.arm == arm).unwrap();
        // A thousand times a second, 0.8 ms of it: of two processors 1.2 are left.
        assert_eq!(of("tasks-constant-80").ideal_seconds, Some(2.0));
        assert_eq!(of("tasks-constant-50").ideal_seconds, Some(1.2 * 2.0 / 1.5));
        assert_eq!((of("hackbench-none").ideal_seconds, of("hackbench-none").accounting), (None, Some(true)));
    }

    #[test]
    fn starts_at_home_are_counted_alone() {
        let words = "arm static activations 10 moved 0 start_ticks 5000 start_most 700\n\
                     arm least-locked activations 10 moved 5 start_ticks 3000 start_most 800\n";
        let cases = cases(&Cell { kind: Kind::Start, ..SPIN }, "7.3", words).unwrap();
        let starts: Vec<_> = cases.iter().map(|case| case.way.clone().unwrap()).collect();
        assert_eq!(starts[0], Way { mean: 500.0, worst: 700, n: 10 });
        assert_eq!(starts[1], Way { mean: 600.0, worst: 800, n: 5 });
    }

    #[test]
    fn a_message_that_came_back_as_another_is_no_result() {
        let words = |others: u32| -> String {
            let arm = |arm: &&str| format!("arm {arm} came 200 ticks 1372400 most 6862 others {others}\n");
            Kind::Topic.arms().iter().map(arm).collect()
        };
        let topic = Cell { kind: Kind::Topic, ..SPIN };
        let whole = cases(&topic, "7.3", &words(0)).unwrap();
        assert_eq!(
            (whole[1].way.clone(), whole[1].n),
            (Some(Way { mean: 6862.0, worst: 6862, n: 200 }), 200)
        );
        assert_eq!(
            cases(&topic, "7.3", &words(1)).unwrap_err(),
            "arm in-place-64: 1 messages came back as others"
        );
    }
}
