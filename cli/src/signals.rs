//! Ctrl-C and its relatives: the first asks the program to end in order, the second ends it at once.
//!
//! Runs in signal handlers, where only an atomic load or store and a few system calls are allowed: nothing here
//! allocates, locks or unwinds. Invariant: ended at once or in order, the terminal is as it was before.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, raise, sigaction};
use tokkyu_drive::program::{ExitCode, StopFlag};

use crate::exit::Failure;

static STOP: OnceLock<StopFlag> = OnceLock::new();
/// The terminal's modes before anything changed them, where standard input is one.
static TERMINAL: OnceLock<libc::termios> = OnceLock::new();

/// Leaves the alternate screen, shows the cursor, and takes focus reports and key protocol back: what the live view has
/// switched on (xterm's control sequences; the key protocol is kitty's). Harmless where it was not.
const LEAVE_SCREEN: &[u8] = b"\x1b[<u\x1b[?1004l\x1b[?1049l\x1b[?25h";

/// Takes SIGINT, SIGTERM and SIGHUP over for the rest of the process. Call once, before the terminal is changed.
///
/// # Errors
/// The system refuses to set a handler.
pub fn install() -> Result<StopFlag, Failure> {
    let flag = STOP.get_or_init(StopFlag::new).clone();
    if let Some(modes) = modes_of_terminal() {
        TERMINAL.get_or_init(|| modes);
    }
    let action = SigAction::new(SigHandler::Handler(on_signal), SaFlags::SA_RESTART, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // SAFETY: the handler does only what signal-safety(7) allows.
        unsafe { sigaction(signal, &action) }.map_err(|error| {
            Failure::new(ExitCode::NotPossible, format_args!("cannot handle {signal}: {error}"))
        })?;
    }
    Ok(flag)
}

extern "C" fn on_signal(number: libc::c_int) {
    match STOP.get() {
        Some(flag) if !flag.is_set() => flag.set(),
        _ => end_at_once(number),
    }
}

/// Gives the terminal back and lets the signal do what it does without a handler. Programs started by this one die with
/// it, by their own wish.
fn end_at_once(number: libc::c_int) {
    if let Some(modes) = TERMINAL.get() {
        // SAFETY: the pointers are to statics, and all three calls are on the list of signal-safety(7). What fails here
        // has no one to be told.
        unsafe {
            libc::write(libc::STDOUT_FILENO, LEAVE_SCREEN.as_ptr().cast(), LEAVE_SCREEN.len());
            libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, modes);
        }
    }
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    if let Ok(signal) = Signal::try_from(number) {
        // SAFETY: the default action is no function of ours.
        let _ = unsafe { sigaction(signal, &default) };
        // Blocked while this handler runs, so it strikes when the handler returns.
        let _ = raise(signal);
    }
}

fn modes_of_terminal() -> Option<libc::termios> {
    let mut modes = MaybeUninit::uninit();
    // SAFETY: on success tcgetattr has filled the whole value; on failure it is not looked at.
    unsafe {
        match libc::tcgetattr(libc::STDIN_FILENO, modes.as_mut_ptr()) {
            0 => Some(modes.assume_init()),
            _ => None,
        }
    }
}
