//! companion count: tells what this kernel counts for each processor, again and again (../SPEC.md, MON-102).

use std::error::Error;
use std::fs::read_to_string;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::unistd::{SysconfVar, sysconf};
use tokkyu_monitor_companion::ticks_of;
use tokkyu_monitor_statistics::{Counted, PROCESSORS_MAX, forget};

use crate::shared::Shared;

const STAT: &str = "/proc/stat";
const EVERY: Duration = Duration::from_millis(500);

/// Until it is ended, or for so long.
pub(crate) fn count(shared: &Shared, at_most: Option<Duration>) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let ticks_a_second = sysconf(SysconfVar::CLK_TCK)?.map_or(100, i64::cast_unsigned);
    for turn in 1.. {
        tell(shared, turn, (begun, ticks_a_second))?;
        if at_most.is_some_and(|most| begun.elapsed() >= most) {
            break;
        }
        sleep(EVERY);
    }
    // What nobody tells any more is not known.
    (0..PROCESSORS_MAX).for_each(|processor| forget(processor, |at, value| shared.write(at, value)));
    Ok(())
}

fn tell(shared: &Shared, turn: u64, (begun, ticks_a_second): (Instant, u64)) -> Result<(), Box<dyn Error>> {
    let text = read_to_string(STAT).map_err(|error| format!("{STAT}: {error}"))?;
    let time_ns = u64::try_from(begun.elapsed().as_nanos())?;
    let all = ticks_of(&text).map_err(|error| format!("{STAT}: {error}"))?;
    for (processor, ticks) in all.into_iter().enumerate() {
        let write = |at, value| shared.write(at, value);
        let Some(ticks) = ticks else {
            forget(processor, write);
            continue;
        };
        let (user, system, idle, stolen) = (ticks.user, ticks.system, ticks.idle, ticks.stolen);
        Counted { time_ns, ticks_a_second, user, system, idle, stolen }.write(processor, turn, write);
    }
    Ok(())
}
