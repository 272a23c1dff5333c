//! How the kernel was configured, where it says so.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::GzDecoder;

/// More than any kernel's.
const BYTES_MAX: u64 = 4 << 20;

/// The kernel's own words of how it was configured: `/proc/config.gz` (`CONFIG_IKCONFIG_PROC`), or what a distribution puts beside it.
pub(crate) fn text(release: &str) -> Option<String> {
    let packed = File::open("/proc/config.gz").and_then(|file| whole(GzDecoder::new(file)));
    packed.or_else(|_| File::open(Path::new("/boot").join(format!("config-{release}"))).and_then(whole)).ok()
}

fn whole(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    from.take(BYTES_MAX).read_to_string(&mut text)?;
    Ok(text)
}

/// Whether softirqs of one processor wait for each other by a lock, which lends the priority of who waits. Real-time kernels from before it
/// could be chosen have it.
pub(crate) fn has_bh_lock(text: &str) -> bool {
    let has = |option: &str| text.lines().any(|line| line == option);
    let without = has("# CONFIG_PREEMPT_RT_NEEDS_BH_LOCK is not set");
    has("CONFIG_PREEMPT_RT=y") && !without
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_time_kernels_have_the_lock_unless_they_were_built_without() {
        assert!(has_bh_lock("# a comment\nCONFIG_PREEMPT_RT=y\nCONFIG_X86=y\n"));
        assert!(has_bh_lock("CONFIG_PREEMPT_RT=y\nCONFIG_PREEMPT_RT_NEEDS_BH_LOCK=y\n"));
        assert!(!has_bh_lock("CONFIG_PREEMPT_RT=y\n# CONFIG_PREEMPT_RT_NEEDS_BH_LOCK is not set\n"));
        assert!(!has_bh_lock("# CONFIG_PREEMPT_RT is not set\n"));
    }
}
