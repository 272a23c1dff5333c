//! Other processes: the test's own program once more, which runs the same test in another part.
//!
//! Both ends speak in lines over a socket that is the child's standard input.
#![allow(dead_code, reason = "each test program uses some of it")]

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

const PART: &str = "TOKKYU_TEST_PART";
const GROUP: &str = "TOKKYU_PROCESS_GROUP";

/// One end of the talk.
pub struct Talk {
    from: BufReader<UnixStream>,
    to: UnixStream,
}

impl Talk {
    fn new(to: UnixStream) -> Talk {
        Talk { from: BufReader::new(to.try_clone().unwrap()), to }
    }

    pub fn say(&mut self, line: impl std::fmt::Display) {
        // The other may have died: whoever waits for its answer finds out.
        let _ = writeln!(self.to, "{line}");
    }

    /// `None`: the other has ended.
    pub fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.from.read_line(&mut line).unwrap_or(0);
        (read > 0).then(|| line.trim_end().into())
    }

    pub fn expect(&mut self, wanted: &str) {
        assert_eq!(self.hear().as_deref(), Some(wanted));
    }

    /// What the other says as a number.
    pub fn number(&mut self) -> u64 {
        let line = self.hear().expect("the other has ended");
        line.parse().unwrap_or_else(|_| panic!("{line:?} is no number"))
    }
}

/// The part that this process is to play, and the one it plays it for. `None` in the test itself.
pub fn part() -> Option<(String, Talk)> {
    let part = std::env::var(PART).ok()?;
    let socket = std::io::stdin().as_fd().try_clone_to_owned().unwrap();
    Some((part, Talk::new(UnixStream::from(socket))))
}

/// A process of the test's. Killed when it is dropped.
pub struct Peer {
    process: Child,
    pub talk: Talk,
}

impl Peer {
    /// Runs the test `name` as `part`, with topics of `group`.
    pub fn start(name: &str, part: &str, group: &str) -> Peer {
        Peer::start_by(Command::new(std::env::current_exe().unwrap()), name, part, group)
    }

    /// The same, with a program in front that runs it.
    pub fn start_by(mut program: Command, name: &str, part: &str, group: &str) -> Peer {
        let (here, there) = UnixStream::pair().unwrap();
        let process = program
            .args(["--exact", name, "--nocapture", "--test-threads=1"])
            .env(PART, part)
            .env(GROUP, group)
            .stdin(Stdio::from(OwnedFd::from(there)))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Peer { process, talk: Talk::new(here) }
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// SIGKILL, and it is gone.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        assert_eq!(self.process.wait().unwrap().signal(), Some(9), "it ended by itself before");
    }

    /// It has played its part.
    pub fn end(mut self) {
        let _ = self.talk.to.shutdown(std::net::Shutdown::Both);
        let status = self.process.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A group of processes that no other test has. What is left of it in `/dev/shm` goes with it.
pub struct Group(pub String);

impl Group {
    pub fn new() -> Group {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        Group(format!("t{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// All that processes have left is an hour old.
    pub fn age(&self) {
        age(&format!("/dev/shm/tokkyu-{}", self.0), SystemTime::now() - Duration::from_secs(3600));
    }

    /// Files of the group: slots, queues, and what says which processes and topics there are.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let prefix = format!("tokkyu_{}_", self.0);
        for entry in std::fs::read_dir("/dev/shm").unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&prefix) {
                found.push(name);
            }
        }
        files_below(&format!("/dev/shm/tokkyu-{}", self.0), &mut found);
        found
    }
}

fn age(folder: &str, then: SystemTime) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            age(entry.path().to_str().unwrap(), then);
        }
        File::open(entry.path()).unwrap().set_modified(then).unwrap();
    }
}

fn files_below(folder: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path().to_string_lossy().into_owned();
        if entry.file_type().unwrap().is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(format!("/dev/shm/tokkyu-{}", self.0));
        let prefix = format!("tokkyu_{}_", self.0);
        for entry in std::fs::read_dir("/dev/shm").into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}
