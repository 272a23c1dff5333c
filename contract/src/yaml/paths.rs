//! `link.paths` and `link.device` of `site.yaml`: further ways to the same peer (CON-80, CON-81).

use std::collections::HashSet;
use std::net::SocketAddr;

use super::error::Log;
use super::fields::{Field, Fields};
use crate::units::BitRate;

/// Paths beside the first one.
const MOST: usize = 3;
/// Bytes of the name of a network device (`IFNAMSIZ` is 16, with the zero behind it).
const LONGEST_DEVICE: usize = 15;
const ADDRESS: &str = "an address with a port, such as 10.1.2.3:7448";

/// A path beside the one of `listen` or `operator`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkPath {
    /// Operator's side: where to listen for this path.
    pub listen: Option<SocketAddr>,
    /// Vehicle's side: where the operator listens for it.
    pub operator: Option<SocketAddr>,
    /// The network device that its packets leave and come by; as the routes say if None.
    pub device: Option<String>,
    /// Never send more on it; `None`: as much as the site's own `max_rate` lets.
    pub max_rate: Option<BitRate>,
}

/// The device of a path.
pub(super) fn device(fields: &Fields<'_>, log: &mut Log<'_>) -> Option<String> {
    let field = fields.get("device")?;
    let text = field.text(log, "the name of a network device, such as wwan0")?;
    let is_name = |text: &str| text.chars().all(|c| c.is_ascii_graphic() && c != '/' && c != ':');
    if text.is_empty() || text.len() > LONGEST_DEVICE || !is_name(text) || text == "." || text == ".." {
        field.wrong(log, format!("{text:?} is no name of a network device"), "take one that `ip link` lists");
        return None;
    }
    Some(text.to_owned())
}

/// The list, without those that have a fault of their own. `listen` and `operator` are the first path's.
pub(super) fn read(
    field: &Field<'_>,
    listen: SocketAddr,
    operator: Option<SocketAddr>,
    log: &mut Log<'_>,
) -> Vec<LinkPath> {
    let Some(items) = field.items(log) else { return Vec::new() };
    if items.len() > MOST {
        field.wrong(log, format!("{} further paths", items.len()), format!("name at most {MOST}"));
    }
    let (mut ports, mut ends) = (HashSet::from([listen]), HashSet::new());
    ends.extend(operator);
    let mut paths = Vec::new();
    for item in items.iter().take(MOST) {
        let Some(path) = read_one(item, log) else { continue };
        let is_new = path.listen.is_none_or(|at| at.port() == 0 || ports.insert(at))
            && path.operator.is_none_or(|at| ends.insert(at));
        if !is_new {
            item.wrong(log, "another path has this address", "give each path an address and port of its own");
        }
        if path.operator.is_some() && operator.is_none() {
            item.wrong(log, "there is no first path", "say where it goes: operator: 10.1.2.3:7447");
        }
        paths.push(path);
    }
    paths
}

fn read_one(item: &Field<'_>, log: &mut Log<'_>) -> Option<LinkPath> {
    let fields = item.fields(log, &["listen", "operator", "device", "max_rate"])?;
    let mut address = |name: &str| fields.get(name).and_then(|field| field.parsed(log, ADDRESS));
    let (listen, operator) = (address("listen"), address("operator"));
    if fields.get("listen").is_none() && fields.get("operator").is_none() {
        item.wrong(
            log,
            "it goes nowhere",
            "give operator: at the vehicle (where it listens for this path), listen: at the operator",
        );
    }
    let device = device(&fields, log);
    let max_rate = fields.max_rate(log, "leave it out for what the site lets");
    Some(LinkPath { listen, operator, device, max_rate })
}
