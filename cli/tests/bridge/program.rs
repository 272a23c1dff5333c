//! A program that runs beside the test: what it says is kept line by line, and it is killed when dropped.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokkyu_lab::wire::{End, Wire};

/// How long to wait for what must come; a test that passes does not wait so long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What a program has said so far on one of its outputs.
#[derive(Clone, Default)]
pub struct Lines(Arc<Said>);

#[derive(Default)]
struct Said {
    lines: Mutex<Vec<String>>,
    came: Condvar,
}

impl Lines {
    fn of(output: impl Read + Send + 'static) -> Lines {
        let lines = Lines::default();
        let into = lines.clone();
        // Ends with the program.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                into.0.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
                into.0.came.notify_all();
            }
        });
        lines
    }

    pub fn all(&self) -> Vec<String> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until `find` finds something in all that was said.
    pub fn find<T>(&self, mut find: impl FnMut(&[String]) -> Option<T>) -> Option<T> {
        let until = Instant::now() + PATIENCE;
        let mut lines = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(found) = find(&lines) {
                return Some(found);
            }
            let left = until.checked_duration_since(Instant::now())?;
            lines = self.0.came.wait_timeout(lines, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A running program.
pub struct Program {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    pub out: Lines,
    pub err: Lines,
}

impl Program {
    /// Starts it, at an end of the wire if there is one.
    pub fn start(name: &str, mut command: Command, place: Option<(&Wire, End)>) -> Program {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match place {
            Some((wire, end)) => wire.spawn(end, command).expect("starts"),
            None => command.spawn().unwrap_or_else(|error| panic!("{name}: {error}")),
        };
        Program {
            name: name.to_owned(),
            input: child.stdin.take(),
            out: Lines::of(child.stdout.take().expect("piped")),
            err: Lines::of(child.stderr.take().expect("piped")),
            child,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// A line on its standard input.
    pub fn tell(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open until it is dropped");
        writeln!(input, "{line}").unwrap_or_else(|error| panic!("{}: {error}", self.name));
    }

    /// Waits for something on its standard output.
    pub fn until<T>(&self, what: &str, find: impl FnMut(&[String]) -> Option<T>) -> T {
        self.out.find(find).unwrap_or_else(|| panic!("{}: {what}: never after {PATIENCE:?}", self.name))
    }

    /// Waits for a line on standard error that has all of `words`; gives it.
    pub fn until_told(&self, words: &[&str]) -> String {
        let has_all = |line: &&String| words.iter().all(|word| line.contains(word));
        self.err
            .find(|lines| lines.iter().find(has_all).cloned())
            .unwrap_or_else(|| panic!("{}: never told {words:?} after {PATIENCE:?}", self.name))
    }

    /// SIGKILL: it says good-bye to nobody.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// SIGINT: it ends in order.
    pub fn interrupt(&self) {
        kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGINT).expect("it runs");
    }

    /// Closes its input, which ends a peer in order, and waits for its exit code.
    pub fn end(&mut self) -> Option<i32> {
        drop(self.input.take());
        self.exit_code()
    }

    /// Waits until it has ended by itself; `None` after a signal.
    pub fn exit_code(&mut self) -> Option<i32> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code();
            }
            assert!(Instant::now() < until, "{}: still running after {PATIENCE:?}", self.name);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Program {
    /// A test that fails shows what everybody said.
    fn drop(&mut self) {
        self.kill();
        if !std::thread::panicking() {
            return;
        }
        eprintln!("---- {} ----", self.name);
        for (output, lines) in [("out", self.out.all()), ("err", self.err.all())] {
            let begin = lines.len().saturating_sub(40);
            lines[begin..].iter().for_each(|line| eprintln!("{output}: {line}"));
        }
    }
}
