//! What the boot loader says, as Linux has it: words of `/chosen/bootargs` in the device tree. Those before `--` are variables, `NAME=VALUE`; those
//! behind it the arguments of all programs. What is between double quotes is one word.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use dtoolkit::fdt::Fdt;
use dtoolkit::{Node, Property};
use tokkyu_callbacks::sync::Mutex;

/// Where QEMU puts the device tree of an image that is no Linux: at the beginning of memory, board.ld leaves it room.
pub(crate) const TREE: Range<usize> = 0x4000_0000..0x4010_0000;

/// Between variables and arguments.
const SEPARATOR: &str = "--";

fn all() -> Option<&'static str> {
    // SAFETY: it is mapped (`Parts::memory`), nobody writes there, and a tree that is longer than its room is not put there.
    let tree = unsafe { Fdt::from_raw(TREE.start as *const u8) }.ok()?;
    let chosen = tree.find_node("/chosen")?;
    let property = chosen.properties().find(|property| property.name() == "bootargs")?;
    property.value_as().ok()
}

fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    for character in text.chars() {
        match character {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            blank if blank.is_ascii_whitespace() && !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

/// All words. They stay, once somebody has asked.
fn words() -> &'static [&'static str] {
    static WORDS: Mutex<Option<&'static [&'static str]>> = Mutex::new(None);
    let mut words = WORDS.lock();
    words.get_or_insert_with(|| {
        let split = split(all().unwrap_or_default()).into_iter().map(String::leak);
        split.map(|word| &*word).collect::<Vec<&'static str>>().leak()
    })
}

/// The value of a variable.
pub(crate) fn find(name: &str) -> Option<&'static str> {
    let variables = words().iter().take_while(|word| **word != SEPARATOR);
    variables
        .filter_map(|word| word.split_once('='))
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value)
}

/// The arguments of programs.
pub(crate) fn arguments() -> impl Iterator<Item = &'static str> {
    words().iter().skip_while(|word| **word != SEPARATOR).skip(1).copied()
}
