//! Finds what can be done, but not well. One function for each kind of warning (CON-29 to CON-32, CON-34 to CON-36, CON-53,
//! CON-58, CON-59, CON-63, CON-70).

use super::{Warning, bit_rate};
use crate::class::{Class, LinuxSched};
use crate::units::{BitRate, Bytes, DurationText};
use crate::yaml::budget::RtosBudget;
use crate::yaml::others::Other;
use crate::yaml::robot::{Flow, Robot, Toward};
use crate::yaml::site::Site;

/// Part of a period, one in so many, that Linux should have.
const LINUX_PART: u32 = 20;

/// All warnings: flows in their order, then the site.
pub(super) fn find(robot: &Robot, site: &Site) -> Vec<Warning> {
    let of_flow = |flow| {
        let found = [
            carried_by_nobody(flow),
            endless(flow),
            deadline_missed(flow),
            too_fast(flow, site),
            too_large(flow, site),
            too_long(flow, site),
        ];
        found.into_iter().flatten()
    };
    let flows = robot.flows.iter().flat_map(of_flow);
    let both_ways = [Toward::Operator, Toward::Vehicle];
    let sums = both_ways.into_iter().filter_map(|toward| sum_too_fast(robot, toward, site));
    let budgets = site.rtos_budgets.iter().enumerate().filter_map(leaves_little);
    flows
        .chain(sums)
        .chain(site.link.others.iter().enumerate().filter_map(|end| pictures_too_fast(robot, end)))
        .chain(slowed_by_commands_alone(robot))
        .chain(nothing_gated(robot))
        .chain(robot.flows.iter().filter_map(|flow| blind_between_pictures(flow, robot)))
        .chain(same_fifo(site))
        .chain(budgets)
        .chain(trusts_nobody(site))
        .collect()
}

fn warning(path: String, what: impl Into<String>, remedy: impl Into<String>) -> Option<Warning> {
    Some(Warning { path, what: what.into(), remedy: remedy.into() })
}

fn path(flow: &Flow, field: &str) -> String {
    format!("flows.{}.{field}", flow.name)
}

/// A flow that `tokkyu vehicle` and `tokkyu operator` pass over, and that does not look like a ROS 2 topic for
/// `tokkyu bridge` either: declared, but nothing will come (CON-36).
fn carried_by_nobody(flow: &Flow) -> Option<Warning> {
    const OTHERS: &str = "type: pkg/msg/Type for a ROS 2 topic, or match for packets of an existing program";
    let (carried, field, what, remedy) = match flow.toward {
        Toward::Operator => (
            flow.source.is_some(),
            "source",
            "no program carries a flow toward the operator without a source or a type",
            "add one such as source: {v4l2: /dev/video0}",
        ),
        Toward::Vehicle => (
            flow.class == Class::Control,
            "class",
            "no program carries a flow toward the vehicle that has no type and is not of class control",
            "write class: control for the driving commands",
        ),
    };
    if carried || flow.is_pattern() || flow.type_name.is_some() || flow.matching.is_some() {
        return None;
    }
    warning(path(flow, field), what, format!("{remedy}, {OTHERS}"))
}

/// An urgent flow without a lifespan repairs samples that nobody wants any more (CON-29).
fn endless(flow: &Flow) -> Option<Warning> {
    let urgent = matches!(flow.class, Class::Control | Class::Realtime);
    if !urgent || flow.qos.lifespan.is_some() || flow.matching.is_some() {
        return None;
    }
    let what = format!("a {} flow without a lifespan delivers samples of any age", flow.class);
    warning(path(flow, "lifespan"), what, "add the longest age a sample may have, such as lifespan: 500 ms")
}

/// A publisher that keeps its own rate misses a deadline shorter than its period (CON-30).
fn deadline_missed(flow: &Flow) -> Option<Warning> {
    let (deadline, rate) = (flow.qos.deadline?, flow.rate?);
    if deadline >= rate.period() {
        return None;
    }
    let (deadline, period) = (DurationText(deadline), DurationText(rate.period()));
    let what =
        format!("{deadline} is shorter than {period}, the gap between two samples at {rate}: always missed");
    warning(path(flow, "deadline"), what, format!("write more than {period} or raise the rate"))
}

/// The declared stream alone is more than may be sent (CON-31).
fn too_fast(flow: &Flow, site: &Site) -> Option<Warning> {
    let (needed, limit) = (bit_rate(flow)?, widest(site)?);
    if needed <= limit {
        return None;
    }
    let what =
        format!("{} at {} is {needed}, more than the site's max_rate of {limit}", flow.size?, flow.rate?);
    warning(path(flow, "rate"), what, "lower the rate or the size, or raise link.max_rate in the site's file")
}

/// The most that one path may carry: a flow goes on one (CON-82). None where one of them has no limit.
fn widest(site: &Site) -> Option<BitRate> {
    path_rates(site).collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// The most that all of them may carry together.
fn all_paths(site: &Site) -> Option<BitRate> {
    Some(path_rates(site).collect::<Option<Vec<_>>>()?.into_iter().fold(BitRate(0), BitRate::saturating_add))
}

fn path_rates(site: &Site) -> impl Iterator<Item = Option<BitRate>> {
    let link = &site.link;
    [link.max_rate].into_iter().chain(link.paths.iter().map(|path| path.max_rate.or(link.max_rate)))
}

/// Flows that fit one by one do not fit together (CON-31). Silent when one alone is already too fast.
fn sum_too_fast(robot: &Robot, toward: Toward, site: &Site) -> Option<Warning> {
    let (limit, widest) = (all_paths(site)?, widest(site)?);
    let rates = || robot.flows.iter().filter(|flow| flow.toward == toward).filter_map(bit_rate);
    let sum = rates().fold(BitRate(0), BitRate::saturating_add);
    if sum <= limit || rates().any(|rate| rate > widest) {
        return None;
    }
    let what = format!(
        "the flows toward the {} need {sum} together, more than the site's max_rate of {limit}",
        toward.as_str()
    );
    warning("flows".to_owned(), what, "lower rates or sizes, or raise link.max_rate in the site's file")
}

/// Every end gets every camera's pictures, and keeps to a rate of its own (CON-70). Where none is said it has the site's,
/// which the first end has too.
fn pictures_too_fast(robot: &Robot, (index, end): (usize, &Other)) -> Option<Warning> {
    let limit = end.max_rate?;
    let is_camera = |flow: &&Flow| flow.toward == Toward::Operator && flow.source.is_some();
    let rates = robot.flows.iter().filter(is_camera).filter_map(bit_rate);
    let needed = rates.fold(BitRate(0), BitRate::saturating_add);
    if needed <= limit {
        return None;
    }
    let part = needed.0.div_ceil(limit.0.max(1));
    let what = format!(
        "the pictures for {} need {needed}, more than its max_rate of {limit}: it gets some of them",
        end.name
    );
    let remedy = format!(
        "write max_rate: {needed} or more in the site's file, or lower rates or sizes of the cameras to 1/{part} in the \
         robot's"
    );
    warning(format!("link.others[{index}].max_rate"), what, remedy)
}

/// What a slow reader makes the link keep is more than the memory it may take (CON-32).
fn too_large(flow: &Flow, site: &Site) -> Option<Warning> {
    let (size, depth, memory) = (flow.size?, flow.qos.depth()?, site.link.memory);
    let kept = Bytes(size.0.saturating_mul(u64::from(depth)));
    if flow.matching.is_some() || kept <= memory {
        return None;
    }
    let what = format!("{depth} samples of {size} are {kept}, more than the site's memory of {memory}");
    warning(path(flow, "depth"), what, "lower the depth, or raise link.memory in the site's file")
}

/// An output without commands stays silent (CON-63).
fn nothing_gated(robot: &Robot) -> Option<Warning> {
    robot.vehicle.output.as_ref()?;
    let drives = |flow: &Flow| {
        let is_command = flow.toward == Toward::Vehicle && flow.class == Class::Control;
        is_command && flow.matching.is_none() && !flow.is_pattern()
    };
    if robot.flows.iter().any(drives) {
        return None;
    }
    warning(
        "vehicle.output".to_owned(),
        "no flow brings commands, so nothing is ever published",
        "add one such as drive: {class: control, toward: vehicle}",
    )
}

/// How old pictures are is nobody's business where there are none (CON-58).
fn slowed_by_commands_alone(robot: &Robot) -> Option<Warning> {
    robot.vehicle.degraded.as_ref().filter(|degraded| degraded.cameras.is_empty())?;
    warning(
        "vehicle.degraded".to_owned(),
        "no flow has a source, so the latency is that of the commands alone",
        "add the cameras the driver looks at, or raise reaction by how old the driver's view is",
    )
}

/// A driver is blind when the newest picture of a camera that counts is older than its lifespan: also just before the next
/// one comes (CON-58).
fn blind_between_pictures(flow: &Flow, robot: &Robot) -> Option<Warning> {
    let degraded = robot.vehicle.degraded.as_ref().filter(|rule| rule.cameras.contains(&flow.name))?;
    let (lifespan, period) = (flow.qos.lifespan?, flow.rate?.period());
    if lifespan >= period + degraded.at {
        return None;
    }
    let (lifespan, period, at) = (DurationText(lifespan), DurationText(period), DurationText(degraded.at));
    let what = format!(
        "pictures come each {period} and are worth {lifespan}: with {at} on the way the vehicle stops between two"
    );
    warning(path(flow, "lifespan"), what, "write at least the period and vehicle.degraded.at together")
}

/// The link refuses what takes more packets than it numbers in one sample (CON-59).
fn too_long(flow: &Flow, site: &Site) -> Option<Warning> {
    let (size, longest) = (flow.size?, site.link.longest_sample());
    if flow.matching.is_some() || size <= longest {
        return None;
    }
    let what = format!(
        "{size} is more than the link takes as one sample, {longest} at an mtu of {}: none is sent",
        site.link.mtu
    );
    warning(path(flow, "size"), what, "lower size:, write encoding: mjpeg, or raise link.mtu at both ends")
}

/// A cap below both real-time classes makes them equals on a CPU (CON-34).
fn same_fifo(site: &Site) -> Option<Warning> {
    let on_cpu = |class: Class| site.allowed(class.priorities().linux);
    let LinuxSched::Fifo(lower) = Class::Realtime.priorities().linux else { return None };
    if on_cpu(Class::Control) != on_cpu(Class::Realtime) {
        return None;
    }
    let what = format!("control and realtime threads both get {}", on_cpu(Class::Control));
    warning("priorities.max_fifo".to_owned(), what, format!("allow more than {lower} to keep control ahead"))
}

/// Linux's own work each tick, interrupts and wakes, needs more of a processor than that (CON-53).
fn leaves_little((index, row): (usize, &RtosBudget)) -> Option<Warning> {
    if row.left() >= row.period / LINUX_PART {
        return None;
    }
    let (left, period) = (DurationText(row.left()), DurationText(row.period));
    let what = format!("Linux may have no more than {left} in {period} of processor {}", row.core);
    let least = DurationText(row.period - row.period / LINUX_PART);
    warning(
        format!("cores.rtos[{index}].budget"),
        what,
        format!("write {least} or less: a twentieth keeps Linux alive"),
    )
}

/// A port that is open to the network and lets nobody in (CON-35).
fn trusts_nobody(site: &Site) -> Option<Warning> {
    if site.link.listen.ip().is_loopback() || !site.link.trust.is_empty() {
        return None;
    }
    let what =
        format!("the link listens on {} but trusts nobody, so no vehicle can connect", site.link.listen);
    warning("link.trust".to_owned(), what, "add the vehicle's public key")
}
