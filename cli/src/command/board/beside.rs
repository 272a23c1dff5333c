//! An image beside Linux: the machine has a monitor, a kernel and an initrd too.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use clap::Args;
use nix::sys::signal::Signal;
use tokkyu_drive::program::ExitCode;
use tokkyu_lab::built::built_folder;
use tokkyu_lab::orphan::ends_with_its_starter;
use tokkyu_monitor_boot::{HEADER_BYTES, Image, ImageError, Kernel, shared_of};
use tokkyu_monitor_core::{RTOS_MEMORY, Range, TREE};

use super::budgets;
use super::machine::{QEMU, control, not_there};
use crate::exit::Failure;

/// What Linux is told if nothing is said.
const WORDS: &str = "console=ttyAMA0 quiet";
const MEMORY_MIB: u32 = 512;

/// The Linux beside an image that is for secure EL1.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Linux beside an image for secure EL1")]
pub struct Beside {
    /// Its kernel, an arm64 Image; without, Debian's (monitor/fetch)
    #[arg(long, value_name = "FILE")]
    kernel: Option<PathBuf>,
    /// Its initrd; without, busybox's shell where the kernel is Debian's, else none
    #[arg(long, value_name = "FILE")]
    initrd: Option<PathBuf>,
    /// Its command line
    #[arg(long, value_name = "WORDS", default_value = WORDS)]
    append: String,
    /// The site's limits: what the RTOS may take of each processor at most (cores.rtos); no bound if not given
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
    /// Memory of the machine, MiB
    #[arg(long, value_name = "MIB", default_value_t = MEMORY_MIB, value_parser = clap::value_parser!(u32).range(64..=4096))]
    memory: u32,
}

/// A file that this program needs, and what makes it.
fn needed(file: PathBuf, remedy: &str) -> Result<PathBuf, Failure> {
    match file.is_file() {
        true => Ok(file),
        false => {
            Err(Failure::new(ExitCode::NotPossible, format_args!("{}: not there; {remedy}", file.display())))
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(file).map_err(|error| Failure::usage(format_args!("{}: {error}", file.display())))
}

/// Whether an image is one for secure EL1.
///
/// # Errors
/// It is, in part: the monitor would refuse it. Or it cannot be read.
pub fn is_for_secure(image: &Path) -> Result<bool, Failure> {
    let bytes = read(image)?;
    match Image::read(&bytes) {
        Ok(_) => Ok(true),
        // Elsewhere altogether: for a machine of its own.
        Err(ImageError::Outside(memory)) if !RTOS_MEMORY.holds(memory.base, 0) => Ok(false),
        Err(ImageError::NotElf) => Ok(false),
        Err(error) => Err(Failure::usage(format_args!("{}: {error}", image.display()))),
    }
}

impl Beside {
    /// Whether a Linux was asked for.
    fn is_asked_for(&self) -> bool {
        let files = [&self.kernel, &self.initrd, &self.site];
        files.into_iter().any(Option::is_some) || self.append != WORDS || self.memory != MEMORY_MIB
    }

    /// For an image beside which there is none.
    ///
    /// # Errors
    /// One was asked for.
    pub fn refuse_for(&self, image: &Path) -> Result<(), Failure> {
        if !self.is_asked_for() {
            return Ok(());
        }
        Err(Failure::usage(format_args!(
            "{}: has the machine to itself: Linux runs beside an image that is built with the feature secure of tokkyu-rtos-aarch64",
            image.display()
        )))
    }

    /// Starts the machine. Linux's console is this program's input and output, the RTOS's words go to standard error.
    ///
    /// # Errors
    /// A file is missing or of no use; QEMU is not there.
    pub fn start(&self, image: &Path, processors: u32, counts_instructions: bool) -> Result<Child, Failure> {
        let mut qemu = self.machine(image, processors, counts_instructions)?;
        qemu.args(["-chardev", "stdio,id=linux,mux=on,signal=off", "-mon", "chardev=linux"]);
        qemu.args(["-serial", "chardev:linux", "-serial", "file:/dev/stderr"]);
        // It has the terminal, which it gives back as it was when it is told to end.
        ends_with_its_starter(qemu.stdin(Stdio::inherit()), Signal::SIGTERM).spawn().map_err(not_there)
    }

    /// Starts the machine, which is told what to do at a socket that it makes (qmp.rs). Linux's words come from its output, the RTOS's from
    /// where its errors do.
    ///
    /// # Errors
    /// As of [`start`](Self::start).
    pub fn start_watched(&self, image: &Path, processors: u32, socket: &Path) -> Result<Child, Failure> {
        let mut qemu = self.machine(image, processors, false)?;
        qemu.args(["-monitor", "none", "-serial", "stdio", "-serial", "file:/dev/stderr"]);
        qemu.args(control(socket));
        qemu.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A terminal's Ctrl-C is for this program.
        ends_with_its_starter(qemu.process_group(0), Signal::SIGKILL).spawn().map_err(not_there)
    }

    /// Where the memory is that both systems have: at the end of the only memory of that machine, which begins with its device tree.
    pub fn shared(&self) -> Option<Range> {
        shared_of(Range { base: TREE, bytes: u64::from(self.memory) << 20 })
    }

    /// What both have in common.
    fn machine(&self, image: &Path, processors: u32, counts_instructions: bool) -> Result<Command, Failure> {
        let site = self.site.as_deref();
        let budgets = site.map(|site| budgets::of_site(site, processors)).transpose()?.flatten();
        let monitor = needed(
            built_folder("TOKKYU_MONITOR", "monitor").join("monitor.bin"),
            "monitor/build makes it (TOKKYU_MONITOR: the folder)",
        )?;
        let (kernel, initrd) = self.linux()?;
        Kernel::read(&read(&kernel)?[..]).map_err(|error| {
            Failure::usage(format_args!("{}: {error}; its first {HEADER_BYTES} bytes say", kernel.display()))
        })?;
        let file = |path: &Path| path.display().to_string().replace(',', ",,");
        let mut qemu = Command::new(QEMU);
        qemu.args(["-M", "virt,secure=on,gic-version=3", "-display", "none"])
            .args(["-smp", &processors.to_string(), "-m", &format!("{}M", self.memory)])
            .arg("-bios")
            .arg(&monitor)
            .args(["-fw_cfg", &format!("name=opt/org.tokkyu/rtos,file={}", file(image))])
            .arg("-kernel")
            .arg(&kernel)
            .args(["-append", &self.append]);
        if let Some(initrd) = &initrd {
            qemu.arg("-initrd").arg(initrd);
        }
        if let Some(budgets) = &budgets {
            qemu.args(["-fw_cfg", budgets]);
        }
        if counts_instructions {
            qemu.args(["-cpu", "cortex-a53,cntfrq=1000000000", "-icount", "shift=0,sleep=off"]);
        } else {
            qemu.args(["-cpu", "cortex-a53"]);
        }
        Ok(qemu)
    }

    /// Kernel and initrd.
    fn linux(&self) -> Result<(PathBuf, Option<PathBuf>), Failure> {
        if let Some(kernel) = &self.kernel {
            let named = |file: &PathBuf| needed(file.clone(), "no such file");
            return Ok((named(kernel)?, self.initrd.as_ref().map(named).transpose()?));
        }
        let debian = built_folder("TOKKYU_MONITOR_LINUX", "monitor-linux");
        let remedy = "monitor/fetch fetches it (TOKKYU_MONITOR_LINUX: the folder), or --kernel names yours";
        let kernel = needed(debian.join("Image"), remedy)?;
        let initrd = self.initrd.clone().unwrap_or_else(|| debian.join("initrd"));
        Ok((kernel, Some(needed(initrd, remedy)?)))
    }
}
