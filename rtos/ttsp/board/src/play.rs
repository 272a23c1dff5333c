//! The system of one scenario: its objects, its actors, and the conductor.

use core::ops::Range;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::UnsafeCell;

use tokkyu_rtos::{Handler, Kernel, Objects};
use tokkyu_rtos_aarch64::{Board, Line, Programs, Stack, StackRange, is_enabled, raise, system};
use tokkyu_ttsp::conduct::conduct;
use tokkyu_ttsp::objects::objects;
use tokkyu_ttsp::perform::{NOT_A_CALL, perform};
use tokkyu_ttsp::plan::Actor;
use tokkyu_ttsp::stage::{Bench, Stage};

use crate::{clock, lives, rest};

/// Most tasks of a scenario, with the conductor.
const TASKS_MAX: usize = 12;

#[unsafe(link_section = ".stacks.tasks")]
static STACKS: [Stack<16384>; TASKS_MAX] = [const { Stack::new() }; TASKS_MAX];
static RANGES: [StackRange; TASKS_MAX] = {
    let mut ranges = [STACKS[0].range(); TASKS_MAX];
    let mut index = 1;
    while index < TASKS_MAX {
        ranges[index] = STACKS[index].range();
        index += 1;
    }
    ranges
};

struct Set {
    index: u32,
    stage: Stage,
    objects: Objects,
    lines: &'static [Line],
}

/// What is set up once, by the first processor, before the others are up.
struct Once(UnsafeCell<Option<Set>>);

// SAFETY: written when the first processor asks for the first time, which is before the others begin; read by all afterwards.
unsafe impl Sync for Once {}

static SET: Once = Once(UnsafeCell::new(None));

fn set() -> &'static Set {
    // SAFETY: see `Once`.
    unsafe { (*SET.0.get()).get_or_insert_with(set_up) }
}

fn set_up() -> Set {
    let (index, plan) = lives::next();
    let objects = objects(&plan.declared);
    let line = |line: &tokkyu_ttsp::plan::DeclaredLine| Line {
        number: line.number,
        processor: line.processor,
        priority: line.priority,
        enabled: line.enabled,
    };
    let lines = Vec::leak(plan.declared.lines.iter().map(line).collect());
    Set { index, stage: Stage::new(plan), objects, lines }
}

pub(crate) struct Play;

static KERNEL: Kernel<Board<Play>> = Kernel::new(Board::new(Play));

system!(KERNEL);

fn here() -> usize {
    tokkyu_rtos::Port::here(&KERNEL.port).index()
}

fn routines(at_end: bool) -> Result<(), String> {
    let set = set();
    for routine in set.stage.routines(at_end) {
        let answer = perform(&KERNEL, &routine.call).unwrap_or(NOT_A_CALL);
        if !answer.is(routine.wanted) {
            let (name, wanted) = (routine.call.function.name(), routine.wanted);
            return Err(format!("{name} of a routine answers {answer:?}, not {wanted:?}"));
        }
    }
    Ok(())
}

impl Programs for Play {
    fn objects(&self) -> Objects {
        set().objects
    }

    fn stacks(&self) -> &'static [StackRange] {
        &RANGES
    }

    fn lines(&self) -> &'static [Line] {
        set().lines
    }

    fn memory(&self) -> &'static [Range<usize>] {
        core::slice::from_ref(&lives::MEMORY)
    }

    fn now_us(&self) -> u64 {
        clock::now_us()
    }

    fn set_timer(&self, at_us: Option<u64>) {
        clock::set(here(), at_us);
    }

    fn activated(&self, id: i32) {
        set().stage.activated(id);
    }

    fn relax(&self) {
        rest::looked(here());
    }

    fn task(&self, id: i32) {
        let set = set();
        if id as usize != set.objects.tasks.len() {
            set.stage.act(&KERNEL, Actor::Task(id as u16));
            return;
        }
        let outcome = conduct(&KERNEL, &set.stage).and_then(|()| {
            KERNEL.end();
            routines(true)
        });
        lives::tell(set.index, outcome.as_ref().copied().map_err(String::as_str));
    }

    fn handler(&self, handler: Handler) {
        let actor = match handler {
            Handler::Alarm(number) => Actor::Alarm(number),
            Handler::Cyclic(number) => Actor::Cyclic(number),
            // No scenario declares it.
            Handler::Overrun(_) | Handler::BudgetOver(_) => return,
        };
        set().stage.act_in_handler(&KERNEL, actor);
    }

    fn line(&self, number: u32) {
        let lines = (1..).zip(set().lines);
        if let Some((place, _)) = lines.into_iter().find(|(_, line)| line.number == number) {
            set().stage.act_in_handler(&KERNEL, Actor::Line(place));
        }
    }

    fn initialize(&self) {
        if let Err(why) = routines(false) {
            lives::tell(set().index, Err(&why));
        }
    }
}

impl Bench for Play {
    fn wait(&self) {
        rest::looked(here());
    }

    fn settle(&self) {
        rest::settle(set().objects.processors);
    }

    fn advance(&self, us: u64) {
        clock::advance(us);
    }

    fn raise(&self, number: u32) {
        if let Some(line) = set().lines.iter().find(|line| line.number == number) {
            raise(usize::from(line.processor) - 1, number);
        }
    }

    fn is_enabled(&self, number: u32) -> bool {
        let line = set().lines.iter().find(|line| line.number == number);
        line.is_some_and(|line| is_enabled(usize::from(line.processor) - 1, number))
    }
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    lives::tell(set().index, Err(&format!("panic: {info}")))
}
