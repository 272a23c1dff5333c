//! Runs the cells of a study, one after the other, and reads what each left.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use tokkyu_measure::Sources;

use super::error::LocalError;
use super::findings::{Finding, Measured};
use super::master::Master;
use super::peers::Kind;
use super::program::{Ended, Program, Told};
use super::records;
use super::result::RoundTold;
use super::study::{Cell, Study};
use super::summary::{OverloadSummary, Summary};

/// Where a run is made.
#[derive(Debug)]
pub struct Place<'a> {
    /// For records, a folder for each round.
    pub root: &'a Path,
    /// Of the programs.
    pub peers: &'a Path,
    /// For those who need one.
    pub master: Option<&'a Master>,
}

/// Hears of each cell when it is over.
pub trait Watcher {
    /// `number` of `of`, from 1.
    fn on_over(&mut self, number: usize, of: usize, finding: &Finding);
}

/// Exit code of a peer that was interrupted and kept what it had measured.
const INTERRUPTED: i32 = 130;
/// A run that takes so much longer than it should is ended: beside a busy machine, or with many samples lost.
const LATER: u32 = 4;
const MEETING: Duration = Duration::from_secs(60);
/// Of what a program said, told when it failed.
const LAST_WORDS: usize = 400;

/// Runs all rounds. Ends early, with what there is, when `stop` says so; a cell that was interrupted is in no figure.
///
/// # Errors
/// [`LocalError`]: no cell could be run. One that failed is a finding.
pub fn run(
    study: &Study,
    place: &Place<'_>,
    watcher: &mut dyn Watcher,
    stop: &dyn Fn() -> bool,
) -> Result<(Vec<Finding>, Vec<RoundTold>), LocalError> {
    let _alone = Alone::take(place.peers)?;
    let (mut findings, mut rounds) = (Vec::new(), Vec::new());
    for round in 0..study.rounds {
        let cells = study.cells(round);
        let of = cells.len() * study.rounds as usize;
        let order = cells.iter().map(Cell::file_name).collect();
        rounds.push(RoundTold { round, load_average: Sources::default().load_average(), order });
        for cell in &cells {
            if stop() {
                return Ok((findings, rounds));
            }
            if let Some(finding) = run_cell(cell, place, stop)? {
                watcher.on_over(findings.len() + 1, of, &finding);
                findings.push(finding);
            }
        }
    }
    Ok((findings, rounds))
}

/// Nothing if it was interrupted.
fn run_cell(cell: &Cell, place: &Place<'_>, stop: &dyn Fn() -> bool) -> Result<Option<Finding>, LocalError> {
    let files = Files::of(cell, place.root)?;
    let program = Program::start(command(cell, place, &files)?);
    let start = |source| LocalError::Start { path: cell.found.program.clone(), source };
    let ended = program.map_err(start)?.wait(MEETING + cell.expected() * LATER, stop).map_err(start)?;
    if ended.told == Some(Told::Stopped) || ended.status.code() == Some(INTERRUPTED) {
        return Ok(None);
    }
    let measured = match failure(ended, &files) {
        Some(fault) => Err(fault),
        None => read(cell, &files),
    };
    files.forget_silence();
    let records = files.records.strip_prefix(place.root).unwrap_or(&files.records).to_path_buf();
    Ok(Some(Finding { cell: cell.clone(), records, measured }))
}

/// What a cell leaves.
struct Files {
    records: PathBuf,
    summary: PathBuf,
    words: PathBuf,
}

impl Files {
    fn of(cell: &Cell, root: &Path) -> Result<Files, LocalError> {
        let folder = root.join(format!("round{}", cell.round + 1));
        fs::create_dir_all(&folder).map_err(|source| LocalError::Folder { path: folder.clone(), source })?;
        let [records, summary, words] =
            ["txt", "json", "log"].map(|ending| folder.join(format!("{}.{ending}", cell.file_name())));
        Ok(Files { records, summary, words })
    }

    /// Who said nothing needs no file for it.
    fn forget_silence(&self) {
        if fs::metadata(&self.words).is_ok_and(|words| words.len() == 0) {
            let _ = fs::remove_file(&self.words);
        }
    }
}

fn command(cell: &Cell, place: &Place<'_>, files: &Files) -> Result<Command, LocalError> {
    let file = |path: &Path| {
        File::create(path).map_err(|source| LocalError::Folder { path: path.to_path_buf(), source })
    };
    let mut command = Command::new(&cell.found.program);
    let mut flag = |name: &str, value: OsString| {
        command.arg(name).arg(value);
    };
    flag("--bytes", cell.size.bytes().to_string().into());
    flag("--samples", cell.samples.to_string().into());
    flag("--warm-up", cell.warm_up.to_string().into());
    flag("--period-us", cell.period.as_micros().to_string().into());
    flag("--priority", cell.priority.to_string().into());
    flag("--records", files.records.clone().into());
    if let Some(master) = place.master.filter(|_| cell.peer().needs_master()) {
        flag("--master-uri", master.uri().into());
    }
    // Of whoever started the lab: names and addresses are the run's own, and so are roscpp's logs.
    for name in ["ROS_NAMESPACE", "ROS_IP", "ROS_HOSTNAME", "TOKKYU_ROBOT"] {
        command.env_remove(name);
    }
    command.env("ROS_LOG_DIR", ros_logs(place.root));
    command.stdout(file(&files.summary)?).stderr(file(&files.words)?);
    Ok(command)
}

/// Where roscpp and rosmaster write their logs.
pub fn ros_logs(root: &Path) -> PathBuf {
    root.join("ros")
}

/// How a program failed, with its last words.
fn failure(ended: Ended, files: &Files) -> Option<String> {
    let how = match (ended.told, ended.status.success()) {
        (Some(_), _) => "it took far too long, and was ended".to_owned(),
        (None, true) => return None,
        (None, false) => ended.status.to_string(),
    };
    let words = fs::read(&files.words).unwrap_or_default();
    let words = String::from_utf8_lossy(&words[words.len().saturating_sub(LAST_WORDS)..]).trim().to_owned();
    Some(if words.is_empty() { how } else { format!("{how}: {words}") })
}

/// What the program measured, if all that it left agrees.
fn read(cell: &Cell, files: &Files) -> Result<Measured, String> {
    let output = fs::read_to_string(&files.summary).map_err(|error| format!("its summary: {error}"))?;
    if cell.peer().kind() == Kind::Overload {
        let times = records::overload_times(&files.records).map_err(|error| error.to_string())?;
        let summary = OverloadSummary::read(&output)?;
        let all = u64::from(cell.samples + cell.warm_up);
        agree("peer", summary.peer.as_str(), cell.peer().as_str())?;
        agree("bytes", summary.bytes, u64::from(cell.size.bytes()))?;
        agree("published", summary.published, all)?;
        agree("number of records", times.calls.n(), u64::from(cell.samples))?;
        return Ok(Measured::Overload { times, summary });
    }
    let times = records::times(&files.records).map_err(|error| error.to_string())?;
    let summary = Summary::read(&output)?;
    agree("peer", summary.peer.as_str(), cell.peer().as_str())?;
    agree("bytes", summary.bytes, u64::from(cell.size.bytes()))?;
    agree("published", summary.published, u64::from(cell.samples))?;
    agree("number of records", times.published(), summary.published)?;
    agree("received", summary.received, times.figures.n())?;
    agree("wrong", summary.wrong, 0)?;
    Ok(Measured::Latency { times, summary })
}

fn agree<T: PartialEq + std::fmt::Display>(what: &str, found: T, wanted: T) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{what} is {found}, and not {wanted}")) }
}

/// LOCAL-25: one run at a time. A lock on the folder leaves no file, and ends with the process.
///
/// It is unlocked, not only closed: a program that another thread is about to start has the descriptor too, from its `fork` until its
/// `exec`, and the lock would last as long.
struct Alone {
    _folder: Flock<File>,
}

impl Alone {
    fn take(folder: &Path) -> Result<Alone, LocalError> {
        let path = || folder.to_path_buf();
        let failed = |source| LocalError::Folder { path: path(), source };
        let folder = File::open(folder).map_err(failed)?;
        match Flock::lock(folder, FlockArg::LockExclusiveNonblock) {
            Ok(folder) => Ok(Alone { _folder: folder }),
            Err((_, Errno::EWOULDBLOCK)) => Err(LocalError::Busy { path: path() }),
            Err((_, error)) => Err(failed(error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::study::tests::{found, study};
    use super::*;
    use crate::local::Size;

    /// What a program that left this is said to have measured; a cell of 300 samples of 64 bytes.
    fn read_of(name: &str, records: &str, summary: &str) -> Result<Measured, String> {
        let folder = tempfile::tempdir().unwrap();
        let cell = study(&[name]).cells(0).into_iter().find(|cell| cell.size == Size::SMALL).unwrap();
        let files = Files::of(&cell, folder.path()).unwrap();
        fs::write(&files.records, records).unwrap();
        fs::write(&files.summary, summary).unwrap();
        read(&cell, &files)
    }

    fn records(lines: u32) -> String {
        let line = |number| format!("{number} 1000 {} 1500\n", if number == 7 { 0 } else { 3000 });
        format!("sequence sent_ns received_ns returned_ns\n{}", (0..lines).map(line).collect::<String>())
    }

    fn summary(published: u32, received: u32, wrong: u32) -> String {
        format!(
            "{{\"peer\":\"iceoryx\",\"bytes\":64,\"copies\":0,\"processes\":2,\"published\":{published},\"received\":{received},\
             \"wrong\":{wrong},\"library\":\"iceoryx\",\"version\":\"2\"}}\n"
        )
    }

    #[test]
    fn what_a_program_left_counts_if_all_of_it_agrees() {
        let measured = read_of("iceoryx", &records(300), &summary(300, 299, 0)).unwrap();
        assert!(matches!(measured, Measured::Latency { times, .. } if times.lost == 1));
        for (name, lines, summary, told) in [
            ("iceoryx", 300, summary(300, 300, 0), "received"),
            ("iceoryx", 299, summary(300, 298, 0), "number of records"),
            ("iceoryx", 299, summary(299, 298, 0), "published"),
            ("iceoryx", 300, summary(300, 299, 2), "wrong"),
            ("iceoryx2", 300, summary(300, 299, 0), "peer"),
        ] {
            let error = read_of(name, &records(lines), &summary).unwrap_err();
            assert!(error.starts_with(told), "{error}");
        }
    }

    #[test]
    fn one_run_uses_the_peers_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = Alone::take(folder.path()).unwrap();
        assert!(matches!(Alone::take(folder.path()), Err(LocalError::Busy { .. })));
        // As a program has it that another thread is about to start.
        let copy = first._folder.try_clone().unwrap();
        drop(first);
        assert!(Alone::take(folder.path()).is_ok());
        drop(copy);
    }

    #[test]
    fn a_program_that_fails_is_a_finding_with_its_last_words() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("fails");
        fs::write(&program, "#!/bin/sh\necho 'no memory for the message (lower --bytes)' >&2\nexit 1\n")
            .unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&program, mode).unwrap();
        let mut study = study(&["iceoryx"]);
        study.peers = vec![super::super::peers::Found { program, ..found("iceoryx") }];
        let cell = &study.cells(0)[0];
        let place = Place { root: folder.path(), peers: folder.path(), master: None };
        let finding = run_cell(cell, &place, &|| false).unwrap().unwrap();
        let fault = finding.measured.unwrap_err();
        assert!(fault.contains("exit status: 1") && fault.contains("lower --bytes"), "{fault}");
    }
}
