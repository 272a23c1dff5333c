//! What is called with each sample.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::Any;

use tokkyu_graph::Origin;
use tokkyu_message::{Message, ReadError, View, read_whole};

use super::delivery::Delivery;
use crate::object::Typed;

/// Told of what could not be read.
pub(crate) type Complain = Arc<dyn Fn(&Origin, ReadError) + Send + Sync>;

/// What a subscription was made with.
pub(crate) type Callback = Box<dyn Call>;

pub(crate) trait Call: Send {
    fn call(&mut self, delivery: &mut Delivery<'_>);

    /// Where its instructions begin.
    fn code(&self) -> *const u8;
}

impl<F: FnMut(&mut Delivery<'_>) + Send> Call for F {
    fn call(&mut self, delivery: &mut Delivery<'_>) {
        self(delivery);
    }

    fn code(&self) -> *const u8 {
        <F as Call>::call as *const u8
    }
}

/// A callback for messages of a type, whatever form they come in. One that was published in this process is handed over as it is; another is
/// read into a message that is used again.
pub(crate) fn typed<M: Message>(
    mut callback: impl FnMut(&M) + Send + 'static,
    complain: Complain,
) -> Callback {
    let mut read = M::default();
    Box::new(move |delivery: &mut Delivery<'_>| {
        let object = delivery.object().map(|object| &**object as &dyn Any);
        if let Some(Typed(message)) = object.and_then(|object| object.downcast_ref::<Typed<M>>()) {
            return callback(message);
        }
        match read_whole(&mut read, delivery.wire()) {
            Ok(()) => callback(&read),
            Err(error) => complain(delivery.origin(), error),
        }
    })
}

/// A callback for views.
pub(crate) fn viewing<M: Message>(
    mut callback: impl for<'a> FnMut(M::View<'a>) + Send + 'static,
    complain: Complain,
) -> Callback {
    Box::new(move |delivery: &mut Delivery<'_>| {
        let Delivery { sample, origin, scratch } = delivery;
        match M::View::of(sample.wire(scratch)) {
            Ok(view) => callback(view),
            Err(error) => complain(origin, error),
        }
    })
}
