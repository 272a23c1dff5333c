//! One value of the kernel that tuning changes: read, written, and compared as text.

use std::fmt;
use std::fs;
use std::io;

use serde::{Deserialize, Serialize};

use crate::coalescing::Coalescing;
use crate::napi::{Knob, Values};
use crate::netlink;
use crate::thread::{self, Policy, Thread};

/// What is set. Its value is a text, the same when it is read and when it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "setting")]
pub enum Setting {
    /// Most segments in one packet on its way to the device.
    GsoMaxSegs {
        /// Device.
        device: String,
    },
    /// The root queueing discipline. Values: the kernel's default by its name, or `bands` and the band of each `skb->priority`.
    Root {
        /// Device.
        device: String,
    },
    /// How long the device's interrupts wait for more frames. Values: words of `ethtool -C`, of what the driver has.
    Coalescing {
        /// Device.
        device: String,
    },
    /// How NAPI works. Values: the device's, and those of single NAPIs that differ, as in `0, napi 8193: 2`.
    Napi {
        /// Device.
        device: String,
        /// Which value.
        knob: Knob,
    },
    /// A file of sysfs or procfs that holds one value.
    File {
        /// Absolute path.
        path: String,
    },
    /// How the kernel's threads of a name are scheduled, all alike. Values: `other`, `fifo 9`.
    Threads {
        /// Their whole name, or its beginning where it ends with `*`.
        name: String,
    },
}

/// Word before the bands of our root.
const BANDS: &str = "bands ";

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::GsoMaxSegs { device } => write!(f, "gso_max_segs of {device}"),
            Setting::Root { device } => write!(f, "root queueing discipline of {device}"),
            Setting::Coalescing { device } => write!(f, "coalescing of {device}"),
            Setting::Napi { device, knob } => write!(f, "{knob} of {device}"),
            Setting::File { path } => f.write_str(path),
            Setting::Threads { name } => write!(f, "threads {name}"),
        }
    }
}

impl Setting {
    /// A root with these bands, as a value.
    pub(crate) fn bands(bands: [u8; 16]) -> String {
        format!("{BANDS}{}", bands.map(|band| band.to_string()).join(" "))
    }

    /// Its value now.
    ///
    /// # Errors
    /// It is not there (`NotFound`, `ENODEV`), or may not be read.
    pub fn read(&self) -> io::Result<String> {
        match self {
            Setting::GsoMaxSegs { device } => {
                netlink::gso_max_segs(device).map(|segments| segments.to_string())
            }
            Setting::Root { device } => root(device),
            Setting::Coalescing { device } => Coalescing::read(device).map(|found| found.to_string()),
            Setting::Napi { device, knob } => knob.read(device).map(|found| found.to_string()),
            Setting::File { path } => fs::read_to_string(path).map(|text| text.trim().to_owned()),
            Setting::Threads { name } => policy(&threads(name)?),
        }
    }

    /// Writes a value, as [`Setting::read`] gave it or a plan has it.
    ///
    /// # Errors
    /// It is not there, may not be written, or the kernel refuses the value.
    pub fn write(&self, value: &str) -> io::Result<()> {
        match self {
            Setting::GsoMaxSegs { device } => {
                netlink::set_gso_max_segs(device, value.parse().map_err(io::Error::other)?)
            }
            Setting::Root { device } => match value.strip_prefix(BANDS) {
                Some(bands) => netlink::set_bands(device, parse_bands(bands)?),
                None => netlink::remove_root(device),
            },
            Setting::Coalescing { device } => {
                value.parse::<Coalescing>().map_err(io::Error::other)?.write(device)
            }
            Setting::Napi { device, knob } => {
                knob.write(device, &value.parse::<Values>().map_err(io::Error::other)?)
            }
            Setting::File { path } => fs::write(path, value),
            Setting::Threads { name } => {
                let policy: Policy = value.parse().map_err(io::Error::other)?;
                threads(name)?.iter().try_for_each(|thread| thread::set_policy(thread.id, policy))
            }
        }
    }
}

/// The kernel's default by its name, ours by its bands.
fn root(device: &str) -> io::Result<String> {
    let root = netlink::root(device)?;
    Ok(match root {
        None => "noqueue".to_owned(),
        Some(root) => match root.bands {
            Some(bands) => Setting::bands(bands),
            None => root.kind,
        },
    })
}

fn parse_bands(text: &str) -> io::Result<[u8; 16]> {
    let bands: Vec<u8> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
    bands.try_into().map_err(|_| io::Error::other(format!("{text}: not the bands of 16 priorities")))
}

fn threads(name: &str) -> io::Result<Vec<Thread>> {
    let found = match name.strip_suffix('*') {
        Some(beginning) => thread::find(|known| known.starts_with(beginning)),
        None => thread::find(|known| known == name),
    };
    match found.is_empty() {
        true => Err(io::Error::new(io::ErrorKind::NotFound, "no such thread of the kernel")),
        false => Ok(found),
    }
}

/// Of all; where they differ, of the first, so that what is set is set for all.
fn policy(threads: &[Thread]) -> io::Result<String> {
    let mut policies: Vec<Policy> = threads.iter().map(|thread| thread.policy).collect();
    policies.dedup();
    match policies.as_slice() {
        [one] => Ok(one.to_string()),
        _ => Err(io::Error::other(format!(
            "they are scheduled in different ways: {}",
            policies.iter().map(Policy::to_string).collect::<Vec<_>>().join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_read_as_they_are_written() {
        let bands = [2, 3, 2, 2, 2, 1, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2];
        let value = Setting::bands(bands);
        assert_eq!(parse_bands(value.strip_prefix(BANDS).unwrap()).unwrap(), bands);
        assert!(parse_bands("1 2 3").is_err());
    }

    #[test]
    fn a_file_is_a_value() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("limit_max").display().to_string();
        let setting = Setting::File { path };
        assert_eq!(setting.read().unwrap_err().kind(), io::ErrorKind::NotFound);
        setting.write("1600").unwrap();
        assert_eq!(setting.read().unwrap(), "1600");
    }
}
