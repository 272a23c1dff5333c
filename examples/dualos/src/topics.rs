//! Topics that cross to Linux: `/cmd_vel` comes from there, `/cmd_vel_applied` goes there each 10 ms. One task has both ends; the bell wakes it.

use core::fmt::Write;
use core::sync::atomic::Ordering::Relaxed;

use tokkyu_monitor_topics::{Crossing, Direction, Inlet, PlaceError, Topic};
use tokkyu_rtos::Timeout;
use tokkyu_rtos_aarch64::{Console, Line, linux};
use tokkyu_window::{WindowForm, WindowView, WindowWriter};

use crate::command::{self, Twist};
use crate::system::{ACROSS, KERNEL};

const EVERY_US: u64 = 10_000;
/// A twist is six numbers of 64 bits.
const TWIST_BYTES: u32 = 48;
const FORM: WindowForm = match WindowForm::new(8, TWIST_BYTES) {
    Ok(form) => form,
    Err(_) => panic!("8 slots of 48 bytes are a form"),
};
const DEFINITION: &str = "Vector3 linear\nVector3 angular\n
================================================================================
MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n";

const fn twist(name: &'static str, direction: Direction) -> Topic<'static> {
    let (kind, md5) = ("geometry_msgs/Twist", "9f195f881246fdfa2798d1d3eebca84a");
    Topic { name, kind, md5, definition: DEFINITION, direction, form: FORM }
}

const COMMAND: usize = 0;
const APPLIED: usize = 1;
static TOPICS: [Topic<'static>; 2] =
    [twist("/cmd_vel", Direction::FromLinux), twist("/cmd_vel_applied", Direction::FromRtos)];

pub(crate) static LINES: [Line; 1] = [Line { number: BELL, processor: 1, priority: -1, enabled: true }];

const BELL: u32 = linux::BELL;
/// Linux has rung. Not again before it was looked: however often it rings, it takes no more of this processor.
pub(crate) fn on_bell() {
    let _ = KERNEL.dis_int(BELL);
    let _ = KERNEL.wup_tsk(ACROSS);
}

/// What is written from now on rings again. To be called before it is looked, and not behind.
fn listen() {
    let _ = KERNEL.ena_int(BELL);
}

struct Ends {
    crossing: Crossing,
    commands: Inlet,
    applied: WindowWriter<'static>,
}

impl Ends {
    fn open() -> Result<Ends, PlaceError> {
        let crossing = Crossing::begin(&TOPICS)?;
        let (Some(commands), Some(applied)) = (crossing.inlet(COMMAND), crossing.writer(APPLIED)) else {
            return Err(PlaceError::Memory);
        };
        Ok(Ends { crossing, commands, applied })
    }

    /// All commands that are there: the last one counts.
    fn take_commands(&mut self, now_us: u64) {
        while let Some(view) = self.commands.look() {
            let twist = twist_of(&view);
            match twist.filter(|_| self.commands.is_whole(&view)) {
                Some(twist) => command::take(twist, now_us),
                None => command::refuse(),
            }
        }
    }

    fn publish(&mut self, applied: Twist) {
        let numbers = [applied.forward_m_s, 0.0, 0.0, 0.0, 0.0, applied.turn_rad_s];
        let loan = self.applied.loan();
        for (words, number) in loan.words().chunks(2).zip(numbers) {
            let bits = f64::from(number).to_bits();
            words[0].store(bits as u32, Relaxed);
            words[1].store((bits >> 32) as u32, Relaxed);
        }
        if loan.publish(TWIST_BYTES).is_ok() {
            self.crossing.ring();
        }
    }
}

/// Number `at` of a message.
fn number(view: &WindowView<'_>, at: usize) -> Option<f32> {
    let [low, high] = [2 * at, 2 * at + 1].map(|word| view.words().get(word));
    let bits = u64::from(low?.load(Relaxed)) | u64::from(high?.load(Relaxed)) << 32;
    Some(f64::from_bits(bits) as f32).filter(|number| number.is_finite())
}

/// Of a message that says how fast to go forward, and to turn.
fn twist_of(view: &WindowView<'_>) -> Option<Twist> {
    Some(Twist { forward_m_s: number(view, 0)?, turn_rad_s: number(view, 5)? })
}

pub(crate) fn task() {
    let mut ends = match Ends::open() {
        Ok(ends) => ends,
        Err(error) => {
            let _ = writeln!(Console, "rtos: no topics: {error}");
            return;
        }
    };
    let now_us = || KERNEL.get_tim().unwrap_or(0);
    let mut next_us = now_us();
    loop {
        let wait_us = next_us.saturating_sub(now_us());
        // Woken by the bell, or because it is time to publish.
        let _ = KERNEL.tslp_tsk(Timeout::After(wait_us as u32));
        listen();
        ends.take_commands(now_us());
        if now_us() >= next_us {
            next_us = now_us() + EVERY_US;
            ends.publish(command::at(now_us()));
        }
    }
}
