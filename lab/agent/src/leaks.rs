//! Memory that the kernel allocated and lost, as its own search (kmemleak) finds it.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

const FILE: &str = "/sys/kernel/debug/kmemleak";

/// kmemleak leaves alone what is younger than 5 s, and what changed since it last looked.
const AGE: Duration = Duration::from_secs(6);
const LOOKS: u32 = 2;
/// Enough to see who allocated; the console is slow.
const SHOWN_LINES: usize = 60;

/// What is lost by now is an error, with who allocated it.
pub fn look() -> Result<(), String> {
    let failed = |error| format!("{FILE}: {error}");
    for _ in 0..LOOKS {
        sleep(AGE);
        fs::write(FILE, "scan").map_err(failed)?;
    }
    let found = fs::read_to_string(FILE).map_err(failed)?;
    match found.matches("unreferenced object").count() {
        0 => Ok(()),
        count => {
            let shown: Vec<&str> = found.lines().take(SHOWN_LINES).collect();
            Err(format!("the kernel lost {count} pieces of memory: {}", shown.join("\n")))
        }
    }
}
