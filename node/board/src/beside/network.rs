//! What nodes here have in place of a network: a wire to themselves, and a master at its end.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::net::Ipv4Addr;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Release;

use tokkyu_callbacks::port::Sleeper;
use tokkyu_node_master::serve;
use tokkyu_node_rtos::{Rtos, Wire};
use tokkyu_rtos_aarch64::{Line, linux};

use crate::here::Here;
use crate::image::{Found, Image};
use crate::kick::kick;
use crate::state::print;
use crate::tables::LINE_PRIORITY;

/// Linux's bell.
pub(crate) static LINES: [Line; 1] =
    [Line { number: linux::BELL, processor: 1, priority: LINE_PRIORITY, enabled: true }];

/// How often Linux has rung and was looked for.
pub(super) static RUNG: AtomicU32 = AtomicU32::new(0);

/// Linux has rung. Not again before it was looked: however often it rings, it takes no more of this processor (MON-94).
pub fn acknowledge<I: Image>(_: u32) {
    let _ = I::kernel().dis_int(linux::BELL);
    RUNG.fetch_add(1, Release);
    Rtos::new(Here::<I>::new()).wake(&RUNG, 1);
}

/// The wire, and the master. It runs when the driver waits, and before nodes, which are less urgent: the ports that it listens on are the
/// first.
///
/// # Errors
///
/// No worker is free for it.
pub fn device<I: Image>() -> Result<Found<Wire>, String> {
    let port = Rtos::new(Here::<I>::new());
    let run = move || {
        let Err(error) = serve(&port, Ipv4Addr::UNSPECIFIED.into(), 1, |_| ());
        print(&format!("board: no master: {error}"));
    };
    port.start("master", None, Box::new(run))?;
    let passes = |_: &[u8]| {
        kick::<I>();
        true
    };
    Ok(Found { device: Wire::new(passes), hardware: [2, 0, 0, 0, 0, 1], line: None })
}

/// Where the master is: at the first port of the board's own address, which nobody outside has.
pub fn variable(name: &str) -> Option<&'static str> {
    match name {
        "ROS_MASTER_URI" => Some("http://10.0.2.15:11411"),
        "ROS_IP" => Some("10.0.2.15"),
        _ => None,
    }
}
