//! Samples that a board kept, for what its own figures do not tell.

use std::fs;
use std::path::Path;

use tokkyu_measure::rtnet::MeanMax;

/// From the driver until the last bit is on the wire, of each frame of a series (`sent.csv`). The port's clock is the kernel's here.
pub(super) fn in_device(folder: &Path) -> MeanMax {
    let text = fs::read_to_string(folder.join("sent.csv")).unwrap_or_default();
    let times: Vec<f64> = text.lines().filter_map(in_device_ns).map(|ns| ns as f64 / 1e6).collect();
    let n = times.len().max(1) as f64;
    MeanMax { mean_ms: times.iter().sum::<f64>() / n, max_ms: times.iter().copied().fold(0.0, f64::max) }
}

/// `sequence,due_ns,woken_ns,returned_ns,driver_ns,port_ns`; 0 is unknown.
fn in_device_ns(line: &str) -> Option<i64> {
    let mut ends = line.rsplit(',').map(|word| word.parse::<i64>().ok().filter(|ns| *ns > 0));
    let (port_ns, driver_ns) = (ends.next()??, ends.next()??);
    Some(port_ns - driver_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_the_device_are_of_frames_with_both_stamps() {
        let folder = tempfile::tempdir().unwrap();
        let text = "sequence,due_ns,woken_ns,returned_ns,driver_ns,port_ns\n0,1,2,3,1000000,3000000\n1,1,2,3,0,5\n2,1,2,3,5000000,6000000\n";
        fs::write(folder.path().join("sent.csv"), text).unwrap();
        assert_eq!(in_device(folder.path()), MeanMax { mean_ms: 1.5, max_ms: 2.0 });
        assert_eq!(in_device(&folder.path().join("no")), MeanMax::default());
    }
}
