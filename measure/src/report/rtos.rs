//! What is told of the kernel's paths and of messages on it: goals, the table, what the counts are.

use std::path::Path;

use crate::result::ResultFile;
use crate::rtos::{Images, RtosCase, goals, sizes_of, table_of};
use crate::study::{Experiment, Goal, Report, Section};

/// Instructions of the kernel's paths.
#[derive(Debug)]
pub struct Rtos;

/// What a reader has to know.
const WORDS: [&str; 5] = [
    "Counted by QEMU's instruction counting, as a program sees it: from the instruction before the call to the first behind its end. \
     Time is said and not measured: one instruction, one cycle of 400 MHz.",
    "FMP3 and ASP3 (TOPPERS) were counted in the same emulator, unmodified, from the call's first instruction to the last before the \
     end. As programs of their own saw it, paths were 2 to 4 instructions longer; ours are counted so.",
    "Processors take turns under instruction counting: sums of two processors' paths are lengths, not times. How long anybody would \
     wait for a lock is not counted.",
    "Ours saves no floating-point registers where no program has any. With registers in use all 32 and both words of state are kept \
     when another goes on, and given back by a trap when the task next uses one: what that takes comes on top, if it does.",
    "Messages go between robot nodes on the kernel (node/board/figures), filled before the count begins; callbacks of class control \
     have a task that is more urgent than who publishes. The wire of TCPROS is the board's own: no device, no other machine.",
];

const IMAGE_WORDS: &str = "A talker in Rust, built for its size. Aimed at: 160 KiB in the file, 128 KiB while it runs. The image of the mROS \
                           paper: about 600 KB.";

impl Experiment for Rtos {
    type Case = RtosCase;
    type More = Images;
    const NAME: &'static str = "rtos";

    fn goals(file: &ResultFile<RtosCase, Images>) -> Vec<Goal> {
        goals(&file.cases)
    }

    fn report<'a>(file: &'a ResultFile<RtosCase, Images>, _: &'a Path) -> Report<'a> {
        let mut sections = vec![Section::new("Paths").with_table(table_of(&file.cases))];
        if !file.more.image.is_empty() {
            let sizes = Section::new("Images").with_table(sizes_of(&file.more.image));
            sections.push(sizes.with_lines([IMAGE_WORDS.to_owned()]));
        }
        sections.push(Section::new("What is counted").with_lines(WORDS.map(str::to_owned)));
        Report { goals: goals(&file.cases), sections, ..Report::of("The kernel's paths", file) }
    }
}
