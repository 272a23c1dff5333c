//! `tokkyu-local-overload`: a subscription that is ten times too slow, and what `publish` takes meanwhile (NODE-12 to NODE-14).
//!
//! ```text
//! main thread:   tick ─ lend, fill ─ [ publish ] ─ tick …        the time in brackets is recorded
//! callback:      look at the whole sample ─ keep it so many periods ─ look once more ─ …
//! ```
//!
//! Beside it, at the same ticks and in the same threads, the least that handing over can be (`Floor`): what its calls take is what this machine
//! makes of so short a time.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokkyu_message::{Message, View};
use tokkyu_node::{Delivery, Kind, Node, Subscription, SubscriptionOptions};

use crate::apart::Apart;
use crate::arguments::Arguments;
use crate::ends::{self, Sender, TOPIC};
use crate::failure::{Early, Failure, apart_failed};
use crate::machine::{self, now_ns, wait_until};
use crate::results::{Output, RecordsFile};
use crate::std_msgs::UInt8MultiArray;
use crate::thread::master_of;
use crate::{pacing, payload};

/// The subscription's queue: what comes while it is full drives the oldest out.
const DEPTH: u32 = 10;

/// What the subscription saw.
#[derive(Debug, Default)]
struct Seen {
    got: AtomicU32,
    missed: AtomicU32,
    torn: AtomicU32,
    /// The run is over: what waits is looked at and not kept.
    is_over: AtomicBool,
    /// The sample that was got last.
    last: AtomicU32,
}

impl Seen {
    fn all(&self) -> u32 {
        self.got.load(Ordering::Acquire) + self.missed.load(Ordering::Acquire)
    }

    /// One sample; `keep` is what a slow program does with it.
    fn take(&self, bytes: &[u8], missed: u32, keep: impl FnOnce()) {
        let number = payload::read(bytes).map_or(0, |found| found.number);
        let was_whole = payload::is_whole(bytes);
        if !self.is_over.load(Ordering::Acquire) {
            keep();
        }
        let is_the_same = payload::read(bytes).is_some_and(|found| found.number == number);
        let in_order = self.got.load(Ordering::Relaxed) == 0 || number > self.last.load(Ordering::Relaxed);
        if !(was_whole && is_the_same && in_order && payload::is_whole(bytes)) {
            self.torn.fetch_add(1, Ordering::Relaxed);
        }
        self.last.store(number, Ordering::Relaxed);
        self.missed.fetch_add(missed, Ordering::AcqRel);
        self.got.fetch_add(1, Ordering::AcqRel);
    }
}

/// Four words in lines of their own, which the publisher's thread changes at each tick and the subscriber's at each sample: a cell, a count, a number and a
/// bell, without anything around them.
#[derive(Debug, Default)]
struct Floor([Line; 4]);

#[derive(Debug, Default)]
#[repr(align(128))]
struct Line(AtomicU32);

impl Floor {
    fn change(&self) {
        for line in &self.0 {
            line.0.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// The whole run; its exit code. `slower`: so many times the period the callback takes.
///
/// # Errors
/// The run could not be made.
pub fn run(arguments: &Arguments, slower: u32) -> Result<ExitCode, Failure> {
    let output = Output::take()?;
    machine::begin()?;
    let records = RecordsFile::create(&arguments.records)?;
    let master = master_of(arguments)?;
    machine::ask_scheduling(arguments.priority)?;
    let seen = Arc::new(Seen::default());
    let times = Mutex::new(Vec::with_capacity(arguments.all_samples() as usize));
    let node = ends::node("tokkyu_local", &master)?;
    let measured = measure(arguments, slower, &node, &seen, &times);
    node.shutdown();
    let interrupted = match measured {
        Ok(()) => false,
        Err(Early::Interrupted) => true,
        Err(Early::Failed(failure)) => return Err(failure),
    };
    let calls = times.into_inner().unwrap_or_else(PoisonError::into_inner);
    records.write(&lines(&calls, arguments.warm_up as usize))?;
    output.print(&summary(&seen, arguments, calls.len()))?;
    Ok(ExitCode::from(if interrupted { 130 } else { 0 }))
}

/// When a call of `publish` began and when it returned, and the same of the floor beside it, ns of the monotonic clock.
#[derive(Clone, Copy, Debug)]
struct Call {
    began_ns: u64,
    returned_ns: u64,
    floor_began_ns: u64,
    floor_returned_ns: u64,
}

type Times = Mutex<Vec<Call>>;

fn measure(
    arguments: &Arguments,
    slower: u32,
    node: &Node,
    seen: &Arc<Seen>,
    times: &Times,
) -> Result<(), Early> {
    let keep_ns = arguments.period_us * 1_000 * u64::from(slower);
    let floor = Arc::new(Floor::default());
    let subscription = subscribe(node, keep_ns, seen.clone(), floor.clone())?;
    let spinning = ends::spin(node)?;
    let mut sender = Sender::open(node, arguments.bytes as usize, DEPTH)?;
    pacing::meet(|| subscription.publishers() > 0 && sender.is_matched())?;
    let apart = Apart::publishing().map_err(apart_failed)?;
    let published = publish_all(arguments, &mut sender, &floor, times);
    drop(apart);
    seen.is_over.store(true, Ordering::Release);
    // What waits is still delivered; the last sample always is, so that all the others are got or missed by then.
    let all = times.lock().unwrap_or_else(PoisonError::into_inner).len() as u32;
    let give_up_ns = now_ns() + keep_ns + 10_000_000_000;
    while seen.all() < all && now_ns() < give_up_ns {
        wait_until(now_ns() + 1_000_000);
    }
    drop(subscription);
    node.shutdown();
    let _ = spinning.join();
    published
}

fn subscribe(node: &Node, keep_ns: u64, seen: Arc<Seen>, floor: Arc<Floor>) -> Result<Subscription, Failure> {
    type M = UInt8MultiArray;
    let kind =
        Kind { datatype: M::DATATYPE.into(), md5sum: M::MD5SUM.into(), definition: M::DEFINITION.into() };
    let options = SubscriptionOptions::with_depth(DEPTH);
    let take = move |delivery: &mut Delivery<'_>| {
        floor.change();
        let missed = delivery.missed();
        let bytes = <M as Message>::View::of(delivery.wire()).map_or(&[][..], |view| view.data.as_bytes());
        seen.take(bytes, missed, || sleep(keep_ns));
    };
    node.subscribe_raw(TOPIC, kind, &options, take).map_err(|error| Failure(error.to_string()))
}

/// Signals are the main thread's; this one sleeps through them.
fn sleep(span_ns: u64) {
    std::thread::sleep(std::time::Duration::from_nanos(span_ns));
}

fn publish_all(
    arguments: &Arguments,
    sender: &mut Sender,
    floor: &Floor,
    times: &Times,
) -> Result<(), Early> {
    let period_ns = arguments.period_us * 1_000;
    let mut tick_ns = now_ns() + period_ns;
    for number in 0..arguments.all_samples() {
        pacing::wait(tick_ns)?;
        let bytes = sender.loan()?;
        payload::fill(bytes, number);
        let began_ns = now_ns();
        sender.publish()?;
        let returned_ns = now_ns();
        let floor_began_ns = now_ns();
        floor.change();
        let floor_returned_ns = now_ns();
        let taken = Call { began_ns, returned_ns, floor_began_ns, floor_returned_ns };
        times.lock().unwrap_or_else(PoisonError::into_inner).push(taken);
        tick_ns = pacing::tick_after(tick_ns, period_ns, now_ns());
    }
    Ok(())
}

fn lines(calls: &[Call], warm_up: usize) -> String {
    let mut text = String::from("sequence began_ns returned_ns floor_began_ns floor_returned_ns\n");
    for (number, call) in calls.iter().skip(warm_up).enumerate() {
        let Call { began_ns, returned_ns, floor_began_ns, floor_returned_ns } = call;
        // Writing to a string does not fail.
        let _ = writeln!(text, "{number} {began_ns} {returned_ns} {floor_began_ns} {floor_returned_ns}");
    }
    text
}

/// All samples count here, those that warm up too.
fn summary(seen: &Seen, arguments: &Arguments, published: usize) -> String {
    format!(
        "{{\"peer\":\"tokkyu-overload\",\"bytes\":{},\"copies\":0,\"processes\":1,\"published\":{published},\"got\":{},\
         \"dropped\":{},\"torn\":{},\"library\":\"tokkyu\",\"version\":\"{}\"}}",
        arguments.bytes,
        seen.got.load(Ordering::Acquire),
        seen.missed.load(Ordering::Acquire),
        seen.torn.load(Ordering::Acquire),
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(number: u32) -> [u8; 64] {
        let mut bytes = [0; 64];
        payload::fill(&mut bytes, number);
        bytes
    }

    #[test]
    fn what_is_torn_or_out_of_order_is_counted() {
        let seen = Seen::default();
        seen.take(&sample(0), 0, || ());
        seen.take(&sample(4), 3, || ());
        assert_eq!((seen.all(), seen.torn.load(Ordering::Relaxed)), (5, 0));
        let mut torn = sample(5);
        torn[33] = 4;
        for bytes in [&torn[..], &sample(4), &[]] {
            let before = seen.torn.load(Ordering::Relaxed);
            seen.take(bytes, 0, || ());
            assert_eq!(seen.torn.load(Ordering::Relaxed), before + 1, "{bytes:?}");
        }
    }

    #[test]
    fn a_sample_is_kept_while_the_run_goes_on_and_not_after() {
        let seen = Seen::default();
        let mut kept = 0;
        seen.take(&sample(0), 0, || kept += 1);
        seen.is_over.store(true, Ordering::Release);
        seen.take(&sample(1), 0, || kept += 1);
        assert_eq!(kept, 1);
    }

    #[test]
    fn what_warms_up_is_not_recorded() {
        let call = |began_ns| Call {
            began_ns,
            returned_ns: began_ns + 1,
            floor_began_ns: began_ns + 2,
            floor_returned_ns: began_ns + 3,
        };
        let text = lines(&[call(1), call(3), call(6)], 1);
        let header = "sequence began_ns returned_ns floor_began_ns floor_returned_ns\n";
        assert_eq!(text, format!("{header}0 3 4 5 6\n1 6 7 8 9\n"));
    }
}
