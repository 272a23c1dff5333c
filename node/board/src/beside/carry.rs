//! The node "linux": carries topics to the Linux beside this system, and from there.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::sync::atomic::Ordering::Acquire;
use core::time::Duration;

use tokkyu_callbacks::port::port;
use tokkyu_callbacks::raw::Publisher;
use tokkyu_callbacks::{Kind, Level, Node, NodeError, PublisherOptions, Subscription, SubscriptionOptions};
use tokkyu_contract::Class;
use tokkyu_monitor_topics::{Crossing, Direction, Inlet, Topic};
use tokkyu_rtos_aarch64::linux;
use tokkyu_window::TooLong;

use super::network::RUNG;
use crate::image::Image;

fn kind(topic: &Topic<'_>) -> Kind {
    let [datatype, md5sum, definition] = [topic.kind, topic.md5, topic.definition].map(String::from);
    Kind { datatype, md5sum, definition }
}

fn refused(error: impl ToString) -> NodeError {
    NodeError::System { what: "topics that cross to Linux", error: error.to_string() }
}

/// Runs for ever, as the node's program.
///
/// # Errors
///
/// [`NodeError`]: the topics have no room, or there is no Linux that they could cross to.
pub fn carry<I: Image>(node: &Node) -> Result<(), NodeError> {
    let crossing: &'static Crossing = Box::leak(Box::new(Crossing::begin(I::ACROSS).map_err(refused)?));
    let (mut inward, mut outward) = (Vec::new(), Vec::new());
    for (number, topic) in I::ACROSS.iter().enumerate() {
        match topic.direction {
            Direction::FromLinux => inward.push(Inward::open(node, crossing, number, topic)?),
            Direction::FromRtos => outward.push(open_outward(node, crossing, number, topic)?),
        }
    }
    if !inward.is_empty() {
        let run = move |_| carry_inward::<I>(inward);
        port().spawn("from linux", Some(Class::Control), Box::new(run)).map_err(refused)?;
    }
    node.spin();
    Ok(())
}

/// What nodes here publish goes into the window in the callback's task, which is of the flow's class if one is declared.
fn open_outward(
    node: &Node,
    crossing: &'static Crossing,
    number: usize,
    topic: &Topic<'_>,
) -> Result<Subscription, NodeError> {
    let mut window = crossing.writer(number).ok_or_else(|| refused("no window"))?;
    let bytes = topic.form.slot_bytes() as usize;
    let options = SubscriptionOptions {
        longest: bytes,
        slot_bytes: bytes,
        ..SubscriptionOptions::with_depth(topic.form.slots())
    };
    let (log, name) = (node.clone(), topic.name.to_string());
    node.subscribe_raw(topic.name, kind(topic), &options, move |delivery| {
        match window.publish(delivery.wire()) {
            Ok(_) => crossing.ring(),
            Err(TooLong { most }) => {
                let bytes = delivery.wire().len();
                log.say(Level::Warn, format_args!("{name}: {bytes} bytes do not cross: {most} at most"));
            }
        }
    })
}

/// A topic of Linux's.
struct Inward {
    inlet: Inlet,
    publisher: Publisher,
    /// As many messages as there can be at once.
    slots: u32,
}

impl Inward {
    fn open(node: &Node, crossing: &Crossing, number: usize, topic: &Topic<'_>) -> Result<Inward, NodeError> {
        let inlet = crossing.inlet(number).ok_or_else(|| refused("no window"))?;
        let options = PublisherOptions {
            slot_bytes: topic.form.slot_bytes() as usize,
            ..PublisherOptions::with_depth(topic.form.slots())
        };
        let slots = topic.form.slots();
        Ok(Inward { inlet, slots, publisher: node.advertise_raw(topic.name, kind(topic), options)? })
    }

    /// All that is there, as far as it is whole when it was copied: Linux may write there at any time, and a Linux that never ends to
    /// keeps nobody here. What finds no slot is lost, as anywhere.
    fn carry(&mut self) {
        for _ in 0..self.slots {
            let Some(view) = self.inlet.look() else { return };
            let Ok(mut loan) = self.publisher.loan(view.len()) else { continue };
            view.copy_into(&mut loan);
            if self.inlet.is_whole(&view) {
                let _ = loan.publish();
            }
        }
    }
}

/// It is looked without a bell too: what somebody has written over is another window only for who saw it in between.
const LOOK: Duration = Duration::from_millis(100);

fn carry_inward<I: Image>(mut inward: Vec<Inward>) {
    loop {
        let rung = RUNG.load(Acquire);
        // Before it is looked: what is written behind a look rings again.
        let _ = I::kernel().ena_int(linux::BELL);
        inward.iter_mut().for_each(Inward::carry);
        port().wait(&RUNG, rung, Some(port().now() + LOOK));
    }
}
