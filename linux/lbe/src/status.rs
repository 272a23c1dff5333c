//! What is background here now: devices, flows, programs.

use std::fs;

use serde::Serialize;

use crate::cgroup::{Group, Groups};
use crate::flows::{FlowsError, flows};
use crate::module;
use crate::qdisc::{Auto, BACKGROUND, Band, FOREGROUND, GateStatistics, TrafficControl};
use crate::record::{Owner, Records};
use crate::tune::{Way, way_of};
use crate::uplink::uplinks;
use tokkyu_netlink::NetlinkError;

/// All of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Whether the module is loaded.
    pub module_loaded: bool,
    /// Devices that were set up, and those of the default routes.
    pub devices: Vec<DeviceStatus>,
    /// Background flows, as `tokkyu lbe add` takes them.
    pub flows: Vec<String>,
    /// Background programs.
    pub programs: Vec<ProgramStatus>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceStatus {
    /// Its name.
    pub name: String,
    /// How it keeps background packets back; `None`: not at all.
    pub way: Option<Way>,
    /// By whom it was set up; `None`: not by tokkyu.
    pub by: Option<Owner>,
    /// Its root qdisc; `None` where nothing waits.
    pub qdisc: Option<String>,
    /// Stated rate in bit/s, of the way `htb`.
    pub rate_bits_per_s: Option<u64>,
    /// Longest time that a packet is held, microseconds; 0: for ever. Of the way `module`, as what follows.
    pub max_hold_us: Option<u64>,
    /// Bytes in the device's queue.
    pub device_queue: Option<Auto<u32>>,
    /// Background packets in the device.
    pub budget: Option<Auto<u32>>,
    /// Whether received packets wait.
    pub receive: Option<bool>,
    /// Counters of the foreground.
    pub foreground: Option<Band>,
    /// Counters of the background.
    pub background: Option<Band>,
    /// Counters of the gate.
    pub gate: Option<GateStatistics>,
}

/// A process in the background.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramStatus {
    /// Its number.
    pub process: i32,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// The control group it is in.
    pub group: String,
}

/// Looks at everything; needs no rights.
///
/// # Errors
/// The kernel does not tell.
pub fn status(records: &Records) -> Result<Status, FlowsError> {
    let mut names = uplinks();
    names.extend(records.all().into_iter().map(|(name, _)| name));
    names.sort();
    names.dedup();
    Ok(Status {
        module_loaded: module::is_loaded(),
        // One that has gone since is no device any more.
        devices: names.iter().filter_map(|name| device_status(name, records).ok()).collect(),
        flows: flows(records)?.iter().map(ToString::to_string).collect(),
        programs: programs(),
    })
}

/// A device; needs no rights.
///
/// # Errors
/// There is no such device.
pub fn device_status(name: &str, records: &Records) -> Result<DeviceStatus, NetlinkError> {
    let control = TrafficControl::open()?;
    let root = control.root(name)?;
    let way = way_of(root.as_ref());
    let record = records.of(name).filter(|_| way.is_some());
    let class = |minor| way.map_or(Ok(None), |_| control.class(name, minor));
    let options = root.as_ref().and_then(|root| root.options.clone()).unwrap_or_default();
    Ok(DeviceStatus {
        name: name.to_owned(),
        way,
        by: record.as_ref().map(|record| record.by),
        qdisc: root.as_ref().map(|root| root.kind.clone()),
        rate_bits_per_s: record.and_then(|record| record.rate),
        max_hold_us: options.max_hold.map(|hold| hold.as_micros() as u64),
        device_queue: options.device_queue,
        budget: options.budget,
        receive: options.receive,
        foreground: class(FOREGROUND)?,
        background: class(BACKGROUND)?,
        gate: root.and_then(|root| root.gate),
    })
}

fn programs() -> Vec<ProgramStatus> {
    let own = Groups::find().map(|groups| groups.all_own()).unwrap_or_default();
    own.iter().flat_map(below).collect()
}

fn below(group: &Group) -> Vec<ProgramStatus> {
    let here = group.processes().unwrap_or_default().into_iter().map(|process| ProgramStatus {
        process,
        name: name_of(process).unwrap_or_default(),
        group: group.path().display().to_string(),
    });
    let mut all: Vec<ProgramStatus> = here.collect();
    all.extend(group.children().unwrap_or_default().iter().flat_map(below));
    all
}

/// The name that a process has given itself, or of its program.
pub(crate) fn name_of(process: i32) -> Option<String> {
    fs::read_to_string(format!("/proc/{process}/comm")).ok().map(|name| name.trim_end().to_owned())
}
