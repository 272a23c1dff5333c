//! The experiment on the kernel's Ethernet path, a short one: it runs, its samples come out, and the plan does what it is for.
use std::fs;
use std::path::Path;

use tokkyu_lab::board::{Kernel, REALTIME_KERNELS, boards_folder};
use tokkyu_lab::rtnet::{Boards, Cell, Finding, Part, Study, cases};
use tokkyu_lab::study::{Engine, Progress, Watcher};
use tokkyu_measure::rtnet::{Load, RtnetCase};

/// The worst of so few is no claim; that the plan cuts means to a quarter or less is, in virtual time, far from any doubt.
const COUNT: u32 = 120;

fn of<'a>(cases: &'a [RtnetCase], config: &str) -> &'a RtnetCase {
    cases.iter().find(|case| case.config == config).unwrap_or_else(|| panic!("no {config} in {cases:?}"))
}

/// Whether each board was told of from an earlier run.
#[derive(Default)]
struct Heard(Vec<bool>);

impl Watcher<Boards> for Heard {
    fn on_over(&mut self, _: Progress, _: &(Kernel, Cell), _: &Finding, reread: bool) -> bool {
        self.0.push(reread);
        true
    }
}

fn find(cells: &[(Kernel, Cell)], folder: &Path, heard: &mut Heard) -> Vec<Finding> {
    let engine = Engine { root: folder, resume: true, at_once: 2, stop: &|| false };
    engine.run(&Boards, cells, heard).unwrap()
}

/// LAB-68: what an earlier run left is told again as it was, unless something of it has changed.
fn is_not_started_again(cells: &[(Kernel, Cell)], folder: &Path, as_before: &[RtnetCase]) {
    let written = |name: &str| {
        let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        folders.map(|folder| folder.join(name).metadata().unwrap().modified().unwrap()).collect::<Vec<_>>()
    };
    let before = written("console.log");
    let mut heard = Heard::default();
    assert_eq!(cases(&find(cells, folder, &mut heard)), as_before);
    assert_eq!(heard.0, [true; 2]);
    assert_eq!(written("console.log"), before);
    let (kernel, cell) = &cells[0];
    let more = Cell { count: cell.count + 1, ..*cell };
    let identity = |cell: &Cell| cell.board(kernel).identity(&cell.plan()).unwrap();
    assert_ne!(identity(cell), identity(&more));
}

#[test]
fn the_plan_cuts_what_sending_costs_and_keeps_its_load() {
    let kernel = match Kernel::find(&boards_folder(), REALTIME_KERNELS[0]) {
        Ok(kernel) => kernel,
        Err(error) => {
            eprintln!("skipped: {error}");
            return;
        }
    };
    let study =
        Study { parts: vec![Part::Tuned], loads: vec![Load::Send], runs: 1, first_run: 0, count: COUNT };
    let cells: Vec<_> = study.cells().into_iter().map(|cell| (kernel.clone(), cell)).collect();
    let folder = tempfile::tempdir().unwrap();
    let findings = find(&cells, folder.path(), &mut Heard::default());
    let cases = cases(&findings);
    let faults: Vec<_> = findings.iter().filter_map(|finding| finding.run.as_ref().err()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    let (untuned, tuned) = (of(&cases, "untuned-other"), of(&cases, "tuned"));
    assert_eq!((tuned.n, tuned.rtt_n, tuned.lost), (u64::from(COUNT) - 20, u64::from(COUNT) - 20, 0));
    assert!(tuned.jitter_mean_ms * 4.0 < untuned.jitter_mean_ms, "{tuned:?} {untuned:?}");
    assert!(tuned.rtt_mean_ms * 4.0 < untuned.rtt_mean_ms, "{tuned:?} {untuned:?}");
    assert!(tuned.load_mbit > untuned.load_mbit * 0.9, "{tuned:?} {untuned:?}");
    is_not_started_again(&cells, folder.path(), &cases);
    // Samples came out whole: a header and as many lines as were sent.
    let kept = fs::read_dir(folder.path())
        .unwrap()
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("sent.csv")).ok());
    let lines: Vec<usize> = kept.map(|text| text.lines().count()).collect();
    assert_eq!(lines, [COUNT as usize + 1; 2]);
}
