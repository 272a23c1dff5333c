//! Messages to Linux and back (MON-90 to MON-96): how long one is on its way, whatever its length. Nobody copies it here.
//!
//! | at | what |
//! |---|---|
//! | 0x2800 | orders: round, which begins when it is another; bytes of a message, 4 to 256 KiB; how many messages behind the first |
//! | 0x3c00 | counts: round, once it is over; messages that came back; ticks of the counter from publishing to looking at it, all of them; the most; messages that came back as others |

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use tokkyu_monitor_topics::{Crossing, Direction, Inlet, Topic};
use tokkyu_rtos::Timeout;
use tokkyu_rtos_aarch64::{Line, linux};
use tokkyu_window::{WindowForm, WindowView, WindowWriter};

use crate::start;
use crate::system::{ECHO, KERNEL};

const ORDERS_AT: u64 = 0x2800;
const COUNTS_AT: u64 = 0x3c00;
const LONGEST: u32 = 256 << 10;
/// Where there are no orders, it is looked for them after so long.
const LOOK_US: u32 = 10_000;
/// What did not come back by then is lost.
const PATIENCE_US: u32 = 1_000_000;
const FORM: WindowForm = match WindowForm::new(4, LONGEST) {
    Ok(form) => form,
    Err(_) => panic!("4 slots of 256 KiB are a form"),
};

const fn blob(name: &'static str, direction: Direction) -> Topic<'static> {
    Topic { name, kind: "tokkyu/Blob", md5: "*", definition: "", direction, form: FORM }
}

static TOPICS: [Topic<'static>; 2] =
    [blob("/there", Direction::FromRtos), blob("/back", Direction::FromLinux)];

pub(crate) static LINES: [Line; 1] = [Line { number: BELL, processor: 1, priority: -1, enabled: true }];

const BELL: u32 = linux::BELL;
/// Linux has rung. Not again before it was looked: however often it rings, it takes no more of this processor.
pub(crate) fn on_bell() {
    let _ = KERNEL.dis_int(BELL);
    let _ = KERNEL.wup_tsk(ECHO);
}

/// What is written from now on rings again. To be called before it is looked, and not behind.
fn listen() {
    let _ = KERNEL.ena_int(BELL);
}

fn word(at: u64) -> Option<&'static AtomicU64> {
    linux::shared(at)
}

fn order(number: u64) -> u64 {
    word(ORDERS_AT + 8 * number).map_or(0, |word| word.load(Acquire))
}

#[derive(Default)]
struct Counts {
    came: u64,
    ticks: u64,
    most: u64,
    others: u64,
}

impl Counts {
    /// The round last: who waits for it finds the others then.
    fn tell(&self, round: u64) {
        for (number, count) in (1..).zip([self.came, self.ticks, self.most, self.others]) {
            if let Some(word) = word(COUNTS_AT + 8 * number) {
                word.store(count, Relaxed);
            }
        }
        if let Some(word) = word(COUNTS_AT) {
            word.store(round, Release);
        }
    }
}

struct Ends {
    crossing: Crossing,
    there: WindowWriter<'static>,
    back: Inlet,
}

/// A message's first and last word are its number.
fn is_it(view: &WindowView<'_>, number: u32, bytes: u32) -> bool {
    let words = view.words();
    let is_number =
        |word: Option<&core::sync::atomic::AtomicU32>| word.is_some_and(|word| word.load(Relaxed) == number);
    view.len() == bytes as usize && is_number(words.first()) && is_number(words.last())
}

impl Ends {
    fn open() -> Option<Ends> {
        let crossing = Crossing::begin(&TOPICS).ok()?;
        let (there, back) = (crossing.writer(0)?, crossing.inlet(1)?);
        Some(Ends { crossing, there, back })
    }

    /// One there and back.
    fn echo(&mut self, number: u32, bytes: u32, counts: &mut Counts) {
        let loan = self.there.loan();
        let words = &loan.words()[..bytes.div_ceil(4) as usize];
        words.iter().take(1).chain(words.last()).for_each(|word| word.store(number, Relaxed));
        let begun = start::now();
        if loan.publish(bytes).is_err() {
            return;
        }
        self.crossing.ring();
        let Some(view) = self.wait() else { return };
        let took = start::now() - begun;
        if !is_it(&view, number, bytes) || !self.back.is_whole(&view) {
            counts.others += 1;
            return;
        }
        counts.came += 1;
        counts.ticks += took;
        counts.most = counts.most.max(took);
    }

    fn wait(&mut self) -> Option<WindowView<'static>> {
        loop {
            listen();
            if let Some(view) = self.back.look() {
                return Some(view);
            }
            // A bell that was rung before is kept: it is looked once more then.
            KERNEL.tslp_tsk(Timeout::After(PATIENCE_US)).ok()?;
        }
    }

    fn round(&mut self) -> Counts {
        let bytes = order(1).clamp(4, LONGEST.into()) as u32;
        let mut counts = Counts::default();
        // What is left of a round that was given up.
        while self.back.look().is_some() {}
        // The first meets memory that Linux has not mapped yet.
        self.echo(0, bytes, &mut counts);
        counts = Counts::default();
        for number in 1..=order(2).min(1 << 20) as u32 {
            self.echo(number, bytes, &mut counts);
        }
        counts
    }
}

pub(crate) fn task() {
    let Some(mut ends) = Ends::open() else { return };
    let mut done = 0;
    loop {
        let round = order(0);
        if round != done {
            ends.round().tell(round);
            done = round;
        }
        if KERNEL.dly_tsk(LOOK_US).is_err() {
            return;
        }
    }
}
