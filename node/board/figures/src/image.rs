//! The image: a node that counts, and one on the second processor that hears; beside them a master.

use alloc::boxed::Box;
use alloc::string::String;
use core::net::Ipv4Addr;

use tokkyu_board::generated::{Board, Kernel, Processor, Rtos, Stack, StackRange, Task, Worker};
use tokkyu_board::{
    Counts, Entry, Found, Here, Image, Layout, Parts, Program, Run, STACK_BYTES, kick, ranges, tasks, workers,
};
use tokkyu_node_master::serve;
use tokkyu_node_rtos::Wire;

use crate::paths;

#[derive(Clone, Copy)]
pub(crate) struct Figures;

fn passes(_: &[u8]) -> bool {
    kick::<Figures>();
    true
}

const ON: &[u8] = &[1, 2];
const COUNTS: Counts = Counts { processors: 2, nodes: ON.len(), spare: 2, control: 1, realtime: 0 };

static PROCESSORS: [Processor; COUNTS.processors] = [const { Processor::new() }; COUNTS.processors];
static TASKS: [Task; COUNTS.tasks()] = tasks(COUNTS, ON);
#[unsafe(link_section = ".stacks.tasks")]
static STACKS: [Stack<STACK_BYTES>; COUNTS.tasks()] = [const { Stack::new() }; COUNTS.tasks()];
static RANGES: [StackRange; COUNTS.tasks()] = ranges(&STACKS);
static WORKERS: [Worker; COUNTS.workers()] = workers(COUNTS);
const fn entry(name: &'static str, run: Run) -> Entry {
    Entry { name, program: Program::Node(run) }
}

static NODES: [Entry; COUNTS.nodes] = [entry("counts", paths::count), entry("hears", paths::hear_far)];
static KERNEL: Kernel<Board<Parts<Figures>>> = Kernel::new(Board::new(Parts::new()));

/// Its port.
pub(crate) static PORT: Rtos<Here<Figures>> = Rtos::new(Here::new());

impl Image for Figures {
    #[inline(always)]
    fn kernel() -> &'static Kernel<Board<Parts<Figures>>> {
        &KERNEL
    }

    #[inline(always)]
    fn layout() -> Layout {
        Layout { processors: &PROCESSORS, tasks: &TASKS, stacks: &RANGES, workers: &WORKERS, nodes: &NODES }
    }

    type Device = Wire;

    fn device() -> Result<Found<Wire>, String> {
        // It runs when the driver waits, and before the nodes, which are less urgent.
        PORT.start("master", None, Box::new(|| drop(serve(&PORT, Ipv4Addr::UNSPECIFIED.into(), 1, |_| ()))))?;
        Ok(Found { device: Wire::new(passes), hardware: [2, 0, 0, 0, 0, 1], line: None })
    }

    fn variable(name: &str) -> Option<&'static str> {
        match name {
            "ROS_MASTER_URI" => Some("http://10.0.2.15:11411"),
            "ROS_IP" => Some("10.0.2.15"),
            _ => None,
        }
    }

    fn acknowledge(_: u32) {}

    /// The same each time.
    fn epoch_seconds() -> u64 {
        0
    }
}

tokkyu_callbacks::port!(PORT);
tokkyu_rtos_aarch64::system!(KERNEL, processors: COUNTS.processors);

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    tokkyu_board::panic(info)
}
