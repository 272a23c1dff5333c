//! A QEMU that stands for a board.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;
use tokkyu_drive::program::ExitCode;
use tokkyu_lab::orphan::ends_with_its_starter;

use crate::exit::Failure;

pub const QEMU: &str = "qemu-system-aarch64";
/// The ports of an image's nodes: two of each, from this one on.
const FIRST_PORT: u16 = 11_411;
const PORTS: u16 = 16;

/// What a board is made of.
#[derive(Debug)]
pub struct Machine<'m> {
    /// Its processors; an image that has fewer leaves the others off.
    pub processors: u32,
    /// What the image is told: `NAME=VALUE` each.
    pub arguments: &'m [String],
    /// Every instruction takes a nanosecond: the same run each time, and no matter how fast this machine is.
    pub counts_instructions: bool,
    /// Frames of its network go there.
    pub capture: Option<&'m Path>,
    /// Where it is told what to do (qmp.rs), a socket that it makes.
    pub control: Option<&'m Path>,
}

impl Machine<'_> {
    /// Starts it. Its words go to `output`. It ends with this program.
    ///
    /// # Errors
    /// QEMU is not there.
    pub fn start(&self, image: &Path, output: Stdio) -> Result<Child, Failure> {
        let mut qemu = Command::new(QEMU);
        qemu.args(["-M", "virt,gic-version=3", "-m", "128M", "-display", "none", "-monitor", "none"])
            .args(["-serial", "stdio", "-semihosting-config", "enable=on,target=native"])
            .args(["-smp", &self.processors.to_string()])
            .args(["-netdev", &network(), "-device", "virtio-net-device,netdev=n"])
            .arg("-append")
            .arg(self.arguments.join(" "))
            .arg("-kernel")
            .arg(image);
        if self.counts_instructions {
            qemu.args(["-cpu", "cortex-a53,cntfrq=1000000000", "-icount", "shift=0,sleep=off"]);
        } else {
            qemu.args(["-cpu", "cortex-a53"]);
        }
        if let Some(file) = self.capture {
            let file = file.display().to_string().replace(',', ",,");
            qemu.args(["-object", &format!("filter-dump,id=d,netdev=n,file={file}")]);
        }
        if let Some(socket) = self.control {
            qemu.args(control(socket));
        }
        // A terminal's Ctrl-C is for this program, which ends the board when it has read what it wants.
        qemu.process_group(0);
        ends_with_its_starter(qemu.stdin(Stdio::null()).stdout(output), Signal::SIGKILL)
            .spawn()
            .map_err(not_there)
    }
}

/// Has it make a socket where it is told what to do (qmp.rs).
pub fn control(socket: &Path) -> [String; 2] {
    let socket = socket.display().to_string().replace(',', ",,");
    ["-qmp".to_owned(), format!("unix:{socket},server=on,wait=off")]
}

/// QEMU does not start.
pub fn not_there(error: io::Error) -> Failure {
    let remedy = "Debian: apt-get install qemu-system-arm";
    Failure::new(ExitCode::NotPossible, format_args!("{QEMU}: {error}; {remedy}"))
}

/// QEMU's own network: needs no rights. What connects to the nodes' ports on this machine's loopback comes to the board.
fn network() -> String {
    let forward = |port: u16| format!(",hostfwd=tcp:127.0.0.1:{port}-:{port}");
    let forwards: String = (FIRST_PORT..FIRST_PORT + PORTS).map(forward).collect();
    format!("user,id=n{forwards}")
}
