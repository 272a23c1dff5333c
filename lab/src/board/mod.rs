//! Virtual boards: a Debian kernel in QEMU, with our modules, that carries out a plan and reports.
//!
//! A board has no disk and no network card: a kernel, an initial file system made for this one start, and a serial console.
//! Its first process is the agent (`lab/agent`), which carries out the [`Plan`] and switches the machine off. QEMU runs by
//! software emulation (TCG): no right is needed for it. Three ways of time:
//!
//! * [`Clock::Counted`]: virtual time moves with the instructions executed, 2 ns each, and skips what the processor is halted
//!   for. What else the host does changes no figure. One processor.
//! * [`Clock::Together`]: the same with several processors, which take turns: time moves with
//!   the instructions of all of them.
//! * [`Clock::Host`]: for function on several processors; its times are the host's, and say little.
//!
//! What bounds its time: the patience given to [`Board::run`], after which QEMU is killed. QEMU does not outlive the lab
//! (`PR_SET_PDEATHSIG`), and leaves nothing behind but the folder of the run.
mod architecture;
mod console;
mod error;
mod files;
mod initramfs;
mod kept;
mod kernel;
mod machine;
pub mod pair;

pub(crate) use initramfs::Archive;

pub use architecture::Architecture;
pub use error::BoardError;
pub use files::LEDBAT;
pub use kernel::{DEBUG_KERNEL, KERNELS, Kernel, REALTIME_KERNELS, boards_folder};
pub use machine::{Board, Clock, NS_PER_INSTRUCTION, Outcome, SLICE_US};
pub use tokkyu_agent::plan::{self, Plan, Step};
pub use tokkyu_agent::report::{self, Line, Round};
