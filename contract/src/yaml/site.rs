//! `site.yaml`: the limits and places that belong to the integrator, not to the robot. Everything is optional
//! (CON-17 to CON-19, CON-37 to CON-39).

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use super::budget::{self, RtosBudget};
use super::error::{Errors, Log};
use super::fields::{Field, Fields};
use super::fleet::{self, FleetSite};
use super::others::{self, Other, Right};
use super::paths::{self, LinkPath};
use super::tree::{self, Kind, Node};
use super::{file, name};
use crate::class::LinuxSched;
use crate::units::{BitRate, Bytes, Quantity};

/// The port both ends use unless told otherwise.
const DEFAULT_PORT: u16 = 7447;

/// Smallest and largest IP MTU: the smallest every IPv6 path has (RFC 8200, §5) and the usual jumbo frame.
const MTU_RANGE: std::ops::RangeInclusive<u64> = 1280..=9000;

/// The highest static priority Linux has (`sched(7)`).
const MAX_FIFO_PRIORITY: u64 = 99;

/// Highest CPU number a `cpu_set_t` holds (`CPU_SETSIZE` is 1024).
const MAX_CORE: u64 = 1023;

/// Limits and places of one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Name of the site, `site` unless given.
    pub name: String,
    /// Where the link listens and whom it trusts.
    pub link: LinkSite,
    /// Highest `SCHED_FIFO` priority any thread may take, 0 (none at all) to 99. Default 50.
    pub max_fifo: u8,
    /// CPUs the link's threads may run on; empty means any. Default empty.
    pub link_cores: Vec<u16>,
    /// What an RTOS may take of processors that it shares with Linux. Default no bound.
    pub rtos_budgets: Vec<RtosBudget>,
    /// Where the fleet's routers are. Default none.
    pub fleet: FleetSite,
}

/// The link's part of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkSite {
    /// Operator's side: where to listen. Default `127.0.0.1:7447`, so that nothing is open unless told.
    pub listen: SocketAddr,
    /// Vehicle's side: where the operator is. Default none.
    pub operator: Option<SocketAddr>,
    /// The network device that the first path's packets leave and come by. Default: as the routes say.
    pub device: Option<String>,
    /// Further paths to the same peer. Default none.
    pub paths: Vec<LinkPath>,
    /// What that operator may beside driving. Default force.
    pub may: Right,
    /// Vehicle's side: who else is served. Default nobody.
    pub others: Vec<Other>,
    /// File of the own private key. Default none.
    pub identity: Option<PathBuf>,
    /// Files of the public keys that may talk to this end. Default nobody.
    pub trust: Vec<PathBuf>,
    /// IP MTU of the path in bytes, 1280 to 9000. Default 1500.
    pub mtu: u16,
    /// Never send faster than this. Default no such limit.
    pub max_rate: Option<BitRate>,
    /// Bound of what a peer can make this end hold in memory. Default 256 MB.
    pub memory: Bytes,
}

/// The link cuts a sample into so many parts at most, and a sample is no longer than this (LNK-6).
const MOST_PARTS: u64 = 16_384;
const LONGEST_SAMPLE: u64 = 64 << 20;
/// Headers of IP, UDP, QUIC, the link's packet and its fragment, rounded up.
const HEADER_BYTES: u64 = 160;

impl LinkSite {
    /// The longest sample that the link takes on a path of this MTU, one packet for each part.
    pub fn longest_sample(&self) -> Bytes {
        let part = u64::from(self.mtu).saturating_sub(HEADER_BYTES);
        Bytes((MOST_PARTS * part).min(LONGEST_SAMPLE))
    }
}

impl Default for LinkSite {
    fn default() -> Self {
        LinkSite {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), DEFAULT_PORT),
            operator: None,
            may: Right::Force,
            device: None,
            paths: Vec::new(),
            others: Vec::new(),
            identity: None,
            trust: Vec::new(),
            mtu: 1500,
            max_rate: None,
            memory: Bytes(256_000_000),
        }
    }
}

impl Default for Site {
    fn default() -> Self {
        Site {
            name: "site".to_owned(),
            link: LinkSite::default(),
            max_fifo: 50,
            link_cores: Vec::new(),
            rtos_budgets: Vec::new(),
            fleet: FleetSite::default(),
        }
    }
}

impl Site {
    /// The scheduling a thread gets here when its class asks for `asked` (CON-18).
    pub const fn allowed(&self, asked: LinuxSched) -> LinuxSched {
        match asked {
            LinuxSched::Fifo(_) if self.max_fifo == 0 => LinuxSched::Other,
            LinuxSched::Fifo(priority) if priority > self.max_fifo => LinuxSched::Fifo(self.max_fifo),
            other => other,
        }
    }

    /// Paths are relative to the file they stand in (CON-16).
    fn based_at(mut self, folder: &Path) -> Site {
        let based = |path: PathBuf| folder.join(path);
        self.link.identity = self.link.identity.map(based);
        self.link.trust = self.link.trust.into_iter().map(based).collect();
        self.link.others.iter_mut().for_each(|other| other.key = folder.join(&other.key));
        self.fleet = self.fleet.based_at(folder);
        self
    }
}

/// Reads the text of a `site.yaml`. `file_name` stands in the errors. Paths are kept as written.
///
/// # Errors
///
/// Everything that is wrong with the text, up to [`super::MAX_ERRORS`].
pub fn parse(file_name: &str, text: &str) -> Result<Site, Errors> {
    let mut log = Log::new(file_name, text);
    let site = tree::read(text, &mut log).and_then(|root| read(&root, &mut log));
    log.finish(site)
}

/// Reads the `site.yaml` at `path`. Relative paths in it count from its folder.
///
/// # Errors
///
/// The file cannot be read, or as [`parse`].
pub fn load(path: &Path) -> Result<Site, Errors> {
    let site = parse(&path.display().to_string(), &file::read(path)?)?;
    Ok(site.based_at(path.parent().unwrap_or(Path::new(""))))
}

/// `None` after an error that left nothing to read; a fault in one field leaves its default and is in the log.
fn read(root: &Node, log: &mut Log<'_>) -> Option<Site> {
    let mut site = Site::default();
    if matches!(root.kind, Kind::Nothing) {
        return Some(site);
    }
    let fields = Field::root(root).fields(log, &["site", "link", "priorities", "cores", "fleet"])?;
    if let Some(name) = site_name(&fields, log) {
        site.name = name;
    }
    if let Some(field) = fields.get("link") {
        read_link(&field, &mut site.link, log);
    }
    if let Some(priority) = max_fifo(&fields, log) {
        site.max_fifo = priority;
    }
    if let Some(field) = fields.get("cores") {
        read_cores(&field, &mut site, log);
    }
    if let Some(field) = fields.get("fleet") {
        site.fleet = fleet::read(&field, log);
    }
    Some(site)
}

fn site_name(fields: &Fields<'_>, log: &mut Log<'_>) -> Option<String> {
    let field = fields.get("site")?;
    let text = field.text(log, "the site's name")?;
    if let Err((what, remedy)) = name::check_label(text) {
        field.wrong(log, what, remedy);
    }
    Some(text.to_owned())
}

fn read_link(field: &Field<'_>, link: &mut LinkSite, log: &mut Log<'_>) {
    const KEYS: [&str; 11] = [
        "listen", "operator", "device", "paths", "may", "others", "identity", "trust", "mtu", "max_rate",
        "memory",
    ];
    let Some(fields) = field.fields(log, &KEYS) else { return };
    if let Some(address) = address(&fields, "listen", log) {
        link.listen = address;
    }
    link.operator = address(&fields, "operator", log);
    link.device = paths::device(&fields, log);
    if let Some(field) = fields.get("paths") {
        link.paths = paths::read(&field, link.listen, link.operator, log);
    }
    link.may = others::first_may(&fields, log);
    if let Some(field) = fields.get("others") {
        link.others = others::read(&field, link.operator, &link.paths, log);
    }
    link.identity = path(&fields, "identity", "the path of a private key", log);
    link.trust = fields.get("trust").and_then(|field| trust(&field, log)).unwrap_or_default();
    if let Some(mtu) = fields.get("mtu").and_then(|field| field.integer(log, MTU_RANGE)) {
        link.mtu = u16::try_from(mtu).unwrap_or(u16::MAX);
    }
    link.max_rate = fields.max_rate(log, "leave it out for no limit");
    if let Some(memory) = memory(&fields, log) {
        link.memory = memory;
    }
}

fn address(fields: &Fields<'_>, name: &str, log: &mut Log<'_>) -> Option<SocketAddr> {
    fields.get(name)?.parsed(log, "an address with a port, such as 10.1.2.3:7447 or \"[fd00::1]:7447\"")
}

fn path(fields: &Fields<'_>, name: &str, needed: &str, log: &mut Log<'_>) -> Option<PathBuf> {
    fields.get(name)?.text(log, needed).map(PathBuf::from)
}

fn trust(field: &Field<'_>, log: &mut Log<'_>) -> Option<Vec<PathBuf>> {
    let items = field.items(log)?;
    Some(
        items
            .iter()
            .filter_map(|item| item.text(log, "the path of a public key").map(PathBuf::from))
            .collect(),
    )
}

fn memory(fields: &Fields<'_>, log: &mut Log<'_>) -> Option<Bytes> {
    let field = fields.get("memory")?;
    let memory: Bytes = field.quantity(log, Quantity::Size, str::parse)?;
    if memory == Bytes(0) {
        field.wrong(log, "no sample fits into 0 B", "write a size such as 256 MB");
    }
    Some(memory)
}

fn max_fifo(fields: &Fields<'_>, log: &mut Log<'_>) -> Option<u8> {
    let priorities = fields.get("priorities")?.fields(log, &["max_fifo"])?;
    let priority = priorities.get("max_fifo")?.integer(log, 0..=MAX_FIFO_PRIORITY)?;
    u8::try_from(priority).ok()
}

fn read_cores(field: &Field<'_>, site: &mut Site, log: &mut Log<'_>) {
    let Some(fields) = field.fields(log, &["link", "rtos"]) else { return };
    if let Some(cores) = fields.get("link").and_then(|field| link_cores(&field, log)) {
        site.link_cores = cores;
    }
    if let Some(field) = fields.get("rtos") {
        site.rtos_budgets = budget::read(&field, log);
    }
}

fn link_cores(field: &Field<'_>, log: &mut Log<'_>) -> Option<Vec<u16>> {
    let items = field.items(log)?;
    let mut cores = Vec::new();
    for item in &items {
        cores.extend(item.integer(log, 0..=MAX_CORE).and_then(|core| u16::try_from(core).ok()));
    }
    Some(cores)
}
