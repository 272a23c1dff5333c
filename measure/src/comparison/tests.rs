//! Cases made by hand, of which every figure is known.

use tokkyu_contract::{Ledger, Outcome};

use std::path::Path;

use super::*;
use crate::contest::Skipped;
use crate::drive::CpuSeconds;
use crate::environment::Environment;
use crate::join::{StreamTally, Tally};
use crate::report::Drive;
use crate::result::ResultFile;
use crate::study::{Experiment, Goal, Report, Verdict};

const LINK: &str = "reliable keep_last 10 lifespan 500 ms";

/// One case of one camera whose images had these latencies, each ten times; the rest of a hundred was lost.
fn case(network: &str, peer: &str, variant: &str, latencies_ms: &[u64]) -> DriveCase {
    let mut measured = Tally::default();
    for ms in latencies_ms.iter().flat_map(|ms| [ms; 10]) {
        measured.ledger += Ledger { offered: 1, delivered: 1, ..Ledger::default() };
        measured.figures.record(ms * 1_000_000);
    }
    while measured.ledger.offered < 100 {
        measured.ledger.offer();
        measured.ledger.settle(Outcome::Lost);
    }
    let mut case = DriveCase {
        network: network.into(),
        peer: peer.into(),
        variant: variant.into(),
        qos: if peer == OURS { LINK } else { "reliable keep_last 10" }.into(),
        condition: Some(1),
        images: 1,
        image_bytes: Some(10_000),
        wire_bytes: Some(1_100_000),
        payload_bytes: Some(1_000_000),
        cpu_s: CpuSeconds { send: Some(0.010), receive: Some(0.020) },
        load_average: Some(0.5),
        ..DriveCase::default()
    };
    case.set_streams(&[StreamTally { name: "camera/1".into(), measured, ..StreamTally::default() }]);
    case
}

fn file(cases: Vec<DriveCase>) -> ResultFile<DriveCase> {
    ResultFile::new("drive", "tokkyu lab drive --peers all", Environment::default(), cases)
}

fn told(file: &ResultFile<DriveCase>) -> Report<'_> {
    Drive::report(file, Path::new(""))
}

fn goal_on(file: &ResultFile<DriveCase>, begin: &str) -> Goal {
    let goals = Comparison::of(file).goals();
    goals.into_iter().find(|goal| goal.wanted.starts_with(begin)).expect("a goal for each network")
}

fn judged(cases: Vec<DriveCase>, begin: &str) -> Verdict {
    goal_on(&file(cases), begin).verdict
}

#[test]
fn who_delivered_everything_stands_first_by_the_mean_and_then_who_missed_least() {
    // MEA-73
    let invalid = DriveCase { invalid: true, ..case("lan", "fastdds", "tuned", &[1; 10]) };
    let cases = vec![
        invalid,
        case("lan", "zenoh", "tuned", &[1; 8]),
        case("lan", "srt-live", "tuned", &[50; 9]),
        case("lan", "tcp-bbr", "tuned", &[9; 10]),
        case("lan", "tokkyu", "default", &[7; 10]),
        case("wan", "tokkyu", "default", &[60; 10]),
    ];
    let file = file(cases);
    let comparison = Comparison::of(&file);
    let names = |part: &OnNetwork| part.contenders.iter().map(Contender::name).collect::<Vec<_>>();
    assert_eq!(
        names(&comparison.networks[0]),
        ["tokkyu", "tcp-bbr tuned", "srt-live tuned", "zenoh tuned", "fastdds tuned"]
    );
    assert_eq!((comparison.networks.len(), names(&comparison.networks[1])), (2, vec!["tokkyu".to_owned()]));
}

#[test]
fn a_row_has_every_figure_the_issue_asks_for() {
    // MEA-71, MEA-72
    let ages = [90, 100, 140, 150, 200, 225, 400, 500, 600];
    let file = file(vec![case("wan", "tcp-bbr", "tuned", &ages)]);
    let table = Comparison::of(&file).networks[0].table();
    let cells = &table.rows[0].cells;
    let expected = [
        "tcp-bbr tuned, reliable keep_last 10",
        "1",
        "267.2",
        "600.0",
        "90.0",
        "175.8",
        "∞",
        "20.00",
        "40.00",
        "60.00",
        "80.00",
        "10",
        "100",
        "1.100",
        "0.01",
        "0.02",
        "33.3",
        "0.50",
    ];
    assert_eq!(cells, &expected);
    assert_eq!((table.rows.len(), table.header.len()), (1, expected.len()), "the paper has no wan");
}

#[test]
fn a_file_with_any_numbers_is_drawn() {
    let mut odd = case("lan", "zenoh", "tuned", &[3; 10]);
    if let Some(images) = &mut odd.images_together {
        (images.ledger.offered, images.ledger.delivered) = (u64::MAX, 1);
    }
    odd.streams[0].ledger.delivered = u64::MAX;
    odd.warm_up = odd.streams.clone();
    let file =
        file(vec![odd.clone(), DriveCase { run: 1, ..odd.clone() }, DriveCase { images: u32::MAX, ..odd }]);
    assert!(told(&file).to_text().contains(&u64::MAX.to_string()));
}

#[test]
fn several_runs_are_one_row_of_medians_and_of_all_that_was_missed() {
    // MEA-72
    let run =
        |run, ages: &[u64]| DriveCase { run, seed: u64::from(run), ..case("lan", "zenoh", "tuned", ages) };
    let broken = DriveCase { invalid: true, notes: vec!["INVALID: it fell over".into()], ..run(3, &[1; 10]) };
    let file = file(vec![run(0, &[10; 10]), run(1, &[30; 9]), run(2, &[20; 8]), broken]);
    let comparison = Comparison::of(&file);
    let cells = &comparison.networks[0].table().rows[0].cells;
    assert_eq!([&cells[1], &cells[2], &cells[11], &cells[12]], ["3 of 4", "20.0", "30", "300"]);
    let said = told(&file).to_text();
    assert!(said.contains("left out: zenoh tuned, reliable keep_last 10, run 3: it fell over"), "{said}");
}

#[test]
fn who_breaks_has_missed_what_was_to_come_be_it_us_or_another() {
    // MEA-72
    for peer in [OURS, "zenoh"] {
        let good = case("lan", peer, "default", &[7; 10]);
        let broken = DriveCase {
            run: 1,
            samples: 100,
            invalid: true,
            broke: true,
            ..case("lan", peer, "default", &[7; 4])
        };
        let invalid = DriveCase { run: 2, samples: 100, invalid: true, ..broken.clone() };
        let flawed = DriveCase { broke: false, ..invalid };
        let file = file(vec![good, broken, flawed]);
        let comparison = Comparison::of(&file);
        let contender = &comparison.networks[0].contenders[0];
        assert_eq!((contender.offered(), contender.missed()), (200, 60), "{peer}");
        assert_eq!(contender.worst_ms(), Some(7.0));
    }
}

#[test]
fn the_papers_rows_stand_below_the_networks_it_measured_for_the_conditions_that_were_run() {
    // MEA-74
    let lan = file(vec![case("lan", "zenoh", "tuned", &[3; 10]), case("wan", "zenoh", "tuned", &[60; 10])]);
    let comparison = Comparison::of(&lan);
    let quoted =
        |part: &OnNetwork| part.table().rows.into_iter().filter(|row| row.quoted).collect::<Vec<_>>();
    let rows = quoted(&comparison.networks[0]);
    assert_eq!((rows.len(), quoted(&comparison.networks[1]).len()), (1, 0));
    let paper = crate::paper::row("stable", 1, 1, 1).unwrap();
    assert_eq!(rows[0].cells[0].trim(), "paper: OpenSplice, reliable keep_last 10");
    assert_eq!(
        rows[0].cells[2..5],
        [paper.mean_ms, paper.worst_ms, paper.best_ms].map(|v| format!("{v:.1}"))
    );
    assert_eq!(rows[0].cells[11..13], [paper.lost.to_string(), "10000".to_owned()]);
}

#[test]
fn the_worst_of_the_link_must_be_below_the_mean_of_everybody_who_delivers_all() {
    // MEA-75
    let wan = |ours: &[u64], theirs: &[u64]| {
        judged(
            vec![
                case("wan-loss5", "tokkyu", "default", ours),
                case("wan-loss5", "tcp-bbr", "default", theirs),
            ],
            "wan-loss5: nothing",
        )
    };
    assert_eq!(wan(&[80; 10], &[81; 10]), Verdict::Met);
    assert_eq!(wan(&[80; 10], &[80; 10]), Verdict::Missed);
    assert_eq!(wan(&[80; 9], &[900; 10]), Verdict::Missed, "one of ours is lost");
    assert_eq!(wan(&[80; 10], &[20; 9]), Verdict::Met, "who misses some is no measure");
    assert_eq!(wan(&[80; 9], &[20; 9]), Verdict::Missed);
    let alone = judged(vec![case("wan-loss5", "tokkyu", "default", &[80; 10])], "wan-loss5: nothing");
    assert_eq!(alone, Verdict::NotJudged);
    assert_eq!(judged(vec![], "wan-loss1: nothing"), Verdict::NotJudged);
}

#[test]
fn each_figure_of_the_link_must_be_below_the_best_of_the_tuned() {
    // MEA-76: of the others one has the better mean, the other the better worst.
    let others = [
        case("lan-loss5", "tcp-bbr", "tuned", &[4, 4, 4, 4, 4, 4, 4, 4, 4, 90]),
        case("lan-loss5", "zenoh", "tuned", &[20; 10]),
        case("lan-loss5", "srt-live", "default", &[1; 10]),
        case("lan-loss5", "fastdds", "tuned", &[1; 9]),
    ];
    let judge = |ages: &[u64]| {
        let ours = case("lan-loss5", "tokkyu", "default", ages);
        goal_on(&file([&[ours][..], &others].concat()), "lan-loss5: the link's mean, p99")
    };
    let met = judge(&[3; 10]);
    assert_eq!(met.verdict, Verdict::Met, "{met}");
    assert!(met.because.contains("mean 3.0 ms against 12.6 ms of tcp-bbr tuned"), "{met}");
    assert!(met.because.contains("worst 3.0 ms against 20.0 ms of zenoh tuned"), "{met}");
    assert_eq!(
        judge(&[3, 3, 3, 3, 3, 3, 3, 3, 3, 30]).verdict,
        Verdict::Missed,
        "the worst is not below zenoh's"
    );
    let nothing = judge(&[]);
    assert_eq!(
        (nothing.verdict, nothing.because.as_str()),
        (Verdict::NotJudged, "the link delivered nothing")
    );
}

#[test]
fn on_the_lan_the_link_may_be_a_tenth_slower_than_the_best() {
    // MEA-77
    let lan = |ours, theirs| {
        judged(
            vec![
                case("lan", "tokkyu", "default", &[ours; 10]),
                case("lan", "tcp-cubic", "default", &[theirs; 10]),
            ],
            "lan: the link's mean",
        )
    };
    assert_eq!([lan(110, 100), lan(111, 100)], [Verdict::Met, Verdict::Missed]);
}

#[test]
fn processor_time_is_measured_by_tuned_cyclonedds_under_the_same_condition() {
    // MEA-78
    let ours = case("lan", "tokkyu", "default", &[3; 10]);
    let cyclone = |send, condition| {
        let cpu_s = CpuSeconds { send: Some(send), receive: Some(0.020) };
        DriveCase {
            cpu_s,
            condition,
            qos: format!("{condition:?}"),
            ..case("lan", "cyclonedds", "tuned", &[3; 10])
        }
    };
    let judge = |others: Vec<DriveCase>| judged([vec![ours.clone()], others].concat(), "lan: the link's CPU");
    assert_eq!(judge(vec![cyclone(0.010, Some(1))]), Verdict::Met);
    assert_eq!(judge(vec![cyclone(0.009, Some(1))]), Verdict::Missed);
    assert_eq!(judge(vec![cyclone(0.010, Some(1)), cyclone(0.001, Some(4))]), Verdict::Met);
    assert_eq!(judge(vec![case("lan", "zenoh", "tuned", &[3; 10])]), Verdict::NotJudged);
}

#[test]
fn text_and_markdown_have_the_same_cells_the_goals_and_who_was_skipped() {
    // MEA-50, MEA-70, MEA-49
    let mut file =
        file(vec![case("lan", "tokkyu", "default", &[3; 10]), case("lan", "zenoh", "tuned", &[5; 10])]);
    file.skipped =
        vec![Skipped { peer: "srt-live".into(), because: "no program".into(), package: "libsrt".into() }];
    let comparison = Comparison::of(&file);
    let (text, markdown) = (told(&file).to_text(), told(&file).to_markdown());
    for row in comparison.networks[0].table().rows {
        for cell in row.cells {
            assert!(text.contains(cell.trim()), "{cell} in {text}");
            assert!(markdown.contains(&crate::table::escaped(cell.trim())), "{cell} in {markdown}");
        }
    }
    for shown in [&text, &markdown] {
        assert!(shown.contains("met: lan: the link's mean at most 10 %"), "{shown}");
        assert!(shown.contains("srt-live: no program; it needs libsrt"), "{shown}");
    }
    assert!(markdown.contains("    tokkyu lab drive --peers all"), "{markdown}");
}

#[test]
fn the_link_between_bridges_is_no_rival_and_no_goal_is_judged_against_it() {
    // MEA-48, MEA-70
    let bridged = || case("lan", BRIDGED, "default", &[3; 10]);
    let ours = || case("lan", OURS, "default", &[7; 10]);
    assert!(!is_comparison(&[ours(), bridged()]));
    assert_eq!(judged(vec![ours(), bridged()], "lan: the link's mean"), Verdict::NotJudged);
    let beside = vec![ours(), bridged(), case("lan", "zenoh", "tuned", &[7; 10])];
    assert_eq!(judged(beside, "lan: the link's mean"), Verdict::Met);
}
