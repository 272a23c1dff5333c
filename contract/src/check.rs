//! What a declaration means in each layer, and what in it will disappoint.
//!
//! Runs in `tokkyu check`, and wherever a program prints its settings; pure computation over two files that were read
//! before. Nothing here decides: priorities come from [`Class::priorities`], the cap from [`Site::allowed`]. A
//! [`Warning`] is about something that can be done but not well; what cannot be is an error of the readers.
//! Specification: SPEC.md, CON-27 to CON-36, CON-53, CON-63, CON-70.

mod print;
mod warnings;

use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;

use crate::class::{Class, LinuxSched, Priorities};
use crate::trace::FlowId;
use crate::units::{BitRate, Bytes, Rate, Speed};
use crate::yaml::budget::RtosBudget;
use crate::yaml::others::{FIRST, Other, Right};
use crate::yaml::output::{Output, Part, Ros};
use crate::yaml::paths::LinkPath;
use crate::yaml::robot::{Flow, Robot, Toward};
use crate::yaml::site::{LinkSite, Site};
use crate::yaml::vehicle::{Braking, StopProfile, Vehicle};

/// What a robot's declaration means at a site. Prints as tables; [`Report::to_json`] is the same for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Name of the robot.
    pub robot: String,
    /// Name of the site.
    pub site: String,
    /// The priority table, highest class first, as the site's limits leave it.
    pub classes: [ClassRow; 4],
    /// The flows in the order of the declaration.
    pub flows: Vec<FlowRow>,
    /// What an RTOS may take of processors that it shares with Linux.
    pub rtos_budgets: Vec<RtosBudget>,
    /// How the vehicle is stopped, softest first.
    pub stops: [StopRow; 3],
    /// How fast it may be at which latency; empty where nothing is declared of it.
    pub speeds: Vec<SpeedRow>,
    /// The ROS topics of the gate's output; empty where nobody gets it.
    pub output: Vec<OutputRow>,
    /// The ends that the vehicle serves; empty where it is one.
    pub ends: Vec<EndRow>,
    /// The ways to the peer; empty where there is one.
    pub paths: Vec<PathRow>,
    /// What will disappoint.
    pub warnings: Vec<Warning>,
}

/// One way to stop, from the vehicle's top speed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopRow {
    /// Which.
    pub profile: StopProfile,
    /// When it is used: `released`, `lost`, `emergency stop`; empty for never.
    pub used: Vec<&'static str>,
    /// How it brakes.
    pub braking: Braking,
    /// From which speed.
    pub from: Speed,
    /// How long it takes.
    pub time: Duration,
    /// How far it goes, in whole decimetres.
    pub distance_dm: u64,
}

/// The most over a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpeedRow {
    /// From what a camera sees to what the motors do about it.
    pub latency: Duration,
    /// At most the vehicle's top speed.
    pub most: Speed,
}

/// One ROS topic of the gate's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputRow {
    /// Which ROS, 1 or 2.
    pub ros: u8,
    /// What it is for.
    pub part: Part,
    /// Its name, with the leading slash.
    pub topic: String,
    /// Its type, as its ROS writes it (CON-66).
    pub type_name: &'static str,
}

/// What a class means in each layer at this site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassRow {
    /// The class.
    pub class: Class,
    /// What the class asks for.
    pub asked: Priorities,
    /// The Linux scheduling it gets, after the site's cap.
    pub linux: LinuxSched,
}

/// What one flow gets in each layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRow {
    /// Number of the flow.
    pub id: FlowId,
    /// Name of the flow.
    pub name: String,
    /// Which end receives it.
    pub toward: Toward,
    /// Its class in each layer.
    pub class: ClassRow,
    /// True for an existing program's traffic, which has no QoS of ours.
    pub matched: bool,
    /// Declared samples per second.
    pub rate: Option<Rate>,
    /// Declared largest sample.
    pub size: Option<Bytes>,
    /// Size times rate: samples alone, without headers, repair and redundancy. `None` unless both are declared.
    pub bit_rate: Option<BitRate>,
    /// Longest age of a sample.
    pub lifespan: Option<Duration>,
    /// Longest gap between two samples.
    pub deadline: Option<Duration>,
}

/// Something that can be done, but not well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The field it is about, such as `flows.camera/front.lifespan`.
    pub path: String,
    /// What will happen.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.path, self.what, self.remedy)
    }
}

/// One end that the vehicle serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndRow {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub at: SocketAddr,
    /// What it may.
    pub may: Right,
    /// Never more than this; `None`: no such limit.
    pub max_rate: Option<BitRate>,
}

/// A way to the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRow {
    /// Its number, from 1.
    pub number: usize,
    /// Where the operator listens for it, as the vehicle has it.
    pub operator: Option<SocketAddr>,
    /// Where the operator listens for it, as the operator has it.
    pub listen: Option<SocketAddr>,
    /// The network device; `None`: as the routes say.
    pub device: Option<String>,
    /// Never more than this on it; `None`: no such limit.
    pub max_rate: Option<BitRate>,
}

/// Derives what `robot` means at `site` (CON-27).
pub fn check(robot: &Robot, site: &Site) -> Report {
    Report {
        robot: robot.name.clone(),
        site: site.name.clone(),
        classes: Class::ALL.map(|class| class_row(class, site)),
        flows: robot.flows.iter().map(|flow| flow_row(flow, site)).collect(),
        rtos_budgets: site.rtos_budgets.clone(),
        stops: StopProfile::ALL.map(|profile| stop_row(profile, &robot.vehicle)),
        speeds: speed_rows(&robot.vehicle),
        output: robot.vehicle.output.as_ref().map(output_rows).unwrap_or_default(),
        ends: end_rows(&site.link),
        paths: path_rows(&site.link),
        warnings: warnings::find(robot, site),
    }
}

fn end_rows(link: &LinkSite) -> Vec<EndRow> {
    let Some(at) = link.operator.filter(|_| !link.others.is_empty()) else { return Vec::new() };
    let first = EndRow { name: FIRST.to_owned(), at, may: link.may, max_rate: link.max_rate };
    let other = |other: &Other| EndRow {
        name: other.name.clone(),
        at: other.at,
        may: other.may,
        max_rate: other.max_rate.or(link.max_rate),
    };
    [first].into_iter().chain(link.others.iter().map(other)).collect()
}

fn path_rows(link: &LinkSite) -> Vec<PathRow> {
    if link.paths.is_empty() {
        return Vec::new();
    }
    let first = PathRow {
        number: 1,
        operator: link.operator,
        listen: Some(link.listen),
        device: link.device.clone(),
        max_rate: link.max_rate,
    };
    let further = |(index, path): (usize, &LinkPath)| PathRow {
        number: index + 2,
        operator: path.operator,
        listen: path.listen,
        device: path.device.clone(),
        max_rate: path.max_rate.or(link.max_rate),
    };
    [first].into_iter().chain(link.paths.iter().enumerate().map(further)).collect()
}

fn stop_row(profile: StopProfile, vehicle: &Vehicle) -> StopRow {
    let (stop, braking) = (&vehicle.stop, vehicle.stop.braking(profile));
    let uses = [
        ("released", stop.released == profile),
        ("lost", stop.lost == profile),
        ("emergency stop", profile == StopProfile::Emergency),
    ];
    StopRow {
        profile,
        used: uses.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name).collect(),
        braking,
        from: vehicle.top_speed,
        time: braking.time(vehicle.top_speed),
        distance_dm: (braking.distance_m(vehicle.top_speed) * 10.0).round() as u64,
    }
}

/// At once, 1.25, 2 and 5 times the latency that is declared (CON-58).
fn speed_rows(vehicle: &Vehicle) -> Vec<SpeedRow> {
    let Some(degraded) = &vehicle.degraded else { return Vec::new() };
    let row = |quarters: u32| {
        let latency = degraded.at * quarters / 4;
        SpeedRow { latency, most: degraded.speed_at(latency).min(vehicle.top_speed) }
    };
    [4, 5, 8, 20].map(row).into()
}

fn output_rows(output: &Output) -> Vec<OutputRow> {
    let ros = if output.ros == Ros::One { 1 } else { 2 };
    let row = |(part, topic, type_name)| OutputRow { ros, part, topic, type_name };
    output.topics().into_iter().map(row).collect()
}

fn class_row(class: Class, site: &Site) -> ClassRow {
    let asked = class.priorities();
    ClassRow { class, asked, linux: site.allowed(asked.linux) }
}

fn flow_row(flow: &Flow, site: &Site) -> FlowRow {
    FlowRow {
        id: flow.id,
        name: flow.name.clone(),
        toward: flow.toward,
        class: class_row(flow.class, site),
        matched: flow.matching.is_some(),
        rate: flow.rate,
        size: flow.size,
        bit_rate: bit_rate(flow),
        lifespan: flow.qos.lifespan,
        deadline: flow.qos.deadline,
    }
}

/// Largest sample times rate (CON-28).
fn bit_rate(flow: &Flow) -> Option<BitRate> {
    Some(flow.size?.at(flow.rate?))
}
