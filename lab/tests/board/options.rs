//! Options: what is given, what is refused, and what no well-behaved program would send. One board for all.
use std::sync::OnceLock;

use tokkyu_lab::board::pair::{must, run};
use tokkyu_lab::board::{Outcome, Step};

use crate::scene::{SLOW, lbe, ran, shared, show, shown};

/// Name, command, and what the reason says.
const REFUSED: [(&str, &str, &str); 7] = [
    ("background", "tc qdisc add dev vmac0 parent 1:2 pfifo", "keeps its own queue"),
    ("limit", "tc qdisc change dev vmac0 root handle 1: lbe limit 0", ""),
    ("budget", "tc qdisc change dev vmac0 root handle 1: lbe budget 65", "64 packets at most"),
    ("hold", "tc qdisc change dev vmac0 root handle 1: lbe max_hold 3601s", "3600 s at most"),
    ("mode", "tc qdisc change dev vmac0 root handle 1: lbe mode fast", "not a value of"),
    ("receive", "tc qdisc change dev vmac0 root handle 1: lbe mode prio receive", "receive needs mode gate"),
    ("unknown", "tc qdisc change dev vmac0 root handle 1: lbe color red", "not an option"),
];

fn boards() -> &'static [Outcome] {
    static BOARDS: OnceLock<Vec<Outcome>> = OnceLock::new();
    let mut steps = vec![
        lbe("mode prio limit 50 max_hold 20ms device_queue 3000 budget 2 nosplit nodefer nomark nosteer"),
        show("given"),
        must("tc qdisc change dev vmac0 root handle 1: lbe mode gate max_hold 0 receive"),
        show("changed"),
        must("tc qdisc del dev vmac0 root"),
        lbe(""),
        show("default"),
    ];
    steps.extend(REFUSED.iter().map(|(name, line, _)| run(name, line)));
    steps.push(show("after refusals"));
    steps.extend(malformed());
    steps.extend([must("tc qdisc change dev vmac0 root handle 1: lbe nosplit"), show("one switch")]);
    shared(&BOARDS, SLOW, &steps)
}

fn malformed() -> [Step; 2] {
    [run("malformed", "agent malformed vmac0 2000"), show("after malformed")]
}

#[test]
fn options_come_back_as_they_were_given() {
    for outcome in boards() {
        let given = &shown(outcome, "given")["options"];
        for (name, value) in [("limit", 50), ("max_hold_us", 20_000), ("device_queue", 3_000), ("budget", 2)]
        {
            assert_eq!(given[name], value, "{given}");
        }
        assert_eq!(given["mode"], "prio");
        for name in ["split", "defer", "mark", "steer", "receive"] {
            assert_eq!(given[name], false, "{name}");
        }
        let changed = &shown(outcome, "changed")["options"];
        assert_eq!(
            (&changed["mode"], &changed["max_hold_us"], &changed["limit"]),
            (&"gate".into(), &0.into(), &50.into())
        );
        assert_eq!((&changed["receive"], &changed["split"]), (&true.into(), &false.into()));
        let default = &shown(outcome, "default")["options"];
        assert_eq!((&default["device_queue"], &default["budget"]), (&"auto".into(), &"auto".into()));
        assert_eq!((&default["mode"], &default["max_hold_us"]), (&"gate".into(), &1_000_000.into()));
        assert_eq!((&default["defer"], &default["receive"]), (&true.into(), &false.into()));
        let one = &shown(outcome, "one switch")["options"];
        assert_eq!((&one["split"], &one["defer"], &one["mark"]), (&false.into(), &true.into(), &true.into()));
    }
}

#[test]
fn what_cannot_work_is_refused_with_the_reason() {
    for outcome in boards() {
        for (name, _, reason) in REFUSED {
            let (code, _, errors) = ran(outcome, name);
            assert_ne!(code, 0, "{name} was not refused");
            assert!(errors.contains(reason), "{name}: {errors}");
        }
        let after = &shown(outcome, "after refusals")["options"];
        assert_eq!(*after, shown(outcome, "default")["options"]);
    }
}

/// Attributes of wrong length, unknown ones, garbage: refused, and nothing has changed.
#[test]
fn what_tc_cannot_say_is_refused_too() {
    const EINVAL: i32 = 22;
    const ERANGE: i32 = 34;
    for outcome in boards() {
        let (code, output, errors) = ran(outcome, "malformed");
        assert_eq!(code, 0, "{errors}");
        let answers: Vec<(&str, i32)> = output
            .lines()
            .map(|line| line.split_once(": ").map(|(name, error)| (name, error.parse().unwrap())).unwrap())
            .collect();
        let (taken, refused) = answers.split_last().unwrap();
        assert_eq!(*taken, ("taken", 0));
        assert!(refused.len() > 15, "{output}");
        for (name, error) in refused {
            // The kernel's own answer to a bit field that is too short is the latter too.
            let range = name.ends_with("out of range") || *name == "four bytes for the switches";
            let wanted = if range { ERANGE } else { EINVAL };
            assert_eq!(*error, wanted, "{name}");
        }
        assert_eq!(shown(outcome, "after refusals")["options"], shown(outcome, "after malformed")["options"]);
    }
}
