//! The local experiment with real programs: two floors, few samples (LAB-80 to LAB-91). Skips, with the reason, where they cannot be built.

use std::cell::Cell as Flag;
use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use tokkyu_lab::local::{
    self, Finding, Found, Judged, Master, Peer, Place, Size, Study, Watcher, find_peers, find_sources,
};
use tokkyu_measure::Environment;

const FLOORS: [&str; 2] = ["floor-futex", "floor-eventfd"];

/// Builds both floors once, and copies them: runs with the same folder exclude each other. Nothing where they cannot be built.
fn floors(folder: &Path) -> Option<Vec<Found>> {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let peers = FLOORS.map(|name| Peer::named(name).expect("floors have names"));
    let built = BUILT.get_or_init(|| {
        let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("local-peers");
        if let Some(sources) = find_sources([Path::new(env!("CARGO_MANIFEST_DIR"))]) {
            local::build(&sources, &built, &peers, &|| false).expect("bench/local/build runs");
        }
        built
    });
    let (found, skipped) = find_peers(built, &peers, false);
    if !skipped.is_empty() {
        skipped.iter().for_each(|peer| println!("skipped: {peer}"));
        return None;
    }
    let copy = |found: Found| {
        let program = found.peer.program_in(folder);
        fs::copy(&found.program, &program).expect("a folder of the test's own");
        Found { program, ..found }
    };
    Some(found.into_iter().map(copy).collect())
}

fn study(peers: Vec<Found>, samples: u32) -> Study {
    Study {
        peers,
        sizes: vec![Size::SMALL, Size::of(100_000).expect("a size")],
        samples,
        warm_up: 3,
        rounds: 2,
        period: Duration::from_millis(1),
        priority: 0,
    }
}

/// Counts, and tells to stop after so many.
struct Watching {
    over: Flag<usize>,
    most: usize,
}

impl Watching {
    fn until(most: usize) -> Watching {
        Watching { over: Flag::new(0), most }
    }
}

struct Heard<'a>(&'a Watching);

impl Watcher for Heard<'_> {
    fn on_over(&mut self, number: usize, of: usize, _: &Finding) {
        assert!(number <= of);
        self.0.over.set(number);
    }
}

/// Processes of this program.
fn running(program: &Path) -> usize {
    let is_it = |entry: fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).next() == Some(program.as_os_str().as_encoded_bytes())
    };
    fs::read_dir("/proc").expect("/proc").flatten().map(is_it).filter(|is_it| *is_it).count()
}

#[test]
fn two_floors_are_measured_from_programs_to_result() {
    let folder = tempfile::tempdir().unwrap();
    let Some(peers) = floors(folder.path()) else { return };
    let root = folder.path().join("out");
    let place = Place { root: &root, peers: folder.path(), master: None };
    let watching = Watching::until(usize::MAX);
    let study = study(peers, 20);
    let (findings, rounds) = local::run(&study, &place, &mut Heard(&watching), &|| false).unwrap();
    assert_eq!((watching.over.get(), findings.len(), rounds.len()), (8, 8, 2));
    assert_ne!(rounds[0].order, rounds[1].order);
    let judged = Judged::of("c", Environment::default(), &findings, &rounds, Vec::new(), &[]);
    assert_eq!(judged.value()["faults"].as_array().map(Vec::len), Some(0), "{}", judged.value());
    let told: Vec<(&str, u64, u64)> =
        judged.cases.iter().map(|case| (case.peer.as_str(), case.bytes, case.n + case.lost)).collect();
    let wanted =
        [(64, "floor-futex"), (64, "floor-eventfd"), (100_000, "floor-futex"), (100_000, "floor-eventfd")];
    assert_eq!(told, wanted.map(|(bytes, peer)| (peer, bytes, 40)));
    for case in &judged.cases {
        assert_eq!((case.rounds(), case.copies, case.processes), (2, 0, 1), "{case:?}");
        // What the result names is what it was made of.
        let kept: u64 =
            case.records.iter().map(|path| local::times(&root.join(path)).unwrap().published()).sum();
        assert_eq!(kept, 40, "{case:?}");
    }
    judged.write(&root.join("result.json")).unwrap();
    assert!(local::text(&judged.cases, &judged.overload).contains("floor-eventfd"));
}

#[test]
fn an_interrupted_run_keeps_what_was_over_and_leaves_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let Some(peers) = floors(folder.path()) else { return };
    let programs: Vec<PathBuf> = peers.iter().map(|found| found.program.clone()).collect();
    let root = folder.path().join("out");
    let place = Place { root: &root, peers: folder.path(), master: None };
    // After the third cell.
    let watching = Watching::until(3);
    let stop = || watching.over.get() >= watching.most;
    let (findings, _) = local::run(&study(peers.clone(), 20), &place, &mut Heard(&watching), &stop).unwrap();
    assert_eq!(findings.len(), 3);
    // In the middle of one that would take minutes: its program runs, and is no finding.
    let root = folder.path().join("middle");
    let place = Place { root: &root, ..place };
    let runs = || programs.iter().any(|program| running(program) > 0);
    let (findings, _) =
        local::run(&study(peers, 100_000), &place, &mut Heard(&Watching::until(0)), &runs).unwrap();
    assert_eq!(findings.len(), 0);
    assert!(!runs(), "a program runs still");
}

#[test]
fn records_that_are_there_already_are_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let Some(peers) = floors(folder.path()) else { return };
    let root = folder.path().join("out");
    let kept = root.join("round1/floor-futex-64.txt");
    fs::create_dir_all(root.join("round1")).unwrap();
    fs::write(&kept, "dear to somebody").unwrap();
    let place = Place { root: &root, peers: folder.path(), master: None };
    let study = Study { rounds: 1, sizes: vec![Size::SMALL], ..study(peers, 5) };
    let (findings, _) =
        local::run(&study, &place, &mut Heard(&Watching::until(usize::MAX)), &|| false).unwrap();
    let faults: Vec<&String> =
        findings.iter().filter_map(|finding| finding.measured.as_ref().err()).collect();
    assert!(faults.len() == 1 && faults[0].contains("--records"), "{faults:?}");
    assert_eq!(fs::read_to_string(&kept).unwrap(), "dear to somebody");
}

#[test]
fn a_master_answers_and_is_gone_afterwards() {
    if Master::find().is_none() {
        println!("skipped: rosmaster is not there; apt-get install python3-rosmaster");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let master = Master::start(folder.path(), &|| false).unwrap().expect("nobody stopped it");
    let address = master.uri().trim_start_matches("http://").to_owned();
    assert!(TcpStream::connect(&address).is_ok());
    drop(master);
    assert!(TcpStream::connect(&address).is_err(), "it listens still");
}
