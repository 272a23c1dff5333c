//! Subscriptions and what they deliver.

use core::any::Any;
use core::ffi::{c_char, c_int, c_void};

use tokkyu_node::{Delivery, Subscription, SubscriptionOptions};

use crate::node::tk_node;
use crate::object::{Foreign, tk_object_ops};
use crate::publisher::tk_kind;
use crate::queue::{tk_queue, with_queue};
use crate::text::{free, give, handle, ok, read};
use crate::user::User;

/// A delivery is borrowed: it lasts as long as the callback.
pub struct tk_delivery<'d, 's>(&'d mut Delivery<'s>);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_delivery_object(
    delivery: *const tk_delivery<'_, '_>,
    ops: *mut *const tk_object_ops,
) -> *const c_void {
    // SAFETY: within its callback.
    let delivery = unsafe { &*delivery };
    let object = delivery.0.object().map(|object| &**object as &dyn Any);
    let Some(foreign) = object.and_then(|object| object.downcast_ref::<Foreign>()) else {
        return core::ptr::null();
    };
    // SAFETY: room for one pointer.
    unsafe { *ops = foreign.ops };
    foreign.object
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_delivery_wire(delivery: *mut tk_delivery<'_, '_>, len: *mut usize) -> *const u8 {
    // SAFETY: within its callback; room for one length.
    unsafe {
        let bytes = (*delivery).0.wire();
        *len = bytes.len();
        bytes.as_ptr()
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_delivery_sequence(delivery: *const tk_delivery<'_, '_>) -> u32 {
    // SAFETY: within its callback.
    unsafe { &*delivery }.0.sequence()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_delivery_missed(delivery: *const tk_delivery<'_, '_>) -> u32 {
    // SAFETY: within its callback.
    unsafe { &*delivery }.0.missed()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_delivery_link(delivery: *const tk_delivery<'_, '_>) -> u32 {
    // SAFETY: within its callback.
    unsafe { &*delivery }.0.origin().link
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_delivery_field(
    delivery: *const tk_delivery<'_, '_>,
    field: c_int,
) -> *mut c_char {
    // SAFETY: within its callback.
    let origin = unsafe { &*delivery }.0.origin();
    match field {
        0 => give(&origin.callerid),
        1 => give(&origin.topic),
        2 => give(&origin.datatype),
        3 => give(&origin.md5sum),
        4 => give(&origin.definition),
        _ => give(if origin.is_latched { "1" } else { "0" }),
    }
}

#[repr(C)]
pub struct tk_subscription_options {
    pub depth: u32,
    pub no_delay: bool,
    pub slot_bytes: u32,
    pub callback: unsafe extern "C" fn(*mut c_void, *mut tk_delivery<'_, '_>),
    pub user: *mut c_void,
    pub free_user: Option<unsafe extern "C" fn(*mut c_void)>,
}

pub struct tk_subscription(Subscription);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_subscribe(
    node: *const tk_node,
    queue: *const tk_queue,
    topic: *const c_char,
    kind: *const tk_kind,
    options: *const tk_subscription_options,
) -> *mut tk_subscription {
    // SAFETY: handles, a text, and two records.
    let (node, topic, kind, given) =
        unsafe { (with_queue(node, queue), read(topic), (*kind).read(), &*options) };
    let mut options = SubscriptionOptions::with_depth(given.depth);
    options.no_delay = given.no_delay;
    options.slot_bytes = given.slot_bytes as usize;
    let (user, callback) = (User::new(given.user, given.free_user), given.callback);
    let callback = move |delivery: &mut Delivery<'_>| {
        let mut delivery = tk_delivery(delivery);
        // SAFETY: the program gave function and pointer together.
        unsafe { callback(user.get(), &raw mut delivery) };
    };
    handle(ok(node.subscribe_raw(&topic, kind, &options, callback)).map(tk_subscription))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_subscription_free(subscription: *mut tk_subscription) {
    // SAFETY: a handle.
    unsafe { free(subscription) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_subscription_publishers(subscription: *const tk_subscription) -> u32 {
    // SAFETY: a handle.
    unsafe { &*subscription }.0.publishers()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tk_subscription_topic(subscription: *const tk_subscription) -> *mut c_char {
    // SAFETY: a handle.
    give(unsafe { &*subscription }.0.topic())
}
