//! The experiment on the kernel's Ethernet path, a short one: it runs, its samples come out, and the plan does what it is for.
use tokkyu_lab::board::{Kernel, REALTIME_KERNELS, boards_folder};
use tokkyu_lab::rtnet::{Part, Study, cases, run};
use tokkyu_measure::rtnet::{Load, RtnetCase};

/// The worst of so few is no claim; that the plan cuts means to a quarter or less is, in virtual time, far from any doubt.
const COUNT: u32 = 120;

fn of<'a>(cases: &'a [RtnetCase], config: &str) -> &'a RtnetCase {
    cases.iter().find(|case| case.config == config).unwrap_or_else(|| panic!("no {config} in {cases:?}"))
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
    let study = Study { parts: vec![Part::Tuned], loads: vec![Load::Send], runs: 1, count: COUNT };
    let cells: Vec<_> = study.cells().into_iter().map(|cell| (kernel.clone(), cell)).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut findings = Vec::new();
    let mut on_over = |_: &_, finding: Result<Option<_>, _>| findings.push(finding.unwrap().unwrap());
    run(&cells, folder.path(), 2, &mut on_over, &|| false);
    let cases = cases(&findings);
    let faults: Vec<_> = findings.iter().filter_map(|finding| finding.run.as_ref().err()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    let (untuned, tuned) = (of(&cases, "untuned-other"), of(&cases, "tuned"));
    assert_eq!((tuned.n, tuned.rtt_n, tuned.lost), (u64::from(COUNT) - 20, u64::from(COUNT) - 20, 0));
    assert!(tuned.jitter_mean_ms * 4.0 < untuned.jitter_mean_ms, "{tuned:?} {untuned:?}");
    assert!(tuned.rtt_mean_ms * 4.0 < untuned.rtt_mean_ms, "{tuned:?} {untuned:?}");
    assert!(tuned.load_mbit > untuned.load_mbit * 0.9, "{tuned:?} {untuned:?}");
    // Samples came out whole: a header and as many lines as were sent.
    let kept = std::fs::read_dir(folder.path())
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("sent.csv")).ok());
    let lines: Vec<usize> = kept.map(|text| text.lines().count()).collect();
    assert_eq!(lines, [COUNT as usize + 1; 2]);
}
