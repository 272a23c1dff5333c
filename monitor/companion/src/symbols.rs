//! Addresses of the kernel's, as `/proc/kallsyms` tells them: a line for each, "ADDRESS TYPE NAME [MODULE]".

/// Why there are none of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymbolsError {
    /// The kernel has no such name, or does not list it.
    #[error("the kernel lists no {0}: it needs CONFIG_KALLSYMS_ALL, and to have it")]
    Missing(&'static str),
    /// All addresses are 0.
    #[error("the kernel hides its addresses: this is for root, with kernel.kptr_restrict at most 1")]
    Hidden,
}

/// Those that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbols {
    /// Where the kernel's image begins.
    pub text: u64,
    /// Of a processor, the running task, from the beginning of what each processor has of its own.
    pub running: u64,
    /// The same of idle tasks.
    pub idle: u64,
    /// Where each processor's own begins.
    pub offsets: u64,
    /// Whether tasks are counted: what preempts the kernel is there.
    pub is_counted: bool,
    /// Whether spin locks are mutexes mostly, which are not counted.
    pub is_real_time: bool,
}

const NAMES: [&str; 6] =
    ["_text", "__entry_task", "idle_threads", "__per_cpu_offset", "preempt_schedule", "rt_spin_lock"];

impl Symbols {
    /// Reads them.
    ///
    /// # Errors
    /// [`SymbolsError`].
    pub fn read(text: &str) -> Result<Symbols, SymbolsError> {
        let mut found = [None; NAMES.len()];
        // Modules' are the last, and have no say here.
        for line in text.lines() {
            let mut fields = line.split_ascii_whitespace();
            let (address, name) = (fields.next(), fields.nth(1));
            let Some(at) = NAMES.iter().position(|known| Some(*known) == name) else { continue };
            if fields.next().is_none() && found[at].is_none() {
                found[at] = address.and_then(|address| u64::from_str_radix(address, 16).ok());
            }
        }
        let get = |at: usize| found[at].ok_or(SymbolsError::Missing(NAMES[at]));
        let symbols = Symbols {
            text: get(0)?,
            running: get(1)?,
            idle: get(2)?,
            offsets: get(3)?,
            is_counted: found[4].is_some(),
            is_real_time: found[5].is_some(),
        };
        if symbols.text == 0 || symbols.offsets == 0 { Err(SymbolsError::Hidden) } else { Ok(symbols) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "\
ffff800080000000 T _text
ffff800080010000 T preempt_schedule
ffff800081f00000 D __per_cpu_offset
ffff800082000040 d idle_threads
ffff800082000100 D __entry_task
ffff80007a000000 t __entry_task\t[other]
";

    #[test]
    fn addresses_are_the_kernels_own() {
        let symbols = Symbols::read(LISTED).unwrap();
        assert_eq!(symbols.text, 0xffff_8000_8000_0000);
        assert_eq!((symbols.running, symbols.idle), (0xffff_8000_8200_0100, 0xffff_8000_8200_0040));
        assert!(symbols.is_counted && !symbols.is_real_time);
        let voluntary = LISTED.replace("preempt_schedule", "preempt_schedule_not");
        assert!(!Symbols::read(&voluntary).unwrap().is_counted);
    }

    #[test]
    fn what_is_not_there_is_named() {
        let without = LISTED.replace("idle_threads", "idle");
        assert_eq!(Symbols::read(&without), Err(SymbolsError::Missing("idle_threads")));
        let hidden = LISTED.replace("ffff8000", "00000000").replace("80000000", "00000000");
        assert_eq!(Symbols::read(&hidden), Err(SymbolsError::Hidden));
    }
}
