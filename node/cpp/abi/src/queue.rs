//! Queues of callbacks.

use core::time::Duration;

use tokkyu_node::{CallbackQueue, Node};

use crate::node::tk_node;
use crate::text::{free, handle};

pub struct tk_queue(pub(crate) CallbackQueue);

/// The node with that queue, or with its own.
pub(crate) unsafe fn with_queue(node: *const tk_node, queue: *const tk_queue) -> Node {
    // SAFETY: handles; the queue may be NULL.
    let (node, queue) = unsafe { (&(*node).0, queue.as_ref()) };
    queue.map_or_else(|| node.clone(), |queue| node.with_queue(&queue.0))
}

#[unsafe(no_mangle)]
pub extern "C" fn tk_queue_new() -> *mut tk_queue {
    handle(Some(tk_queue(CallbackQueue::new())))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_node_queue(node: *const tk_node) -> *mut tk_queue {
    // SAFETY: a handle.
    handle(Some(tk_queue(unsafe { &*node }.0.queue())))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_queue_free(queue: *mut tk_queue) {
    // SAFETY: a handle.
    unsafe { free(queue) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_queue_wakes(queue: *const tk_queue) -> u32 {
    // SAFETY: a handle.
    unsafe { &*queue }.0.wakes()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_queue_call_one(queue: *const tk_queue, timeout: i64, wakes: u32) -> bool {
    let timeout = u64::try_from(timeout).ok().map(Duration::from_nanos);
    // SAFETY: a handle.
    unsafe { &*queue }.0.call_one(timeout, wakes)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_queue_spin(queue: *const tk_queue) {
    // SAFETY: a handle.
    unsafe { &*queue }.0.spin();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_queue_spin_once(queue: *const tk_queue) {
    // SAFETY: a handle.
    unsafe { &*queue }.0.spin_once();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_queue_is_stopped(queue: *const tk_queue) -> bool {
    // SAFETY: a handle.
    unsafe { &*queue }.0.is_stopped()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_queue_has_waiting(queue: *const tk_queue) -> bool {
    // SAFETY: a handle.
    unsafe { &*queue }.0.has_waiting()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_queue_discard(queue: *const tk_queue) {
    // SAFETY: a handle.
    unsafe { &*queue }.0.discard();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_queue_wake(queue: *const tk_queue) {
    // SAFETY: a handle.
    unsafe { &*queue }.0.wake();
}
