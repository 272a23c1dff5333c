//! One start of a board, from QEMU's start to its end.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::console::{self, Heard};
use super::error::BoardError;
use super::kernel::Kernel;
use super::{Line, Plan, Round, files};

const QEMU: &str = "qemu-system-x86_64";
/// Between two looks at whether the caller wants an end.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What moves a board's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Instructions: 2 ns each, halted time is skipped. One processor.
    Counted,
    /// The host's clock; so many processors.
    Host {
        /// 1 and more.
        processors: u32,
    },
}

/// Nanoseconds of virtual time for each instruction with [`Clock::Counted`]: QEMU's `shift=1`, a processor of 500 million
/// instructions a second, as the paper's phone was.
pub const NS_PER_INSTRUCTION: u64 = 2;

/// A board that can be started.
#[derive(Clone, Debug)]
pub struct Board {
    /// What it runs.
    pub kernel: Kernel,
    /// How its time moves.
    pub clock: Clock,
}

/// What a board said until its end.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Findings of the plan.
    pub lines: Vec<Line>,
    /// What the kernel said, and anybody else.
    pub console: Vec<String>,
    /// Why the plan did not come to its end, if it did not.
    pub fault: Option<String>,
    /// The caller wanted the end.
    pub stopped: bool,
}

impl Outcome {
    /// The rounds with this name.
    pub fn rounds<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Round> {
        self.lines.iter().filter_map(move |line| match line {
            Line::Round(round) if round.name == name => Some(round),
            _ => None,
        })
    }

    /// Lines of the kernel that tell of a fault of it.
    pub fn complaints(&self) -> Vec<&str> {
        const WORDS: [&str; 9] = [
            "BUG:",
            "WARNING:",
            "Oops",
            "Call Trace",
            "Kernel panic",
            "blocked for more than",
            "rcu_sched",
            "soft lockup",
            "general protection",
        ];
        self.console
            .iter()
            .map(String::as_str)
            .filter(|line| WORDS.iter().any(|word| line.contains(word)))
            .collect()
    }
}

impl Board {
    /// Starts the board and returns when it is off. `folder` gets the initial file system (removed afterwards) and
    /// `console.log`, all that was said.
    ///
    /// # Errors
    /// If it could not be started. What goes wrong after that is [`Outcome::fault`].
    pub fn run(
        &self,
        plan: &Plan,
        folder: &Path,
        patience: Duration,
        mut on_line: impl FnMut(&Line),
        stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, BoardError> {
        let initramfs = folder.join("initramfs.cpio");
        files::write(&self.kernel, plan, &initramfs)?;
        let log = create(&folder.join("console.log"))?;
        let mut child = self.start(&initramfs)?;
        let heard = listen(&mut child, log)?;
        let outcome = follow(&heard, patience, &mut on_line, stop);
        // It is off already, or is to be; either way it is gone after this.
        let _ = child.kill();
        let _ = child.wait();
        let _ = fs::remove_file(&initramfs);
        Ok(outcome)
    }

    fn start(&self, initramfs: &Path) -> Result<Child, BoardError> {
        let mut command = Command::new(QEMU);
        command
            .args([
                "-accel",
                "tcg",
                "-m",
                "512",
                "-nodefaults",
                "-no-user-config",
                "-display",
                "none",
                "-monitor",
                "none",
            ])
            .args(["-serial", "stdio", "-no-reboot"])
            .args(["-kernel", &self.kernel.image().display().to_string()])
            .args(["-initrd", &initramfs.display().to_string()])
            .args(self.clock_options())
            .args(["-append", &self.kernel_options()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // SAFETY: between fork and exec one system call, which is async-signal-safe.
        unsafe { command.pre_exec(die_with_parent) };
        command.spawn().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => {
                BoardError::NoProgram { program: QEMU, package: "qemu-system-x86", source }
            }
            _ => BoardError::Qemu(source),
        })
    }

    fn clock_options(&self) -> Vec<String> {
        match self.clock {
            // The date and the seed are fixed so that nothing but the plan differs between two starts.
            Clock::Counted => [
                "-smp",
                "1",
                "-icount",
                "shift=1,sleep=off",
                "-rtc",
                "base=2026-01-01,clock=vm",
                "-seed",
                "1",
            ]
            .map(str::to_owned)
            .to_vec(),
            Clock::Host { processors } => vec!["-smp".to_owned(), processors.to_string()],
        }
    }

    fn kernel_options(&self) -> String {
        // nokaslr: addresses decide how a cache or a hash falls, and a counted run is to be repeated. panic=1 with
        // -no-reboot ends QEMU.
        let common = "console=ttyS0 quiet panic=1 nokaslr";
        match self.clock {
            Clock::Counted => format!("{common} tsc=reliable clocksource=tsc"),
            Clock::Host { .. } => common.to_owned(),
        }
    }
}

fn die_with_parent() -> io::Result<()> {
    // SAFETY: no pointers.
    match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn create(path: &PathBuf) -> Result<File, BoardError> {
    File::create(path).map_err(|source| BoardError::Folder { path: path.clone(), source })
}

/// Both of QEMU's outputs, as they come; the channel ends when QEMU does.
fn listen(child: &mut Child, log: File) -> Result<Receiver<Heard>, BoardError> {
    let (to, heard) = channel();
    let errors_to = to.clone();
    let output = child.stdout.take().map(BufReader::new);
    let errors = child.stderr.take().map(BufReader::new);
    let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
        thread::Builder::new().name(name.to_owned()).spawn(work).map(drop).map_err(BoardError::Qemu)
    };
    if let Some(output) = output {
        spawn("board console", Box::new(move || console::read(output, Some(log), &to)))?;
    }
    if let Some(errors) = errors {
        spawn("board errors", Box::new(move || console::read(errors, None, &errors_to)))?;
    }
    Ok(heard)
}

fn follow(
    heard: &Receiver<Heard>,
    patience: Duration,
    on_line: &mut dyn FnMut(&Line),
    stop: &dyn Fn() -> bool,
) -> Outcome {
    let overdue = Instant::now() + patience;
    let mut outcome = Outcome::default();
    loop {
        match heard.recv_timeout(LOOK_EVERY) {
            Ok(Heard::Line(line)) => {
                on_line(&line);
                outcome.lines.push(line);
            }
            Ok(Heard::Text(text)) => outcome.console.push(text),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if stop() {
            outcome.stopped = true;
            break;
        }
        if Instant::now() >= overdue {
            outcome.fault = Some(format!("the board was not done after {} s", patience.as_secs()));
            return outcome;
        }
    }
    outcome.fault = fault(&outcome);
    outcome
}

fn fault(outcome: &Outcome) -> Option<String> {
    match outcome.lines.last() {
        _ if outcome.stopped => None,
        Some(Line::Done) => outcome.complaints().first().map(|line| format!("the kernel complains: {line}")),
        Some(Line::Failed { step, reason }) => Some(format!("step {step}: {reason}")),
        _ => Some(format!(
            "the board went off before its plan was done; its last words: {}",
            outcome.console.iter().rev().take(3).rev().cloned().collect::<Vec<_>>().join(" | ")
        )),
    }
}
