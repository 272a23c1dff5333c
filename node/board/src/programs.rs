//! Which task does what.

use core::ops::Range;

use tokkyu_node_rtos::Rtos;
use tokkyu_rtos::Objects;
use tokkyu_rtos_aarch64::{Line, Programs, StackRange};
use tokkyu_rtos_virtio::Slots;

use crate::here::Here;
use crate::image::{Image, Parts};
use crate::{arguments, heap, start, state, tables};

const LINES: usize = Slots::VIRT.count;
/// ITRON's priority of the network's interrupt: below the timer's.
const LINE_PRIORITY: i32 = -2;

/// Of all slots: which one the device is in is found out later.
static SLOT_LINES: [Line; LINES] = {
    let mut lines = [Line { number: 0, processor: 1, priority: LINE_PRIORITY, enabled: false }; LINES];
    let mut at = 0;
    while at < LINES {
        lines[at].number = Slots::VIRT.line + at as u32;
        at += 1;
    }
    lines
};

static MEMORY: [Range<usize>; 2] = [arguments::TREE, heap::MEMORY];

/// There is something for the network's driver.
pub fn kick<I: Image>() {
    if let Some(stack) = state::stack::<I>() {
        stack.kick(&Rtos::new(Here::<I>::new()));
    }
}

impl<I: Image> Programs for Parts<I> {
    const EXTENDED: bool = I::EXTENDED;
    const TRACED: bool = cfg!(feature = "trace");

    #[inline(always)]
    fn objects(&self) -> Objects {
        let layout = I::layout();
        tables::objects(layout.processors, layout.tasks)
    }

    fn stacks(&self) -> &'static [StackRange] {
        I::layout().stacks
    }

    fn lines(&self) -> &'static [Line] {
        &SLOT_LINES
    }

    fn memory(&self) -> &'static [Range<usize>] {
        &MEMORY
    }

    fn initialize(&self) {
        heap::begin();
    }

    fn task(&self, id: i32) {
        let nodes = I::layout().nodes;
        match (id as usize).wrapping_sub(2) {
            usize::MAX => start::drive::<I>(),
            at if at < nodes.len() => start::node::<I>(&nodes[at]),
            _ => drop(Rtos::new(Here::<I>::new()).run(id)),
        }
    }

    fn line(&self, number: u32) {
        I::acknowledge(number);
        kick::<I>();
    }
}
