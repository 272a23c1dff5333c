//! The local experiment with real programs: two floors, few samples (LAB-80 to LAB-91). Skips, with the reason, where they cannot be built.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokkyu_lab::local::{
    self, Cell, Finding, Found, Master, Peer, Programs, Study, find_peers, find_sources,
};
use tokkyu_lab::study::{Engine, Progress, Watcher};
use tokkyu_measure::local::{LocalCase, Size};
use tokkyu_measure::report::Local;
use tokkyu_measure::{Environment, Experiment, ResultFile};

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
        seed: 1,
        period: Duration::from_millis(1),
        priority: 0,
    }
}

/// Counts, and ends after so many.
struct Heard<'a> {
    over: &'a AtomicUsize,
    most: usize,
}

impl Watcher<Programs<'_>> for Heard<'_> {
    fn on_over(&mut self, at: Progress, _: &Cell, _: &Finding, _: bool) -> bool {
        assert!(at.number <= at.of);
        self.over.store(at.number, Ordering::Relaxed);
        at.number < self.most
    }
}

/// What was found until `most` were over, or `stop` said so.
fn run(
    study: &Study,
    root: &Path,
    most: usize,
    stop: &(dyn Fn() -> bool + Sync),
    resume: bool,
) -> Vec<Finding> {
    let over = AtomicUsize::new(0);
    let engine = Engine { root, resume, at_once: 1, stop };
    let findings =
        engine.run(&Programs::new(root, None), &study.all_cells(), &mut Heard { over: &over, most }).unwrap();
    assert_eq!(over.into_inner(), findings.len());
    findings
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
    let study = study(peers, 20);
    let findings = run(&study, &root, usize::MAX, &|| false, false);
    let more = local::more(&findings);
    assert_eq!((findings.len(), more.rounds.len()), (8, 2));
    assert_ne!(more.rounds[0].order, more.rounds[1].order);
    assert_eq!(local::faults(&findings), []);
    let cases = local::cases(&findings);
    let told: Vec<(&str, u64, u64)> =
        cases.iter().map(|case| (case.peer.as_str(), case.bytes, case.n + case.lost)).collect();
    let wanted =
        [(64, "floor-futex"), (64, "floor-eventfd"), (100_000, "floor-futex"), (100_000, "floor-eventfd")];
    assert_eq!(told, wanted.map(|(bytes, peer)| (peer, bytes, 40)));
    for case in &cases {
        assert_eq!((case.p50_rounds_us.len(), case.copies, case.processes), (2, 0, 1), "{case:?}");
        // What the result names is what it was made of.
        let kept: u64 = case
            .records
            .iter()
            .map(|path| local::times(&root.join(path), Duration::from_millis(1)).unwrap().published())
            .sum();
        assert_eq!(kept, 40, "{case:?}");
    }
    let path = root.join("result.json");
    let file = ResultFile::new(Local::NAME, "c", Environment::default(), cases).with_more(more);
    Local::write(&file, &path).unwrap();
    assert_eq!(ResultFile::<LocalCase, _>::read(&path).unwrap(), file, "it is read back as it was written");
    assert!(Local::report(&file, &root).to_text().contains("floor-eventfd"));
}

#[test]
fn an_interrupted_run_keeps_what_was_over_leaves_no_program_and_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let Some(peers) = floors(folder.path()) else { return };
    let programs: Vec<PathBuf> = peers.iter().map(|found| found.program.clone()).collect();
    let root = folder.path().join("out");
    let study = study(peers.clone(), 20);
    let first = run(&study, &root, 3, &|| false, false);
    assert_eq!(first.len(), 3);
    let made = |findings: &[Finding]| {
        let records = findings.iter().map(|finding| root.join(&finding.records));
        records.map(|path| path.metadata().unwrap().modified().unwrap()).collect::<Vec<_>>()
    };
    let before = made(&first);
    let all = run(&study, &root, usize::MAX, &|| false, true);
    assert_eq!((all.len(), made(&all)[..3] == before), (8, true), "what was over is not run again");
    // In the middle of one that would take minutes: its program runs, and is no finding.
    let root = folder.path().join("middle");
    let runs = || programs.iter().any(|program| running(program) > 0);
    let long = Study { samples: 100_000, ..study };
    assert_eq!(run(&long, &root, usize::MAX, &runs, false).len(), 0);
    assert!(!runs(), "a program runs still");
}

#[test]
fn records_that_are_there_already_are_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let Some(peers) = floors(folder.path()) else { return };
    let root = folder.path().join("out");
    let kept = root.join("round1/floor-futex-64/records.txt");
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    fs::write(&kept, "dear to somebody").unwrap();
    let study = Study { rounds: 1, sizes: vec![Size::SMALL], ..study(peers, 5) };
    let findings = run(&study, &root, usize::MAX, &|| false, false);
    let faults = local::faults(&findings);
    assert!(faults.len() == 1 && faults[0].because.contains("--records"), "{faults:?}");
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
