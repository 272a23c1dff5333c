//! What the boot loader says, as Linux has it: words of `/chosen/bootargs` in the device tree. Those before `--` are variables, `NAME=VALUE`; those
//! behind it the arguments of all programs. What is between double quotes is one word.

use alloc::string::String;
use alloc::vec::Vec;

use tokkyu_callbacks::sync::Mutex;

use crate::machine;

/// Between variables and arguments.
const SEPARATOR: &str = "--";

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
        let split = split(machine::words().unwrap_or_default()).into_iter().map(String::leak);
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
