//! The user's side of lbe: programs, flows and devices that are background.
//!
//! What it promises is [SPEC.md](../SPEC.md); with the kernel module it speaks as `module/lbe_uapi.h` says. What a command
//! does is in `run`, `tune`, `flows`, `verify`; the rest is what they are made of. Everything here blocks for as long as the
//! kernel or a program takes, and needs the rights of root unless said otherwise.
mod background;
mod bpf;
mod cgroup;
mod declared;
mod flow;
mod flows;
mod htb;
mod idle;
mod message;
mod module;
mod qdisc;
mod record;
mod run;
mod status;
mod table;
mod tune;
mod uplink;
mod verify;

pub use background::{BackgroundError, add_group, refresh, remove_group};
pub use cgroup::GroupError;
pub use declared::{DeclaredError, foresee_declared, set_up_declared};
pub use flow::{Flow, FlowError};
pub use flows::{FlowsError, add_flow, flows, remove_flow};
pub use htb::HtbError;
pub use module::NoModule;
pub use qdisc::{
    Auto, BACKGROUND, Band, FOREGROUND, GateStatistics, QdiscOptions, RootQdisc, TrafficControl,
};
pub use record::{Locked, Owner, Record, RecordError, Records};
pub use run::{Ended, Job, RunError, Running, start};
pub use status::{DeviceStatus, ProgramStatus, Status, device_status, status};
pub use table::{FlowTable, TableError};
pub use tokkyu_netlink::NetlinkError;
pub use tune::{
    TuneError, Tuned, Untune, Wanted, Way, foresee, foresee_untune, is_ours, tune, untune, way_of,
};
pub use uplink::uplinks;
pub use verify::{Check, CheckOutcome, send_packets, verify};
