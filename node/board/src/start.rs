//! What an image does first: memory, network, nodes.

use alloc::boxed::Box;
use alloc::ffi::CString;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ffi::c_char;
use core::fmt::{Display, Write};
use core::panic::PanicInfo;
use core::str::FromStr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use core::sync::atomic::{AtomicBool, AtomicUsize};

use tokkyu_callbacks::Node;
use tokkyu_node_rtos::{Address, FIRST_PORT, Hosts, Memory, Rtos, Stack};
use tokkyu_rtos::Port;
use tokkyu_rtos_aarch64::{Console, exit};

use crate::here::Here;
use crate::image::{Entry, Found, Image, Main, Program};
use crate::state::{self, print};
use crate::{arguments, constructors, heap};

/// Under QEMU's own network: the machine around it is 10.0.2.2, and what is at that one's loopback.
const ADDRESS: &str = "10.0.2.15/24,10.0.2.2,10.0.2.2";
/// For each node two at each of its ports, one to the master, and three connections.
const SOCKETS: usize = 8;

/// The first task: brings the network up, starts the nodes, and drives the network for ever.
pub(crate) fn drive<I: Image>() {
    let (kernel, port) = (I::kernel(), Rtos::new(Here::<I>::new()));
    let seconds = I::epoch_seconds();
    let since_start = kernel.port.now_us() * 1000;
    state::set_began_at_nanos((seconds * 1_000_000_000).saturating_sub(since_start));
    let stack = match network::<I>(seconds) {
        Ok(stack) => stack,
        Err(error) => return print(&format!("board: {error}")),
    };
    print(&format!(
        "board: {} on {} processors after {} us, {} of {} bytes of memory",
        stack.address().own,
        I::layout().processors.len(),
        kernel.port.now_us(),
        heap::used().0,
        heap::bytes()
    ));
    constructors::call();
    state::name(1, "driver");
    for (task, node) in (2..).zip(I::layout().nodes) {
        state::name(task, node.name);
        if let Err(error) = kernel.act_tsk(task) {
            print(&format!("board: {} cannot be started: {error:?}", node.name));
        }
    }
    stack.drive(&port)
}

/// What the boot loader says of the network, or what is usual.
fn told<T: FromStr<Err: Display>>(name: &str, usual: &str) -> Result<T, String> {
    arguments::find(name).unwrap_or(usual).parse().map_err(|error| format!("{name}: {error}"))
}

/// The network, up and known to all.
fn network<I: Image>(seconds: u64) -> Result<&'static Stack<I::Device>, String> {
    let address = told::<Address>("NETWORK", ADDRESS)?;
    let hosts = told::<Hosts>("HOSTS", "")?;
    let first_port = told("FIRST_PORT", &FIRST_PORT.to_string())?;
    let Found { device, hardware, line } = I::device()?;
    let seed = aarch64_cpu::registers::Readable::get(&aarch64_cpu::registers::CNTVCT_EL0) ^ seconds << 32;
    let nodes = I::layout().workers.iter().filter(|worker| worker.is_of_none()).count();
    let memory = Memory { sockets: SOCKETS * nodes, receive_bytes: 4 << 10, send_bytes: 8 << 10 };
    let stack = Stack::new(device, hardware, address, memory, seed);
    let stack: &'static Stack<I::Device> =
        Box::leak(Box::new(stack.with_first_port(first_port).with_hosts(hosts)));
    state::set_stack::<I>(stack);
    match line.map(|line| (line, I::kernel().ena_int(line))) {
        Some((line, Err(error))) => Err(format!("line {line} of the network cannot be enabled: {error:?}")),
        _ => Ok(stack),
    }
}

/// A node's main task. When the last has ended, so does the board, with 1 if one of them has failed.
pub(crate) fn node<I: Image>(entry: &Entry) {
    static ENDED: AtomicUsize = AtomicUsize::new(0);
    static FAILED: AtomicBool = AtomicBool::new(false);
    if !run(entry) {
        FAILED.store(true, Release);
    }
    if ENDED.fetch_add(1, AcqRel) + 1 == I::layout().nodes.len() {
        exit(i32::from(FAILED.load(Acquire)))
    }
}

/// Whether it has not failed.
fn run(entry: &Entry) -> bool {
    let name = entry.name;
    let ended = match entry.program {
        Program::Node(run) => {
            Node::builder(name).build().and_then(|node| run(&node)).map_err(|e| e.to_string())
        }
        Program::Main(main) => match call(name, main) {
            0 => Ok(()),
            code => Err(format!("code {code}")),
        },
    };
    match &ended {
        Ok(()) => print(&format!("board: {name} has ended")),
        Err(error) => print(&format!("board: {name} has failed: {error}")),
    }
    ended.is_ok()
}

/// Calls a `main` with its name and its arguments.
fn call(name: &'static str, main: Main) -> i32 {
    let texts =
        core::iter::once(name).chain(arguments::arguments()).filter_map(|word| CString::new(word).ok());
    let mut arguments: Vec<*mut c_char> = texts.map(CString::into_raw).collect();
    let count = arguments.len() as i32;
    // As C has it, and for ever: it may keep them.
    arguments.push(core::ptr::null_mut());
    // SAFETY: the program's `main`.
    unsafe { main(count, Vec::leak(arguments).as_mut_ptr()) }
}

/// What a panic does: it is told, and the board ends.
pub fn panic(info: &PanicInfo<'_>) -> ! {
    let _ = writeln!(Console, "board: {info}");
    exit(1)
}
