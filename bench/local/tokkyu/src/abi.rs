//! The two ends for programs in C++, of whose two processes one or both are ours: declared in `cpp/ours.hpp`.
//!
//! A handle belongs to one thread at a time, and is given back by its `close`. What fails is said on standard error.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use tokkyu_node::Node;

use crate::ends::{self, Receiver, Sender};
use crate::failure::Failure;

/// A publisher with its node.
pub struct TokkyuSender {
    sender: Option<Sender>,
    node: Node,
}

/// A subscription with its node and thread.
pub struct TokkyuReceiver {
    receiver: Receiver,
}

/// Called with each sample's payload, in the receiver's thread.
pub type Take = unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, size: usize);

/// What the callback is given back; it is used by the receiver's thread alone.
struct Context(*mut c_void);

// SAFETY: whoever opens a receiver says that its context may be used by the receiver's thread.
unsafe impl Send for Context {}

impl Context {
    /// # Safety
    /// `take` may be called with this context and any bytes.
    unsafe fn tell(&self, take: Take, bytes: &[u8]) {
        // SAFETY: as the caller says; the bytes live as long as the call.
        unsafe { take(self.0, bytes.as_ptr(), bytes.len()) }
    }
}

fn said<T>(outcome: Result<T, Failure>) -> Option<T> {
    outcome.map_err(|failure| eprintln!("tokkyu: {failure}")).ok()
}

/// # Safety
/// `text` is a string that ends with a zero.
unsafe fn text<'t>(text: *const c_char) -> Result<&'t str, Failure> {
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| Failure("the master's address is no UTF-8".into()))
}

/// Null where it cannot be made.
///
/// # Safety
/// `master` is a string that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tokkyu_sender_open(master: *const c_char, bytes: u32) -> *mut TokkyuSender {
    // SAFETY: as the caller says.
    let master = unsafe { text(master) };
    let open = |master: &str| {
        let node = ends::node("tokkyu_local_sender", master)?;
        let sender = Some(Sender::open_for_one(&node, bytes as usize)?);
        Ok(TokkyuSender { sender, node })
    };
    said(master.and_then(open)).map_or(ptr::null_mut(), |sender| Box::into_raw(Box::new(sender)))
}

/// Whether somebody subscribes.
///
/// # Safety
/// `sender` was opened and not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tokkyu_sender_is_matched(sender: *const TokkyuSender) -> bool {
    // SAFETY: as the caller says.
    unsafe { &*sender }.sender.as_ref().is_some_and(Sender::is_matched)
}

/// The place of the next sample's payload; null where there is none.
///
/// # Safety
/// `sender` was opened and not closed; what this gave before is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tokkyu_sender_loan(sender: *mut TokkyuSender) -> *mut u8 {
    // SAFETY: as the caller says.
    let sender = unsafe { &mut *sender };
    sender.sender.as_mut().and_then(|sender| said(sender.loan())).map_or(ptr::null_mut(), <[u8]>::as_mut_ptr)
}

/// Publishes what was lent last; false where nobody has got it.
///
/// # Safety
/// `sender` was opened and not closed; what was lent is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tokkyu_sender_publish(sender: *mut TokkyuSender) -> bool {
    // SAFETY: as the caller says.
    let sender = unsafe { &mut *sender };
    sender.sender.as_mut().and_then(|sender| said(sender.publish())).is_some()
}

/// Ends the publisher and its node.
///
/// # Safety
/// `sender` was opened, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tokkyu_sender_close(sender: *mut TokkyuSender) {
    // SAFETY: as the caller says; it was boxed when it was opened.
    let mut sender = unsafe { Box::from_raw(sender) };
    sender.sender = None;
    sender.node.shutdown();
}

/// Null where it cannot be made.
///
/// # Safety
/// `master` is a string that ends with a zero; `take` may be called with `context` by another thread until the receiver is
/// closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tokkyu_receiver_open(
    master: *const c_char,
    take: Take,
    context: *mut c_void,
) -> *mut TokkyuReceiver {
    let context = Context(context);
    // SAFETY: as the caller says.
    let master = unsafe { text(master) };
    let open = |master: &str| {
        let node = ends::node("tokkyu_local_receiver", master)?;
        // SAFETY: as the caller says.
        let tell = move |bytes: &[u8]| unsafe { context.tell(take, bytes) };
        Ok(TokkyuReceiver { receiver: Receiver::open(node, tell)? })
    };
    said(master.and_then(open)).map_or(ptr::null_mut(), |receiver| Box::into_raw(Box::new(receiver)))
}

/// Whether somebody publishes.
///
/// # Safety
/// `receiver` was opened and not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tokkyu_receiver_is_matched(receiver: *const TokkyuReceiver) -> bool {
    // SAFETY: as the caller says.
    unsafe { &*receiver }.receiver.is_matched()
}

/// Ends the subscription and its node: the callback is not called any more.
///
/// # Safety
/// `receiver` was opened, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tokkyu_receiver_close(receiver: *mut TokkyuReceiver) {
    // SAFETY: as the caller says; it was boxed when it was opened.
    drop(unsafe { Box::from_raw(receiver) });
}
