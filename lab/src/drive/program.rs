//! One of the programs of a real run: started, listened to, ended within bounds, and its processor time read.
//!
//! Runs in the lab's thread; threads of their own read what the program says. Nothing here waits, but for the last words
//! of a program that has ended (at most 200 ms): [`Program::look`] asks the kernel whether the program has ended. Each program leads a process group, so that
//! Ctrl-C in the terminal reaches the lab alone, which ends all in order, and so that what a program started is killed
//! with it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::mem::zeroed;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokkyu_contract::MonoTime;

use crate::wire::End;

use super::error::DriveError;
use super::network::Network;

/// Longest line of a program's output that is taken; the rest of a longer one is dropped.
const LINE_MAX_BYTES: u64 = 256 * 1024;
/// How many of a program's last lines are told.
const LAST_LINES: usize = 6;
/// How long to wait for them: what the program has started may hold the pipe open for ever.
const WORDS_WAIT: Duration = Duration::from_millis(5);
const WORDS_LOOKS: u32 = 40;

/// Exit code of a program that was interrupted and kept what it had measured.
const INTERRUPTED: i32 = 130;

/// A line a program wrote on its standard output.
pub(super) type Line = (End, String);

/// A running or ended program.
pub(super) struct Program {
    pub(super) end: End,
    /// What it is called in messages, e.g. `tokkyu vehicle`.
    pub(super) name: String,
    /// It ends when it is told to, and not before.
    pub(super) stays: bool,
    pid: Pid,
    words: Words,
    pub(super) ended: Option<Ended>,
}

/// A program that is to be started.
pub(super) struct Launch {
    pub(super) end: End,
    pub(super) command: Command,
    /// Where what it says on standard error is kept.
    pub(super) log: PathBuf,
    /// Who hears the lines of its standard output, if anybody does.
    pub(super) lines: Option<SyncSender<Line>>,
    /// It ends when it is told to, and not before.
    pub(super) stays: bool,
}

impl Launch {
    /// A program that ends by itself, and that nobody hears.
    pub(super) fn of(end: End, command: Command, log: PathBuf) -> Launch {
        Launch { end, command, log, lines: None, stays: false }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// Processor time of all its threads, and of the programs it had started and waited for.
    pub(super) cpu: Duration,
    pub(super) at: MonoTime,
}

impl Program {
    /// Starts a program at its end.
    pub(super) fn start(network: &Network, launch: Launch) -> Result<Program, DriveError> {
        let Launch { end, mut command, log, lines, stays } = launch;
        let output = if lines.is_some() { Stdio::piped() } else { Stdio::null() };
        command.stdin(Stdio::null()).stdout(output).stderr(Stdio::piped()).process_group(0);
        let name = name_of(&command);
        let mut child = network.spawn(end, command)?;
        let pid = pid_of(&child);
        let mut program = Program { end, name, stays, pid, words: Words::default(), ended: None };
        if let (Some(lines), Some(output)) = (lines, child.stdout.take()) {
            // A line the lab has no time for is dropped: the next one says more.
            listen(output, move |line| drop(lines.try_send((end, line))))?;
        }
        if let Some(errors) = child.stderr.take() {
            program.words.hear(errors, log)?;
        }
        Ok(program)
    }

    /// Sees whether the program has ended. Returns at once.
    pub(super) fn look(&mut self, now: MonoTime) {
        if self.ended.is_none() {
            self.ended = reap(self.pid, libc::WNOHANG, now);
        }
    }

    /// Sends a signal to the program and all it has started. Harmless once it has ended.
    pub(super) fn signal(&self, signal: Signal) {
        if self.ended.is_none() {
            // It may end at this very moment: it is not reaped yet, so the number is still its own.
            let _ = killpg(self.pid, signal);
        }
    }

    /// How it ended and its last words, if it ended other than well. `None` also while it runs.
    pub(super) fn failure(&self) -> Option<String> {
        let status = self.ended?.status;
        if status.success() {
            return None;
        }
        let how = match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => status.to_string(),
        };
        let words = self.words.last();
        let said = if words.is_empty() { "; it said nothing".to_owned() } else { format!(": {words}") };
        Some(format!("{} ended with {how}{said}", self.name))
    }

    /// Its exit code; `None` while it runs, and when a signal ended it.
    pub(super) fn exit_code(&self) -> Option<i32> {
        self.ended?.status.code()
    }

    /// Whether it ended because it was told to: by its exit code, or by the signal itself where that came before it
    /// listened to signals.
    pub(super) fn was_interrupted(&self) -> bool {
        let status = self.ended.map(|ended| ended.status);
        status.is_some_and(|status| {
            status.code() == Some(INTERRUPTED) || status.signal() == Some(libc::SIGTERM)
        })
    }
}

impl Drop for Program {
    /// A program never outlives its run: an error on the way kills it, and waits for it.
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.signal(Signal::SIGKILL);
            self.ended = reap(self.pid, 0, MonoTime::ZERO);
        }
    }
}

/// The program's file name and the words before its flags, which say what it does and which end it is.
fn name_of(command: &Command) -> String {
    let file = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy();
    let words = command.get_args().map(|word| word.to_string_lossy());
    words.take_while(|word| !word.starts_with('-')).fold(file.into_owned(), |name, word| name + " " + &word)
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).expect("Linux process ids fit 22 bits"))
}

/// Waits for the program with its processor time, which [`Child`] cannot tell.
fn reap(pid: Pid, flags: i32, at: MonoTime) -> Option<Ended> {
    let mut status = 0;
    // SAFETY: rusage is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { zeroed() };
    loop {
        // SAFETY: both pointers are to live values of the types wait4(2) writes.
        match unsafe { libc::wait4(pid.as_raw(), &mut status, flags, &mut usage) } {
            0 => return None,
            -1 if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            // Nothing to wait for: somebody else took the status. What is left to tell is that it is gone.
            -1 => {
                return Some(Ended { status: ExitStatus::from_raw(libc::SIGKILL), cpu: Duration::ZERO, at });
            }
            _ => {
                let cpu = span(usage.ru_utime) + span(usage.ru_stime);
                return Some(Ended { status: ExitStatus::from_raw(status), cpu, at });
            }
        }
    }
}

fn span(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_usec.unsigned_abs() as u32 * 1_000)
}

/// What a program said on standard error: the last lines at hand, all of them in a log once there is one. A disk that
/// refuses the log does not take the last words, which may be about that disk.
#[derive(Default)]
struct Words {
    last: Arc<Mutex<VecDeque<String>>>,
    reader: Option<JoinHandle<()>>,
}

impl Words {
    fn hear(&mut self, errors: ChildStderr, log: PathBuf) -> Result<(), DriveError> {
        let last = Arc::clone(&self.last);
        let mut file = None;
        let heard = move |line: String| {
            let file = file.get_or_insert_with(|| File::create(&log).ok());
            if let Some(file) = file {
                let _ = writeln!(file, "{line}");
            }
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if !line.trim().is_empty() {
                last.push_back(line);
            }
            while last.len() > LAST_LINES {
                last.pop_front();
            }
        };
        self.reader = Some(listen(errors, heard)?);
        Ok(())
    }

    /// The last lines, joined by ` / `; waits a moment for what is still in the pipe of a program that has ended.
    fn last(&self) -> String {
        let unread = || self.reader.as_ref().is_some_and(|reader| !reader.is_finished());
        for _ in 0..WORDS_LOOKS {
            if !unread() {
                break;
            }
            std::thread::sleep(WORDS_WAIT);
        }
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" / ")
    }
}

/// Reads lines on a thread of its own until the other end closes.
fn listen(
    from: impl Read + Send + 'static,
    mut heard: impl FnMut(String) + Send + 'static,
) -> Result<JoinHandle<()>, DriveError> {
    let read = move || {
        let mut reader = BufReader::new(from);
        while let Some(line) = next_line(&mut reader) {
            heard(line);
        }
    };
    std::thread::Builder::new().name("hear-program".to_owned()).spawn(read).map_err(DriveError::Thread)
}

fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    match reader.by_ref().take(LINE_MAX_BYTES).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&line).trim_end().to_owned()),
    }
}

#[cfg(test)]
impl Program {
    /// One that has ended, for tests of those who look on.
    pub(super) fn past(end: End, exit_code: i32, at: MonoTime) -> Program {
        let status = ExitStatus::from_raw(exit_code << 8);
        let ended = Some(Ended { status, cpu: Duration::ZERO, at });
        let (name, words) = ("program".to_owned(), Words::default());
        Program { end, name, stays: false, pid: Pid::from_raw(0), words, ended }
    }

    /// One that runs; it must lead a process group.
    pub(super) fn running(end: End, child: &Child) -> Program {
        let (name, words) = ("program".to_owned(), Words::default());
        Program { end, name, stays: false, pid: pid_of(child), words, ended: None }
    }
}

#[cfg(test)]
// Reaped by its number, as the code under test does it.
#[expect(clippy::zombie_processes)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_line_without_end_is_cut_and_not_gathered_for_ever() {
        let endless = vec![b'x'; 2 * LINE_MAX_BYTES as usize];
        let mut reader = BufReader::new(&endless[..]);
        assert_eq!(next_line(&mut reader).unwrap().len() as u64, LINE_MAX_BYTES);
    }

    #[test]
    fn a_program_that_ended_badly_is_told_with_its_last_words_and_its_time() {
        let dir = tempfile::tempdir().unwrap();
        // The second log cannot be written: the words are told all the same.
        for log in [dir.path().join("log"), dir.path().join("no/such/log")] {
            let mut command = Command::new("sh");
            command
                .args(["-c", "for n in 1 2 3 4 5 6; do echo $n >&2; done; echo 'no such key' >&2; exit 4"]);
            let mut child = command.stderr(Stdio::piped()).process_group(0).spawn().unwrap();
            let mut program = Program::running(End::Vehicle, &child);
            program.words.hear(child.stderr.take().unwrap(), log).unwrap();
            program.ended = reap(program.pid, 0, MonoTime::ZERO);
            let told = program.failure().unwrap();
            assert_eq!(told, "program ended with exit code 4: 2 / 3 / 4 / 5 / 6 / no such key");
            assert!(program.ended.unwrap().cpu > Duration::ZERO);
        }
        assert_eq!(fs::read_to_string(dir.path().join("log")).unwrap().lines().count(), 7);
    }

    #[test]
    fn a_program_is_called_by_its_file_what_it_does_and_its_end() {
        let name = |file: &str, words: &[&str]| name_of(Command::new(file).args(words));
        assert_eq!(name("/opt/peers/tokkyu-peer-tcp", &["send", "--mode", "bbr"]), "tokkyu-peer-tcp send");
        assert_eq!(name("/bin/tokkyu", &["bridge", "vehicle", "--status", "plain"]), "tokkyu bridge vehicle");
    }

    #[test]
    fn a_program_is_killed_with_what_it_started_when_its_run_is_given_up() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & echo $!; wait"]).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap();
        let grandchild = next_line(&mut BufReader::new(child.stdout.take().unwrap())).unwrap();
        drop(Program::running(End::Vehicle, &child));
        let gone = |pid: &str| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z ") || stat.contains(") X ")
        };
        // The signal has been sent; the kernel needs a moment to act on it.
        for _ in 0..500 {
            if gone(&grandchild) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{grandchild} lives on");
    }
}
