//! Sets of processors, as sysfs has them: hexadecimal, 32 of them between two commas.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use super::Change;
use crate::setting::Setting;

/// Processors of one group.
const GROUP: u32 = 32;

/// A set, and how wide it is written: what is read back must be what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mask {
    /// The highest processors first.
    groups: Vec<u32>,
    /// Digits of the first group.
    first_digits: usize,
}

impl Mask {
    /// These processors in place of its own; one that it has no digit for is left out.
    pub(super) fn with(&self, processors: &[u32]) -> Mask {
        let mut mask = Mask { groups: vec![0; self.groups.len()], first_digits: self.first_digits };
        for processor in processors {
            let from_end = (processor / GROUP) as usize;
            if let Some(group) = mask.groups.iter_mut().rev().nth(from_end) {
                *group |= 1 << (processor % GROUP);
            }
        }
        mask
    }
}

impl FromStr for Mask {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Mask, ParseIntError> {
        let groups: Vec<u32> =
            text.trim().split(',').map(|group| u32::from_str_radix(group, 16)).collect::<Result<_, _>>()?;
        let first_digits = text.trim().split(',').next().unwrap_or_default().len();
        Ok(Mask { groups, first_digits })
    }
}

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, group) in self.groups.iter().enumerate() {
            match index {
                0 => write!(f, "{group:0width$x}", width = self.first_digits)?,
                _ => write!(f, ",{group:08x}")?,
            }
        }
        Ok(())
    }
}

/// Gives the processors of a device's queue, which a file of it names; `None`: they are these already.
pub(super) fn change(device: &str, queue_file: &str, now: &Mask, processors: &[u32]) -> Option<Change> {
    let wanted = now.with(processors);
    let path = format!("/sys/class/net/{device}/queues/{queue_file}");
    (wanted != *now).then(|| Change { setting: Setting::File { path }, value: wanted.to_string() })
}

/// All but this one.
pub(super) fn others(processors: &[u32], without: u32) -> Vec<u32> {
    processors.iter().copied().filter(|processor| *processor != without).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_written_as_the_kernel_writes_it() {
        for text in ["0", "3", "0f", "ff,00000001", "00000000,00000000"] {
            assert_eq!(text.parse::<Mask>().unwrap().to_string(), text);
        }
        let with =
            |text: &str, processors: &[u32]| text.parse::<Mask>().unwrap().with(processors).to_string();
        assert_eq!(with("3", &[]), "0");
        assert_eq!(with("00", &[1, 5]), "22");
        assert_eq!(with("00,00000000", &[0, 33]), "02,00000001");
        assert_eq!(with("0", &[200]), "0");
        assert!("x".parse::<Mask>().is_err() && "".parse::<Mask>().is_err());
    }
}
