//! One start of a board, from QEMU's start to its end.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::architecture::Architecture;
use super::console::{self, Heard};
use super::error::BoardError;
use super::kernel::Kernel;
use super::{Line, Plan, Round, files, kept};
use crate::orphan::ends_with_its_starter;
use crate::study::Identity;
use nix::sys::signal::Signal;
use tokkyu_agent::report::KEPT_PORT;

/// Between two looks at whether the caller wants an end.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What moves a board's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Instructions: [`NS_PER_INSTRUCTION`] each, halted time is skipped. One processor.
    Counted,
    /// Instructions as well, of several processors. They take turns, and time moves with the instructions of all of them: what one does, the
    /// others are late by, for [`SLICE_US`] at a time at most.
    Together {
        /// 2 and more.
        processors: u32,
        /// What an instruction takes, ns: 1, 2 or 4.
        instruction_ns: u32,
    },
    /// The host's clock; so many processors.
    Host {
        /// 1 and more.
        processors: u32,
    },
}

/// Nanoseconds of virtual time for each instruction with [`Clock::Counted`]: QEMU's `shift=1`, a processor of 500 million
/// instructions a second, as the paper's phone was.
pub const NS_PER_INSTRUCTION: u64 = 2;

/// With [`Clock::Together`], the longest turn of a processor that has no timer to wait for. Half as long is no more exact where frames
/// flow, whose own timers end turns, and costs the host twice as much where nothing does.
pub const SLICE_US: u32 = 200;

/// Gets what boards keep, in the folder of the run.
const KEPT: &str = "kept";
/// Gets all that is said, there too.
const CONSOLE: &str = "console.log";

/// For a console that is a file.
const REREAD_PATIENCE: Duration = Duration::from_secs(60);

/// Of every board.
const MACHINE: [&str; 13] = [
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
    "-serial",
    "stdio",
    "-no-reboot",
];

/// A board that can be started.
#[derive(Clone, Debug)]
pub struct Board {
    /// Its processor.
    pub architecture: Architecture,
    /// What it runs.
    pub kernel: Kernel,
    /// How its time moves.
    pub clock: Clock,
    /// Arguments of the kernel besides our own.
    pub arguments: String,
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

    /// True if the emulator has stopped it before its plan began: a kernel that nothing was loaded into changes its own code by way of a
    /// breakpoint, and QEMU before 8.1 has another processor run into that afterwards (ClangBuiltLinux/boot-utils issue 111).
    fn is_emulators(&self) -> bool {
        let has = |words: &str| self.console.iter().any(|line| line.contains(words));
        self.lines.is_empty() && !self.stopped && has("int3: 0000 [#1]") && has("Not tainted")
    }

    /// Lines of the kernel that tell of a fault of it.
    pub fn complaints(&self) -> Vec<&str> {
        self.console.iter().map(String::as_str).filter(|line| complains(line)).collect()
    }
}

/// Of a board that QEMU's own fault stops while it boots ([`Outcome::is_emulators`]).
const STARTS: u32 = 3;
const STARTED_AGAIN: &str =
    "board: started again, as QEMU let a processor run into an instruction that another was changing (int3)";

/// Words of a kernel that has found a fault of its own. Most reports begin with one of the first two.
const COMPLAINTS: [&str; 18] = [
    "BUG",
    "WARNING:",
    "Call Trace",
    "Kernel panic",
    "Oops",
    "general protection",
    // Lockdep and RCU.
    "INFO: possible",
    "INFO: trying to register non-static key",
    "possible circular locking",
    "suspicious RCU usage",
    "detected stalls",
    "self-detected stall",
    // Tasks and processors that stand still.
    "blocked for more than",
    "soft lockup",
    // Objects and memory.
    "ODEBUG:",
    "new suspected memory leaks",
    "corruption",
    "unregister_netdevice: waiting for",
];

fn complains(line: &str) -> bool {
    COMPLAINTS.iter().any(|words| line.contains(words))
}

impl Board {
    /// Starts the board and returns when it is off. `folder` gets the initial file system (removed afterwards), `console.log` (all that
    /// was said), and what the plan keeps.
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
        let content = files::contents(&self.kernel, plan)?;
        files::write(&content, &initramfs)?;
        let kept = folder.join(KEPT);
        let mut outcome = self.run_once(&initramfs, folder, patience, &mut on_line, stop)?;
        for _ in 1..STARTS {
            if !outcome.is_emulators() {
                break;
            }
            outcome = self.run_once(&initramfs, folder, patience, &mut on_line, stop)?;
            outcome.console.push(STARTED_AGAIN.to_owned());
        }
        let _ = fs::remove_file(&initramfs);
        kept::divide(&kept).map_err(|source| BoardError::Folder { path: kept, source })?;
        Ok(outcome)
    }

    fn run_once(
        &self,
        initramfs: &Path,
        folder: &Path,
        patience: Duration,
        on_line: &mut dyn FnMut(&Line),
        stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, BoardError> {
        let log = create(&folder.join(CONSOLE))?;
        let mut child = self.start(initramfs, &folder.join(KEPT))?;
        let heard = listen(&mut child, log)?;
        let outcome = follow(&heard, patience, on_line, stop);
        // It is off already, or is to be; either way it is gone after this.
        let _ = child.kill();
        let _ = child.wait();
        Ok(outcome)
    }

    /// What an earlier start in this folder said; nothing if it left nothing.
    pub fn reread(&self, folder: &Path) -> Option<Outcome> {
        let log = File::open(folder.join(CONSOLE)).ok()?;
        let (to, heard) = channel();
        console::read(BufReader::new(log), None, &to);
        drop(to);
        Some(follow(&heard, REREAD_PATIENCE, &mut |_| {}, &|| false))
    }

    /// Hash of all that a start depends on: kernel, files, plan, options and QEMU.
    ///
    /// # Errors
    /// If what a start needs is missing.
    pub fn identity(&self, plan: &Plan) -> Result<Identity, BoardError> {
        let options = [MACHINE.to_vec(), vec![&self.kernel_options()]].concat().join(" ");
        let options = format!("{options} {}", self.clock_options().join(" "));
        let version = self.qemu().arg("--version").output().map_err(|error| self.not_started(error))?.stdout;
        let image = self.kernel.image();
        let kernel = fs::read(&image).map_err(|source| BoardError::Missing { path: image, source })?;
        let content = files::contents(&self.kernel, plan)?;
        let files = content.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes.as_slice()]);
        let parts: Vec<&[u8]> = [options.as_bytes(), &version, &kernel].into_iter().chain(files).collect();
        Ok(Identity::of(&parts))
    }

    fn start(&self, initramfs: &Path, kept: &Path) -> Result<Child, BoardError> {
        let mut command = self.qemu();
        command
            .args(MACHINE)
            .args(self.architecture.machine())
            .args(["-kernel", &self.kernel.image().display().to_string()])
            .args(["-initrd", &initramfs.display().to_string()])
            .args(["-chardev", &format!("file,id=kept,path={}", kept.display())])
            .args(["-device", &self.architecture.keeper(KEPT_PORT)])
            .args(self.clock_options())
            .args(["-append", &self.kernel_options()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        ends_with_its_starter(&mut command, Signal::SIGKILL);
        command.spawn().map_err(|error| self.not_started(error))
    }

    /// What `linux/fetch-qemu` has fetched, with its own firmware; else this machine's.
    fn qemu(&self) -> Command {
        let fetched = self.kernel.boards().join("qemu/usr");
        let program = fetched.join("bin").join(self.architecture.qemu());
        if !program.exists() {
            return Command::new(self.architecture.qemu());
        }
        let mut command = Command::new(program);
        for firmware in self.architecture.firmware() {
            command.arg("-L").arg(fetched.join("share").join(firmware));
        }
        command
    }

    fn clock_options(&self) -> Vec<String> {
        // The date and the seed are fixed so that nothing but the plan differs between two starts.
        let counted = |processors: u32, instruction_ns: u32| {
            let shift = instruction_ns.trailing_zeros();
            let options = format!(
                "-smp {processors} -icount shift={shift},sleep=off -rtc base=2026-01-01,clock=vm -seed 1"
            );
            options.split(' ').map(str::to_owned).collect::<Vec<_>>()
        };
        match self.clock {
            Clock::Counted => counted(1, NS_PER_INSTRUCTION as u32),
            Clock::Together { processors, instruction_ns } => {
                [counted(processors, instruction_ns), slices()].concat()
            }
            Clock::Host { processors } => vec!["-smp".to_owned(), processors.to_string()],
        }
    }

    fn not_started(&self, source: io::Error) -> BoardError {
        let (program, package) = (self.architecture.qemu(), self.architecture.package());
        match source.kind() {
            io::ErrorKind::NotFound => BoardError::NoProgram { program, package, source },
            _ => BoardError::Qemu { program, source },
        }
    }

    fn kernel_options(&self) -> String {
        // nokaslr: addresses decide how a cache or a hash falls, and a counted run is to be repeated. panic=1 with
        // -no-reboot ends QEMU. loglevel=5: the console has the kernel's warnings, which `quiet` would keep from it.
        let common = format!("{} loglevel=5 panic=1 nokaslr", self.architecture.console());
        match self.clock {
            Clock::Counted | Clock::Together { .. } => {
                format!("{common} {} {}", self.architecture.counted(), self.arguments)
            }
            Clock::Host { .. } => format!("{common} {}", self.arguments),
        }
    }
}

/// A timer of QEMU's without any effect: a turn ends where the next timer is due.
fn slices() -> Vec<String> {
    let filter = format!("filter-buffer,id=slices,netdev=slice,interval={SLICE_US}");
    ["-netdev", "hubport,id=slice,hubid=9", "-object", &filter].map(str::to_owned).to_vec()
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
        let failed = |source| BoardError::Qemu { program: "a thread for the board's console", source };
        thread::Builder::new().name(name.to_owned()).spawn(work).map(drop).map_err(failed)
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
            let late = format!("the board was not done after {} s", patience.as_secs());
            outcome.fault = with_complaint(&outcome, Some(late));
            return outcome;
        }
    }
    outcome.fault = if outcome.stopped { None } else { with_complaint(&outcome, ended_early(&outcome)) };
    outcome
}

/// What the kernel complains of may be why the plan went wrong, so it is told first.
fn with_complaint(outcome: &Outcome, fault: Option<String>) -> Option<String> {
    let complaint = outcome.complaints().first().map(|line| format!("the kernel complains: {line}"));
    let all: Vec<String> = complaint.into_iter().chain(fault).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn ended_early(outcome: &Outcome) -> Option<String> {
    match outcome.lines.last() {
        Some(Line::Done) => None,
        Some(Line::Failed { step, reason }) => Some(format!("step {step}: {reason}")),
        _ => Some(format!(
            "the board went off before its plan was done; its last words: {}",
            outcome.console.iter().rev().take(3).rev().cloned().collect::<Vec<_>>().join(" | ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As kernels print them.
    #[test]
    fn what_a_kernel_says_of_its_faults_is_a_complaint() {
        let complaints = [
            "WARNING: possible circular locking dependency detected",
            "WARNING: inconsistent lock state",
            "WARNING: suspicious RCU usage",
            "WARNING: CPU: 0 PID: 71 at net/core/dev.c:5101 net_tx_action+0x5c/0x2a0",
            "INFO: trying to register non-static key.",
            "BUG: KASAN: use-after-free in on_freed+0x2c/0x90 [sch_lbe]",
            "BUG: sleeping function called from invalid context at include/linux/sched/mm.h:274",
            "BUG kmalloc-64 (Tainted: G           O     ): Redzone overwritten",
            "kernel BUG at lib/list_debug.c:62!",
            "ODEBUG: free active (active state 0) object type: hrtimer hint: on_arrival+0x0/0x110 [vmac]",
            "list_del corruption. next->prev should be ffff88800a1b2c40, but was dead000000000122",
            "kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
            "rcu: INFO: rcu_preempt self-detected stall on CPU",
            "rcu: INFO: rcu_sched detected stalls on CPUs/tasks:",
            "INFO: task ip:93 blocked for more than 120 seconds.",
            "watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [agent:70]",
            "unregister_netdevice: waiting for vmac0 to become free. Usage count = 3",
        ];
        assert!(complaints.iter().all(|line| complains(line)));
        let harmless = [
            "sch_lbe: loading out-of-tree module taints kernel.",
            "smpboot: CPU 1 is now offline",
            "vmac: no tracepoint cpu_idle",
        ];
        assert!(!harmless.iter().any(|line| complains(line)));
    }

    #[test]
    fn only_an_untouched_kernel_that_stops_at_a_breakpoint_is_the_emulators_fault() {
        let oops = "[    1.929560] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI";
        let outcome = |process: &str, lines: &[Line]| Outcome {
            lines: lines.to_vec(),
            console: vec![oops.to_owned(), format!("CPU: 1 UID: 0 PID: 0 Comm: swapper/1 {process} 6.12")],
            ..Outcome::default()
        };
        assert!(outcome("Not tainted", &[]).is_emulators());
        assert!(!outcome("Tainted: G           O", &[]).is_emulators());
        let begun = Line::Failed { step: 1, reason: "no route".to_owned() };
        assert!(!outcome("Not tainted", &[begun]).is_emulators());
        assert!(
            !Outcome { console: vec!["Oops: 0002 [#1] Not tainted".to_owned()], ..Outcome::default() }
                .is_emulators()
        );
    }

    #[test]
    fn a_complaint_is_a_fault_of_a_plan_that_was_done() {
        let mut outcome = Outcome { lines: vec![Line::Done], ..Outcome::default() };
        assert_eq!(with_complaint(&outcome, ended_early(&outcome)), None);
        outcome.console.push("BUG: KASAN: double-free".to_owned());
        let fault = with_complaint(&outcome, ended_early(&outcome)).unwrap();
        assert!(fault.contains("KASAN"), "{fault}");
        outcome.lines.push(Line::Failed { step: 3, reason: "no route".to_owned() });
        let fault = with_complaint(&outcome, ended_early(&outcome)).unwrap();
        assert!(fault.contains("KASAN") && fault.contains("no route"), "{fault}");
    }
}
