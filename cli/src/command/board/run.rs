//! `tokkyu board run`: an image on a board that QEMU stands for.

use std::net::{IpAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokkyu_drive::program::{ExitCode, StopFlag};

use super::beside::{Beside, is_for_secure};
use super::build::Image;
use super::machine::Machine;
use crate::exit::{Done, Failure};

/// Between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Build an image of robot nodes and run it on a board: AArch64 without an operating system, stood for by QEMU.
///
/// The nodes are reached at 127.0.0.1, two ports each from 11411 on, and reach the master that ROS_MASTER_URI names (http://localhost:11311):
/// rostopic and rosnode see them beside those of this machine. A board looks up no names: that of the master's machine is looked up here,
/// others are given, --set HOSTS=robot=10.0.0.5,laptop=10.0.0.7. Ctrl-C ends the board.
///
/// An image for secure EL1 (feature `secure` of tokkyu-rtos-aarch64) shares its processors with a Linux, under the monitor. That has this
/// terminal then: `poweroff -f` in its shell ends the machine, or Ctrl-A x. The RTOS's words go to standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tokkyu board run examples/rtos-camera\n  \
    tokkyu board run examples/rtos-camera --seconds 10 --capture board.pcap\n  \
    tokkyu board run examples/dualos --processors 2\n  \
    tokkyu board run examples/dualos-node --processors 2\n  \
    tokkyu board run examples/dualos --processors 2 --site site.yaml\n  \
    tokkyu board run examples/dualos --kernel Image --initrd initrd --append console=ttyAMA0 2>rtos.log\n  \
    tokkyu board run . --set ROS_NAMESPACE=/rover\n  tokkyu board run . -- chatter:=words")]
pub struct Run {
    #[command(flatten)]
    image: Image,
    /// Processors of the board
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=8))]
    processors: u32,
    /// End after so many seconds
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    /// A variable for the nodes, NAME=VALUE without blanks; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    set: Vec<String>,
    /// Write the frames of the board's network to this file (pcap)
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
    /// Arguments of all nodes: FROM:=TO, _PARAMETER:=VALUE
    #[arg(last = true, value_name = "ARGUMENT", value_parser = argument)]
    words: Vec<String>,
    /// Each instruction takes a nanosecond of the board's time, whatever it takes here
    #[arg(long)]
    icount: bool,
    #[command(flatten)]
    beside: Beside,
}

/// `NAME=VALUE` of one word.
pub fn variable(word: &str) -> Result<String, String> {
    let is_one = word.split_once('=').is_some_and(|(name, _)| !name.is_empty());
    match is_one && !word.contains(char::is_whitespace) {
        true => Ok(word.to_owned()),
        false => Err("is no NAME=VALUE without blanks".to_owned()),
    }
}

/// What the nodes are told: variables of this program, then those that were asked for, which count.
pub fn told(set: &[String]) -> Vec<String> {
    let own = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let is_set = |name: &str| set.iter().any(|word| word.starts_with(&format!("{name}=")));
    let mut all = set.to_vec();
    for (name, usual) in [("ROS_MASTER_URI", "http://localhost:11311"), ("ROS_IP", "127.0.0.1")] {
        if !is_set(name) {
            let value = own(name).filter(|value| !value.contains(char::is_whitespace));
            all.push(format!("{name}={}", value.as_deref().unwrap_or(usual)));
        }
    }
    all.extend(host_of_master(&all));
    all
}

/// `HOSTS` with the master's machine, which the board cannot look up; nothing: it is told already, or a number, or nobody knows it.
fn host_of_master(told: &[String]) -> Option<String> {
    let uri = told.iter().find_map(|word| word.strip_prefix("ROS_MASTER_URI=http://"))?;
    let (name, port) = uri.trim_end_matches('/').rsplit_once(':')?;
    if name == "localhost"
        || name.parse::<IpAddr>().is_ok()
        || told.iter().any(|word| word.starts_with("HOSTS="))
    {
        return None;
    }
    let addresses = (name, port.parse::<u16>().ok()?).to_socket_addrs().ok()?;
    let number = addresses.map(|address| address.ip()).find(IpAddr::is_ipv4)?;
    Some(format!("HOSTS={name}={number}"))
}

/// One word for the board, whatever blanks it has.
fn argument(word: &str) -> Result<String, String> {
    match word.contains(['"', '\n']) {
        true => Err("has a double quote or a line's end, which a board's arguments cannot have".to_owned()),
        false => Ok(format!("\"{word}\"")),
    }
}

impl Run {
    pub fn run(&self, stop: &StopFlag) -> Done {
        let image = self.image.build()?;
        let mut board = self.start(&image)?;
        let until = self.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let ended = loop {
            if let Some(status) = board.try_wait().map_err(|error| Failure::new(ExitCode::Failed, error))? {
                break Some(status);
            }
            if stop.is_set() || until.is_some_and(|until| until <= Instant::now()) {
                break None;
            }
            sleep(LOOK);
        };
        match ended {
            None => {
                // It has no state that could be lost, but perhaps the terminal, which it gives back.
                let _ = kill(Pid::from_raw(board.id().cast_signed()), Signal::SIGTERM);
                let _ = board.wait();
                Ok(if stop.is_set() { ExitCode::Interrupted } else { ExitCode::Ok })
            }
            Some(status) if status.success() => Ok(ExitCode::Ok),
            Some(status) => Err(Failure::new(
                ExitCode::Failed,
                format_args!("the board has ended ({status}); its last line, or QEMU's, says why"),
            )),
        }
    }

    fn start(&self, image: &Path) -> Result<Child, Failure> {
        if is_for_secure(image)? {
            if self.capture.is_some() || !self.set.is_empty() || !self.words.is_empty() {
                return Err(Failure::usage(
                    "--capture, --set and arguments are for an image that has the machine to itself: beside Linux it has no network and no boot loader",
                ));
            }
            return self.beside.start(image, self.processors, self.icount);
        }
        self.beside.refuse_for(image)?;
        let arguments = self.arguments();
        let machine = Machine {
            processors: self.processors,
            arguments: &arguments,
            counts_instructions: self.icount,
            capture: self.capture.as_deref(),
            control: None,
        };
        machine.start(image, Stdio::inherit())
    }

    /// What the board is told: variables, then arguments.
    fn arguments(&self) -> Vec<String> {
        let mut all = told(&self.set);
        if !self.words.is_empty() {
            all.push("--".to_owned());
            all.extend(self.words.iter().cloned());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_one_word_whatever_blanks_it_has() {
        assert_eq!(argument("chatter:=words of mine"), Ok("\"chatter:=words of mine\"".to_owned()));
        assert!(argument("a\"b").is_err());
    }

    #[test]
    fn the_machine_of_the_master_is_looked_up_here() {
        let told =
            |words: &[&str]| host_of_master(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(told(&["ROS_MASTER_URI=http://localhost:11311"]), None);
        assert_eq!(told(&["ROS_MASTER_URI=http://10.0.0.5:11311"]), None);
        // RFC 6761, section 6.4: nobody has it.
        assert_eq!(told(&["ROS_MASTER_URI=http://robot.invalid:11311"]), None);
        assert_eq!(told(&["ROS_MASTER_URI=http://ip6-localhost:11311", "HOSTS=a=10.0.0.1"]), None);
        // Another name for it than the one that boards know; names are the same in small and capital letters.
        let looked_up = Some("HOSTS=LOCALHOST=127.0.0.1".to_owned());
        assert_eq!(told(&["ROS_MASTER_URI=http://LOCALHOST:11311/"]), looked_up);
    }

    #[test]
    fn what_is_no_variable_is_refused() {
        assert_eq!(variable("A=b"), Ok("A=b".to_owned()));
        assert_eq!(variable("A="), Ok("A=".to_owned()));
        for wrong in ["A", "=b", "A=b c", ""] {
            assert!(variable(wrong).is_err(), "{wrong:?}");
        }
    }
}
