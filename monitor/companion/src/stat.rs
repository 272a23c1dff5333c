//! What the kernel counts for each processor, as `/proc/stat` tells it: a line for each that is on, "cpuN USER NICE SYSTEM IDLE IOWAIT IRQ
//! SOFTIRQ STEAL ..." (Linux, `Documentation/filesystems/proc.rst`, 1.7).

use tokkyu_monitor_statistics::PROCESSORS_MAX;

/// Why it is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatError {
    /// There is no processor in it.
    #[error("has no line cpu0, cpu1, ...: this is for /proc/stat of Linux 2.6.11 and later")]
    NoProcessor,
    /// One more than there is room for.
    #[error("line {0:?}: processors 0 to {last} are provided for", last = PROCESSORS_MAX - 1)]
    Processor(String),
    /// A number is missing, or is none.
    #[error("line {line:?}: no number {field}: this is for /proc/stat of Linux 2.6.11 and later")]
    Number {
        /// Its first word.
        line: String,
        /// Which.
        field: &'static str,
    },
}

/// Of one processor, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks {
    /// In user mode, whatever its niceness.
    pub user: u64,
    /// In the kernel, for interrupts too.
    pub system: u64,
    /// With nothing to do, also when it waits for a disk.
    pub idle: u64,
    /// Stolen from it.
    pub stolen: u64,
}

const FIELDS: [&str; 8] = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"];

/// Reads it: nothing for a processor that is not on.
///
/// # Errors
/// [`StatError`].
pub fn ticks_of(text: &str) -> Result<[Option<Ticks>; PROCESSORS_MAX], StatError> {
    let mut all = [None; PROCESSORS_MAX];
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(name) = words.next() else { continue };
        // "cpu" alone is their sum; lines of other names count other things.
        let Some(number) = name.strip_prefix("cpu").filter(|number| !number.is_empty()) else { continue };
        let place = number.parse().ok().and_then(|number: usize| all.get_mut(number));
        *place.ok_or_else(|| StatError::Processor(name.to_owned()))? = Some(ticks(name, words)?);
    }
    if all.iter().any(Option::is_some) { Ok(all) } else { Err(StatError::NoProcessor) }
}

fn ticks<'t>(line: &str, mut words: impl Iterator<Item = &'t str>) -> Result<Ticks, StatError> {
    let mut numbers = [0_u64; FIELDS.len()];
    for (number, field) in numbers.iter_mut().zip(FIELDS) {
        let word = words.next().and_then(|word| word.parse().ok());
        *number = word.ok_or_else(|| StatError::Number { line: line.to_owned(), field })?;
    }
    let [user, nice, system, idle, iowait, irq, softirq, stolen] = numbers;
    Ok(Ticks {
        user: user.saturating_add(nice),
        system: system.saturating_add(irq).saturating_add(softirq),
        idle: idle.saturating_add(iowait),
        stolen,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Of Debian's 7.3.4+deb13-cloud-arm64 with two processors, beside the RTOS; of the interrupts a few.
    const TOLD: &str = "\
cpu  2 0 737 354 0 0 30 313 0 0
cpu0 2 0 340 207 0 0 19 181 0 0
cpu1 0 0 397 147 0 0 10 132 0 0
intr 3517 0 16 436 0 0 0 1 0 0 0 0 3064 0
ctxt 2291
btime 1795870824
processes 96
procs_running 2
procs_blocked 0
softirq 2161 0 438 0 0 0 0 1 1051 0 671
";

    #[test]
    fn what_is_counted_is_put_together() {
        let all = ticks_of(TOLD).unwrap();
        assert_eq!(all[0], Some(Ticks { user: 2, system: 359, idle: 207, stolen: 181 }));
        assert_eq!(all[1], Some(Ticks { user: 0, system: 407, idle: 147, stolen: 132 }));
        assert_eq!(all[2..], [None; PROCESSORS_MAX - 2]);
        let each = ticks_of("cpu7 1 20 300 4000 50000 600000 7000000 80000000 1 1").unwrap();
        assert_eq!(each[7], Some(Ticks { user: 21, system: 7_600_300, idle: 54_000, stolen: 80_000_000 }));
    }

    #[test]
    fn one_that_is_off_is_not_there() {
        let off = TOLD.replace("cpu0", "other");
        assert!(ticks_of(&off).is_ok_and(|all| all[0].is_none() && all[1].is_some()));
    }

    #[test]
    fn what_is_no_such_text_is_refused_with_its_place() {
        let refused = |from: &str, to: &str| ticks_of(&TOLD.replace(from, to)).unwrap_err().to_string();
        assert!(refused("cpu1", "cpu8").contains("\"cpu8\": processors 0 to 7"));
        assert!(refused("cpu1", "cpux").contains("\"cpux\""));
        assert!(refused(" 10 132 0 0", " 10").contains("\"cpu1\": no number steal"));
        assert!(refused("cpu0 2 0", "cpu0 2 -1").contains("\"cpu0\": no number nice"));
        assert_eq!(ticks_of("cpu  1 2 3 4 5 6 7 8\n"), Err(StatError::NoProcessor));
    }

    proptest! {
        #[test]
        fn no_text_ends_the_program(text in "(cpu[0-9]{0,2}|x)?[ 0-9\n]{0,200}", any in any::<String>()) {
            let _ = (ticks_of(&text), ticks_of(&any));
        }
    }
}
