//! The drive experiment in virtual time, from the plan to the result file that somebody else reads.

use std::path::Path;

use tokkyu_contract::Ledger;
use tokkyu_lab::drive::{CaseFolder, CaseSpec, Outcome, Pictures, Plan, Quality, Results, simulate};
use tokkyu_link::sim::path::Profile;
use tokkyu_measure::{DriveCase, Environment, Record, ResultFile, record};

fn plan(network: &str, quality: Quality) -> Plan {
    Plan {
        networks: vec![Profile::named(network).unwrap()],
        qualities: vec![quality],
        images: 2,
        pictures: Pictures::Dummy,
        beside: Vec::new(),
        peers: Vec::new(),
        samples: 10,
        warm_up: 5,
        seed: 3,
        runs: 1,
    }
}

fn simulated(spec: &CaseSpec, dir: &Path) -> Outcome {
    let folder = CaseFolder::create(&dir.join(spec.folder_name())).unwrap();
    simulate(spec, &folder, &|| false).expect("nobody stops it")
}

#[test]
fn a_simulated_result_reads_back_with_every_name_a_reader_relies_on() {
    let dir = tempfile::tempdir().unwrap();
    let spec = &plan("wan-loss5", Quality::Link).cases()[0];
    let mut results =
        Results::new(dir.path().join("result.json"), "tokkyu lab drive", Environment::default());
    results.add(simulated(spec, dir.path()).case).unwrap();
    let text = std::fs::read_to_string(results.path()).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["format"], &json["experiment"]), (&2.into(), &"drive".into()));
    let case = &json["cases"][0];
    for (name, value) in [
        ("network", serde_json::json!("wan-loss5")),
        ("peer", "tokkyu".into()),
        ("qos", "reliable keep_last 10 lifespan 500 ms".into()),
        ("images", 2.into()),
        ("seed", 3.into()),
        ("samples", 10.into()),
        ("simulated", true.into()),
        ("cpu_s", serde_json::json!({"send": null, "receive": null})),
        ("added_by_wire_ms", serde_json::Value::Null),
        ("payload_bytes", (2 * 15 * 374_000 + 75 * 64).into()),
        ("records", "wan-loss5-qoslink-run0/records.csv".into()),
    ] {
        assert_eq!(case[name], value, "{name}");
    }
    assert!(case["wire_bytes"].as_u64().unwrap() > case["payload_bytes"].as_u64().unwrap());
    assert!(case["ideal"]["mean_ms"].as_f64().unwrap() > 50.0, "{}", case["ideal"]);
    assert!(case["link"]["vehicle"]["packets_parity"].as_u64().unwrap() > 0, "{}", case["link"]);
    let file = ResultFile::<DriveCase>::read(results.path()).unwrap();
    let names: Vec<&str> = file.cases[0].streams.iter().map(|stream| stream.name.as_str()).collect();
    assert_eq!(names, ["camera/1", "camera/2", "drive/command"]);
}

#[test]
fn every_ledger_of_a_simulation_closes_and_the_records_say_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let spec = &plan("wan-loss5", Quality::KeepLast10).cases()[0];
    let outcome = simulated(spec, dir.path());
    assert_eq!(outcome.faults, Vec::<String>::new());
    for stream in &outcome.case.streams {
        assert!(stream.ledger.closes() && stream.ledger.offered > 0, "{}: {}", stream.name, stream.ledger);
    }
    let records = record::read(&outcome.case.records.clone().unwrap()).unwrap();
    let of = |name: &str, warm_up| {
        records.iter().filter(|record: &&Record| record.stream == name && record.warm_up == warm_up).count()
    };
    assert_eq!([of("camera/1", true), of("camera/1", false)], [5, 10]);
    assert_eq!([of("drive/command", true), of("drive/command", false)], [25, 50]);
}

#[test]
fn best_effort_over_five_percent_loss_delivers_next_to_nothing_and_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let spec = &plan("lan-loss5", Quality::BestEffort).cases()[0];
    let case = simulated(spec, dir.path()).case;
    let delivered: u64 = case.streams.iter().take(2).map(|camera| camera.ledger.delivered).sum();
    assert_eq!(delivered, 0, "266 packets, each lost with chance 0.05");
    assert!(case.notes.iter().any(|note| note.contains("nothing is sent twice")), "{:?}", case.notes);
    assert!(!case.verdict.unwrap().pass);
}

#[test]
fn the_same_plan_gives_the_same_figures_and_another_seed_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let figures = |seed: u64, name: &str| {
        let spec = &Plan { seed, ..plan("wan-loss5", Quality::Link) }.cases()[0];
        simulated(spec, &dir.path().join(name)).case.streams
    };
    assert_eq!(figures(3, "a"), figures(3, "b"));
    assert_ne!(figures(3, "c"), figures(4, "d"));
}

#[test]
fn a_ledger_is_counted_without_the_warm_up() {
    let dir = tempfile::tempdir().unwrap();
    let case = simulated(&plan("lan", Quality::KeepAll).cases()[0], dir.path()).case;
    let all = |offered| Ledger { offered, delivered: offered, ..Ledger::default() };
    assert_eq!([case.streams[0].ledger, case.warm_up[0].ledger], [all(10), all(5)]);
}

#[test]
fn an_interrupted_simulation_ends_at_once_and_leaves_no_folder() {
    let dir = tempfile::tempdir().unwrap();
    let mut case = plan("lan", Quality::Link).cases().remove(0);
    // Hours of computing, were it not stopped.
    case.samples = 1_000_000;
    let folder = CaseFolder::create(&dir.path().join("case")).unwrap();
    assert!(simulate(&case, &folder, &|| true).is_none());
    assert!(!folder.path().exists());
}
