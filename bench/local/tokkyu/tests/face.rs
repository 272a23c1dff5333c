//! The programs as the lab sees them: command line, exit codes, records, summary (bench/local/SPEC.md). Nothing here waits for a time.

use std::fs;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, getsockname};
use nix::unistd::Pid;

const THREAD: &str = env!("CARGO_BIN_EXE_tokkyu-local-thread");
const OVERLOAD: &str = env!("CARGO_BIN_EXE_tokkyu-local-overload");

/// A folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn records(&self) -> PathBuf {
        self.0.join("records")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A good command line, with flags changed.
fn start(program: &str, folder: &Folder, changes: &[(&str, &str)]) -> Child {
    let records = folder.records().display().to_string();
    let good = [
        ("--bytes", "64"),
        ("--samples", "40"),
        ("--warm-up", "3"),
        ("--period-us", "1000"),
        ("--priority", "0"),
        ("--records", &records),
    ];
    let mut command = Command::new(program);
    let changed = |flag| changes.iter().find(|(other, _)| *other == flag).map(|(_, value)| *value);
    for (flag, value) in good {
        command.args([flag, changed(flag).unwrap_or(value)]);
    }
    if let Some(master) = changed("--master-uri") {
        command.args(["--master-uri", master]);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn run(program: &str, folder: &Folder, changes: &[(&str, &str)]) -> Output {
    start(program, folder, changes).wait_with_output().unwrap()
}

/// The records' lines, which are checked, and the summary's one line.
fn left(folder: &Folder, output: &Output) -> (Vec<Vec<u64>>, String) {
    let text = fs::read_to_string(folder.records()).unwrap();
    let mut lines = text.lines();
    let columns = lines.next().map_or(0, |header| header.split(' ').count());
    let rows: Vec<Vec<u64>> =
        lines.map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect()).collect();
    assert!(rows.iter().all(|row| row.len() == columns));
    assert!(
        rows.iter().enumerate().all(|(at, row)| row[0] == at as u64 && (row[2] == 0 || row[1] <= row[2]))
    );
    let summary = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(summary.matches('\n').count(), 1, "{summary:?}");
    (rows, summary)
}

fn number(summary: &str, name: &str) -> u64 {
    let (_, rest) = summary.split_once(&format!("\"{name}\":")).unwrap();
    rest.split([',', '}']).next().unwrap().parse().unwrap()
}

#[test]
fn a_flag_that_is_wrong_is_named_and_nothing_is_made() {
    let folder = Folder::new("usage");
    for program in [THREAD, OVERLOAD] {
        for (flag, value) in
            [("--bytes", "31"), ("--samples", "0"), ("--period-us", "99"), ("--priority", "100")]
        {
            let output = run(program, &folder, &[(flag, value)]);
            assert_eq!(output.status.code(), Some(2), "{flag} {value}");
            assert!(String::from_utf8_lossy(&output.stderr).contains(flag) && output.stdout.is_empty());
        }
    }
    assert!(!folder.records().exists());
}

#[test]
fn a_file_that_is_there_is_left_alone() {
    let folder = Folder::new("kept");
    fs::write(folder.records(), "dear to somebody").unwrap();
    for program in [THREAD, OVERLOAD] {
        let output = run(program, &folder, &[]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        assert!(String::from_utf8_lossy(&output.stderr).contains("--records"));
    }
    assert_eq!(fs::read_to_string(folder.records()).unwrap(), "dear to somebody");
}

#[test]
fn a_master_that_is_not_there_is_said_and_not_waited_for() {
    let folder = Folder::new("master");
    // Bound and not listened at: nobody answers there.
    let unused =
        nix::sys::socket::socket(AddressFamily::Inet, SockType::Stream, SockFlag::empty(), None).unwrap();
    bind(unused.as_raw_fd(), &SockaddrIn::new(127, 0, 0, 1, 0)).unwrap();
    let port = getsockname::<SockaddrIn>(unused.as_raw_fd()).unwrap().port();
    for uri in [format!("http://127.0.0.1:{port}"), "nonsense".to_owned()] {
        for program in [THREAD, OVERLOAD] {
            let output = run(program, &folder, &[("--master-uri", &uri)]);
            assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{uri}");
            assert!(String::from_utf8_lossy(&output.stderr).contains("--master-uri"), "{output:?}");
            assert!(!folder.records().exists());
        }
    }
}

#[test]
fn every_sample_is_recorded_in_order_and_none_is_sent_before_the_one_ahead_has_arrived() {
    for (bytes, period_us) in [("64", "1000"), ("262147", "100")] {
        let folder = Folder::new(bytes);
        let output = run(THREAD, &folder, &[("--bytes", bytes), ("--period-us", period_us)]);
        let (rows, summary) = left(&folder, &output);
        assert_eq!((output.status.code(), rows.len()), (Some(0), 40), "{output:?}");
        assert!(rows.windows(2).all(|pair| pair[1][1] >= pair[0][2]), "{rows:?}");
        let received = rows.iter().filter(|row| row[2] != 0).count() as u64;
        assert_eq!((number(&summary, "published"), number(&summary, "received")), (40, received));
        assert_eq!((number(&summary, "wrong"), number(&summary, "bytes")), (0, bytes.parse().unwrap()));
        assert!(summary.contains("\"peer\":\"tokkyu-thread\""), "{summary}");
    }
}

/// NODE-12 to NODE-14.
#[test]
fn a_subscriber_that_is_too_slow_loses_whole_samples_that_are_counted() {
    let folder = Folder::new("overload");
    let changes = [("--bytes", "100000"), ("--samples", "600"), ("--period-us", "200")];
    let output = run(OVERLOAD, &folder, &changes);
    let (rows, summary) = left(&folder, &output);
    assert_eq!((output.status.code(), rows.len()), (Some(0), 600), "{output:?}");
    let [published, got, dropped] = ["published", "got", "dropped"].map(|name| number(&summary, name));
    assert_eq!((published, got + dropped, number(&summary, "torn")), (603, 603, 0), "{summary}");
    assert!(dropped > 0, "the subscriber was not too slow: {summary}");
}

#[test]
fn an_interrupted_run_writes_what_there_is() {
    for program in [THREAD, OVERLOAD] {
        let folder = Folder::new("interrupted");
        let child = start(program, &folder, &[("--samples", "100000"), ("--warm-up", "0")]);
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        // Its file is made once signals are blocked: from then on it ends in order.
        while !folder.records().exists() {
            std::thread::yield_now();
        }
        kill(pid, Signal::SIGTERM).unwrap();
        let output = child.wait_with_output().unwrap();
        let (rows, summary) = left(&folder, &output);
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert!(rows.len() < 100_000 && number(&summary, "published") >= rows.len() as u64, "{summary}");
    }
}
