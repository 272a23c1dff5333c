//! Carries out one step after another. The foreground steps are in `measure`, everything else is here.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokkyu_agent::plan::Step;
use tokkyu_agent::report::Line;

use crate::{keep, leaks, measure, module};

/// What a program may say, each of output and errors.
const KEPT_BYTES: usize = 16 * 1024;

/// The state that steps share: programs that run.
pub struct Executor {
    say: fn(&Line),
    running: BTreeMap<String, Child>,
}

impl Executor {
    pub fn new(say: fn(&Line)) -> Self {
        Executor { say, running: BTreeMap::new() }
    }

    pub fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Load { file, parameters } => module::load(file, parameters),
            Step::Modprobe { name } => module::load_with_needed(name),
            Step::Run { name, argv, must } => self.run(name, argv, *must),
            Step::Start { name, argv, idle } => self.start(name, argv, *idle),
            Step::Stop { name } => self.stop(name),
            Step::Wait { name } => self.wait(name),
            Step::Write { path, text } => fs::write(path, text).map_err(|error| format!("{path}: {error}")),
            Step::Keep { path, name } => keep::keep(path, name),
            Step::Leaks => leaks::look(),
            Step::Sleep { ms } => {
                sleep(Duration::from_millis(*ms));
                Ok(())
            }
            Step::Transfer(transfer) => measure::transfer(transfer, self.say),
            Step::Compute(compute) => measure::compute(compute, self.say),
            Step::React(react) => measure::react(react, self.say),
            Step::Idle { name, ms } => measure::idle(name, *ms, self.say),
        }
    }

    fn run(&mut self, name: &str, argv: &[String], must: bool) -> Result<(), String> {
        let output = command(argv)?.output().map_err(|error| format!("{}: {error}", argv.join(" ")))?;
        let code = output.status.code().unwrap_or(-1);
        let errors = text(&output.stderr);
        if must && code != 0 {
            return Err(format!("{} ended with {code}: {errors}", argv.join(" ")));
        }
        (self.say)(&Line::Ran { name: name.to_owned(), code, output: text(&output.stdout), errors });
        Ok(())
    }

    fn start(&mut self, name: &str, argv: &[String], idle: bool) -> Result<(), String> {
        let mut command = command(argv)?;
        let output = fs::File::create(output_of(name)).map_err(|error| format!("{name}: {error}"))?;
        command.stdin(Stdio::null()).stdout(output);
        if idle {
            // SAFETY: between fork and exec one system call, which is async-signal-safe.
            unsafe { command.pre_exec(become_idle) };
        }
        let child = command.spawn().map_err(|error| format!("{}: {error}", argv.join(" ")))?;
        self.running.insert(name.to_owned(), child);
        Ok(())
    }

    /// Until it ends by itself; errors it has said are on the console.
    fn wait(&mut self, name: &str) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{name}: {error}");
        let mut child = self.running.remove(name).ok_or_else(|| format!("no program {name} was started"))?;
        let code = child.wait().map_err(failed)?.code().unwrap_or(-1);
        let output = text(&fs::read(output_of(name)).map_err(failed)?);
        (self.say)(&Line::Ran { name: name.to_owned(), code, output, errors: String::new() });
        Ok(())
    }

    /// That it had ended by itself is a failure: what was measured beside it was measured beside nothing.
    fn stop(&mut self, name: &str) -> Result<(), String> {
        let mut child = self.running.remove(name).ok_or_else(|| format!("no program {name} was started"))?;
        if let Some(status) = child.try_wait().map_err(|error| format!("{name}: {error}"))? {
            return Err(format!("{name} had ended by itself: {status}"));
        }
        let pid = Pid::from_raw(child.id() as i32);
        kill(pid, Signal::SIGKILL).map_err(|error| format!("{name}: {error}"))?;
        child.wait().map_err(|error| format!("{name}: {error}"))?;
        Ok(())
    }
}

/// Where a program that was started writes.
fn output_of(name: &str) -> String {
    format!("/tmp/{name}.out")
}

fn become_idle() -> std::io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the parameters outlive the call.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &parameters) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

fn command(argv: &[String]) -> Result<Command, String> {
    let (program, arguments) = argv.split_first().ok_or("an empty command")?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(KEPT_BYTES)]).into_owned()
}
