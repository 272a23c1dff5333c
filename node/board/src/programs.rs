//! Which task does what.

use core::ops::Range;

use tokkyu_node_rtos::Rtos;
use tokkyu_rtos::Objects;
use tokkyu_rtos_aarch64::{Line, Programs, StackRange};

use crate::here::Here;
use crate::image::{Image, Parts};
use crate::kick::kick;
use crate::{heap, machine, start, tables};

impl<I: Image> Programs for Parts<I> {
    const EXTENDED: bool = I::EXTENDED;
    const TRACED: bool = cfg!(feature = "trace");
    const SEES_LINUX: bool = cfg!(feature = "beside");

    #[inline(always)]
    fn objects(&self) -> Objects {
        let layout = I::layout();
        tables::objects(layout.processors, layout.tasks)
    }

    fn stacks(&self) -> &'static [StackRange] {
        I::layout().stacks
    }

    fn lines(&self) -> &'static [Line] {
        &machine::LINES
    }

    fn memory(&self) -> &'static [Range<usize>] {
        &machine::MEMORY
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
