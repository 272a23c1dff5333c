//! What running a cell takes: one start of a peer's program, whose two ends measure themselves.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tokkyu_measure::Sources;
use tokkyu_measure::local::Kind;

use super::error::LocalError;
use super::findings::{Finding, Measured};
use super::master::Master;
use super::program::{Ended, Program, Told};
use super::records;
use super::study::Cell;
use super::summary::{OverloadSummary, Summary};
use crate::study::{Hashes, Identity, Stage};

/// The peers' programs on this machine, one at a time.
#[derive(Debug)]
pub struct Programs<'a> {
    /// Folder of the run.
    pub root: &'a Path,
    /// For those who need one.
    pub master: Option<&'a Master>,
    hashes: Hashes,
}

impl<'a> Programs<'a> {
    /// With records below `root`.
    pub fn new(root: &'a Path, master: Option<&'a Master>) -> Programs<'a> {
        Programs { root, master, hashes: Hashes::default() }
    }
}

impl Stage for Programs<'_> {
    type Cell = Cell;
    type Found = Finding;
    type Error = LocalError;

    fn name(&self, cell: &Cell) -> String {
        format!("round {}, {}, {}", cell.round + 1, cell.peer(), cell.size)
    }

    fn folder(&self, cell: &Cell) -> PathBuf {
        PathBuf::from(format!("round{}", cell.round + 1)).join(cell.file_name())
    }

    fn expected(&self, cell: &Cell) -> Option<Duration> {
        Some(cell.expected())
    }

    fn identity(&self, cell: &Cell) -> Result<Identity, LocalError> {
        let program = &cell.found.program;
        let start = |source| LocalError::Start { path: program.clone(), source };
        let hash = self.hashes.of(program).map_err(start)?;
        let Cell { size, round, samples, warm_up, period, priority, .. } = cell;
        let asked = format!("{} {size} {round} {samples} {warm_up} {period:?} {priority}", cell.peer());
        Ok(Identity::of(&[hash.as_bytes(), asked.as_bytes()]))
    }

    fn discard(&self, _: &Cell, folder: &Path) {
        let Files { records, summary, words } = Files::of(folder);
        // What is not there need not go.
        [records, summary, words].iter().for_each(|file| drop(fs::remove_file(file)));
    }

    fn reread(&self, cell: &Cell, folder: &Path) -> Option<Finding> {
        let files = Files::of(folder);
        let measured = read(cell, &files).ok()?;
        Some(self.finding(cell, &files, None, Ok(measured)))
    }

    fn run(
        &self,
        cell: &Cell,
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Finding>, LocalError> {
        let files = Files::of(folder);
        let load_average = Sources::default().load_average();
        let program = Program::start(command(cell, self, &files)?);
        let start = |source| LocalError::Start { path: cell.found.program.clone(), source };
        let most = MEETING + cell.expected() * LATER;
        let ended = program.map_err(start)?.wait(most, &|| stop()).map_err(start)?;
        if ended.told == Some(Told::Stopped) || ended.status.code() == Some(INTERRUPTED) {
            return Ok(None);
        }
        let measured = match failure(ended, &files) {
            Some(fault) => Err(fault),
            None => read(cell, &files),
        };
        files.forget_silence();
        Ok(Some(self.finding(cell, &files, load_average, measured)))
    }

    fn is_whole(&self, found: &Finding) -> bool {
        found.measured.is_ok()
    }

    fn refused(&self, folder: &Path, source: io::Error) -> LocalError {
        LocalError::Folder { path: folder.to_path_buf(), source }
    }
}

impl Programs<'_> {
    fn finding(
        &self,
        cell: &Cell,
        files: &Files,
        load_average: Option<f64>,
        measured: Result<Measured, String>,
    ) -> Finding {
        let records = files.records.strip_prefix(self.root).unwrap_or(&files.records).to_path_buf();
        Finding { cell: cell.clone(), records, load_average, measured }
    }
}

/// Exit code of a peer that was interrupted and kept what it had measured.
const INTERRUPTED: i32 = 130;
/// A run that takes so much longer than it should is ended: beside a busy machine, or with many samples lost.
const LATER: u32 = 4;
const MEETING: Duration = Duration::from_secs(60);
/// Of what a program said, told when it failed.
const LAST_WORDS: usize = 400;

/// What a cell leaves.
struct Files {
    records: PathBuf,
    summary: PathBuf,
    words: PathBuf,
}

impl Files {
    fn of(folder: &Path) -> Files {
        let [records, summary, words] =
            ["records.txt", "summary.json", "words.log"].map(|name| folder.join(name));
        Files { records, summary, words }
    }

    /// Who said nothing needs no file for it.
    fn forget_silence(&self) {
        if fs::metadata(&self.words).is_ok_and(|words| words.len() == 0) {
            let _ = fs::remove_file(&self.words);
        }
    }
}

fn command(cell: &Cell, place: &Programs<'_>, files: &Files) -> Result<Command, LocalError> {
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
    let times = records::times(&files.records, cell.period).map_err(|error| error.to_string())?;
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

#[cfg(test)]
mod tests {
    use super::super::study::tests::{found, study};
    use super::*;
    use tokkyu_measure::local::Size;

    /// What a program that left this is said to have measured; a cell of 300 samples of 64 bytes.
    fn read_of(name: &str, records: &str, summary: &str) -> Result<Measured, String> {
        let folder = tempfile::tempdir().unwrap();
        let cell = study(&[name]).cells(0).into_iter().find(|cell| cell.size == Size::SMALL).unwrap();
        let files = Files::of(folder.path());
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
        let finding =
            Programs::new(folder.path(), None).run(cell, folder.path(), &|| false).unwrap().unwrap();
        let fault = finding.measured.unwrap_err();
        assert!(fault.contains("exit status: 1") && fault.contains("lower --bytes"), "{fault}");
    }
}
