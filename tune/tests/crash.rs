//! A tuner that is killed: what it had done is taken back by the next, wherever it was.
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use tokkyu_tune::{
    Change, Finding, Host, Journals, Plan, Setting, State, Step, StepName, TuneError, Was, Wish, apply, find,
    repair, revert, status,
};

const FOLDER: &str = "TOKKYU_TUNE_TEST_FOLDER";
/// By name of the setting's file: before, after.
const VALUES: [(&str, &str, &str); 3] = [("a", "1", "10"), ("b", "2", "20"), ("c", "3", "30")];
/// A tenth of this is usual on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// Changes of files in place of the kernel's; the device is loopback, of which nothing is changed.
fn finding(folder: &Path) -> Finding {
    let changes = VALUES.map(|(name, _, new)| Change {
        setting: Setting::File { path: path(folder, name) },
        value: new.to_owned(),
    });
    let step =
        Step { step: StepName::Bql, changes: changes.into(), why: String::new(), expect: String::new() };
    let host: Host = find("lo", &Wish::default()).unwrap().host;
    Finding { host, plan: Plan { steps: vec![step], ..Plan::default() } }
}

fn write_old(folder: &Path) {
    VALUES.iter().for_each(|(name, old, _)| fs::write(folder.join(name), old).unwrap());
}

fn values(folder: &Path) -> Vec<String> {
    VALUES.iter().map(|(name, ..)| fs::read_to_string(folder.join(name)).unwrap()).collect()
}

fn old() -> Vec<String> {
    VALUES.iter().map(|(_, old, _)| (*old).to_owned()).collect()
}

#[test]
fn what_was_set_is_told_kept_repaired_and_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let journals = Journals::at(&folder.join("journal"));
    write_old(folder);
    let journal = apply(&finding(folder), &journals).unwrap();
    assert_eq!((journal.entries.len(), values(folder)), (3, vec!["10".into(), "20".into(), "30".into()]));
    assert!(matches!(apply(&finding(folder), &journals), Err(TuneError::Tuned(_))));
    assert!(status("lo", &journals).unwrap().iter().all(|compared| compared.is_kept()));

    fs::write(folder.join("b"), "7").unwrap();
    let changed: Vec<bool> =
        status("lo", &journals).unwrap().iter().map(|compared| compared.is_kept()).collect();
    assert_eq!(changed, [true, false, true]);
    assert_eq!(repair("lo", &journals).unwrap().len(), 1);
    assert_eq!(values(folder)[1], "20");

    fs::write(folder.join("a"), "8").unwrap();
    fs::remove_file(folder.join("c")).unwrap();
    let was: Vec<Was> = revert("lo", &journals).unwrap().into_iter().map(|one| one.was).collect();
    // Last change first: gone, ours, somebody else's.
    assert_eq!(was, [Was::Gone, Was::Restored, Was::Changed("8".to_owned())]);
    assert!(matches!(revert("lo", &journals), Err(TuneError::NotTuned(_))));
}

#[test]
fn a_change_that_fails_takes_those_before_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let journals = Journals::at(&folder.join("journal"));
    write_old(folder);
    fs::remove_file(folder.join("c")).unwrap();
    let error = apply(&finding(folder), &journals).unwrap_err().to_string();
    assert!(error.contains("/c: "), "{error}");
    write_old_of(folder, "c");
    assert_eq!(values(folder), old());
    assert_eq!(journals.of("lo").unwrap(), None);
}

/// As a driver that clamps what it is given.
#[test]
fn a_value_that_is_not_kept_takes_those_before_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let journals = Journals::at(&folder.join("journal"));
    write_old(folder);
    let mut finding = finding(folder);
    finding.plan.steps[0].changes[2].setting = Setting::File { path: "/dev/null".to_owned() };
    let error = apply(&finding, &journals).unwrap_err();
    assert!(
        matches!(&error, TuneError::NotKept { wanted, found, .. } if wanted == "30" && found.is_empty()),
        "{error}"
    );
    assert_eq!(values(folder), old());
    assert_eq!(journals.of("lo").unwrap(), None);
}

fn write_old_of(folder: &Path, name: &str) {
    let (_, old, _) = VALUES.iter().find(|(known, ..)| *known == name).unwrap();
    fs::write(folder.join(name), old).unwrap();
}

/// Killed with a change intended and not written: a FIFO that nobody reads holds it there.
#[test]
fn a_tuner_that_was_killed_left_what_the_next_takes_back() {
    for (done, stuck) in [(0, "a"), (1, "b"), (2, "c")] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write_old(folder);
        fs::remove_file(folder.join(stuck)).unwrap();
        nix::unistd::mkfifo(&folder.join(stuck), Mode::S_IRWXU).unwrap();
        let mut tuner = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "act_as_a_tuner_until_killed", "--nocapture"])
            .env(FOLDER, folder)
            .spawn()
            .unwrap();
        // The old value, which the tuner waits for; then it is alone with the FIFO.
        fs::write(folder.join(stuck), VALUES[done].1).unwrap();
        let journals = Journals::at(&folder.join("journal"));
        wait_for(&journals, done);
        tuner.kill().unwrap();
        tuner.wait().unwrap();
        fs::remove_file(folder.join(stuck)).unwrap();
        write_old_of(folder, stuck);
        assert_eq!(values(folder) == old(), done == 0);
        revert("lo", &journals).unwrap();
        assert_eq!(values(folder), old());
    }
}

/// Until so many changes are done, and one more is intended.
fn wait_for(journals: &Journals, done: usize) {
    let begun = Instant::now();
    let states = || -> Vec<State> {
        journals
            .of("lo")
            .unwrap()
            .map_or(Vec::new(), |journal| journal.entries.iter().map(|entry| entry.state).collect())
    };
    while states().len() <= done {
        assert!(begun.elapsed() < PATIENCE, "{:?}", states());
        sleep(Duration::from_millis(5));
    }
    assert_eq!(states()[done], State::Intended);
    assert!(states()[..done].iter().all(|state| *state == State::Done));
}

/// No test by itself.
#[test]
fn act_as_a_tuner_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        println!("skipped: no test by itself: another test starts it as a process and kills it");
        return;
    };
    let folder = Path::new(&folder);
    let _ = apply(&finding(folder), &Journals::at(&folder.join("journal")));
    unreachable!("it is held by a FIFO");
}
