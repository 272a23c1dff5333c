//! `fleet:` in `site.yaml`: where the fleet's routers are, the certificates for them, and who may be what (CON-37 to
//! CON-39). No Zenoh here: an address is checked by its form alone.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::error::Log;
use super::fields::{Field, Fields};
use super::name;

/// Routers a site may name.
const MAX_ROUTERS: usize = 8;
/// Names in one list of `access`: each becomes rules of the router.
const MAX_NAMES: usize = 1000;
/// Longest host: that of a DNS name.
const MAX_HOST: usize = 253;

/// The fleet's part of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetSite {
    /// Routers to be reached, one of which is enough. Default none: no fleet.
    pub routers: Vec<RouterAddress>,
    /// Certificates for `tls/` addresses. Default none.
    pub tls: Option<FleetTls>,
    /// A router's list of who may be what. Default none: whoever has a certificate may be anybody.
    pub access: Option<FleetAccess>,
}

/// Files that prove a machine to the fleet's routers, and them to it: PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetTls {
    /// Certificate of the fleet's certificate authority.
    pub ca: PathBuf,
    /// The machine's own certificate; its common name is the machine's name in the fleet.
    pub certificate: PathBuf,
    /// The private key that belongs to it.
    pub key: PathBuf,
}

/// Common names of certificates by what their owners may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetAccess {
    /// May announce a vehicle of their own name.
    pub vehicles: Vec<String>,
    /// May see all vehicles and call them.
    pub operators: Vec<String>,
    /// May pass on what others announce.
    pub routers: Vec<String>,
}

/// Where a router listens: `tls/HOST:PORT`, or `tcp/HOST:PORT` without encryption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouterAddress {
    /// Encrypted, and both sides proven.
    pub is_tls: bool,
    /// A name or an address; an IPv6 address in brackets.
    pub host: String,
    /// From 1.
    pub port: u16,
}

/// The text is no [`RouterAddress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRouterAddress;

impl fmt::Display for NoRouterAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is no router's address; write {ADDRESS}")
    }
}

impl core::error::Error for NoRouterAddress {}

const ADDRESS: &str = "tls/HOST:PORT, or tcp/127.0.0.1:PORT on one machine";

impl RouterAddress {
    /// Whether only this machine can reach it. A name is not asked for its address, but for `localhost`.
    pub fn is_loopback(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Display for RouterAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}:{}", if self.is_tls { "tls" } else { "tcp" }, self.host, self.port)
    }
}

impl FromStr for RouterAddress {
    type Err = NoRouterAddress;

    fn from_str(text: &str) -> Result<RouterAddress, NoRouterAddress> {
        let (protocol, place) = text.split_once('/').ok_or(NoRouterAddress)?;
        let is_tls = match protocol {
            "tls" => true,
            "tcp" => false,
            _ => return Err(NoRouterAddress),
        };
        let (host, port) = place.rsplit_once(':').ok_or(NoRouterAddress)?;
        let digits = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
        let port = port.parse::<u16>().ok().filter(|port| digits && *port > 0).ok_or(NoRouterAddress)?;
        // Nothing but a host: what follows ? or # in a Zenoh endpoint would be settings.
        if is_host(host) {
            Ok(RouterAddress { is_tls, host: host.to_owned(), port })
        } else {
            Err(NoRouterAddress)
        }
    }
}

fn is_host(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return matches!(inner.parse(), Ok(IpAddr::V6(_)));
    }
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    !host.is_empty() && host.len() <= MAX_HOST && host.chars().all(letter)
}

impl FleetSite {
    /// Paths are relative to the file they stand in (CON-16).
    pub(super) fn based_at(mut self, folder: &Path) -> FleetSite {
        if let Some(tls) = &mut self.tls {
            for path in [&mut tls.ca, &mut tls.certificate, &mut tls.key] {
                *path = folder.join(&*path);
            }
        }
        self
    }
}

/// Reads the section. A fault in one field leaves its default and is in the log.
pub(super) fn read(field: &Field<'_>, log: &mut Log<'_>) -> FleetSite {
    let mut site = FleetSite::default();
    let Some(fields) = field.fields(log, &["routers", "tls", "access"]) else { return site };
    site.routers = fields.get("routers").and_then(|field| routers(&field, log)).unwrap_or_default();
    site.tls = fields.get("tls").and_then(|field| tls(&field, log));
    site.access = fields.get("access").and_then(|field| access(&field, log));
    site
}

fn routers(field: &Field<'_>, log: &mut Log<'_>) -> Option<Vec<RouterAddress>> {
    let items = field.items(log)?;
    if items.len() > MAX_ROUTERS {
        field.wrong(
            log,
            format!("{} routers are listed", items.len()),
            format!("list at most {MAX_ROUTERS}"),
        );
        return None;
    }
    Some(items.iter().filter_map(|item| item.parsed(log, ADDRESS)).collect())
}

fn tls(field: &Field<'_>, log: &mut Log<'_>) -> Option<FleetTls> {
    let fields = field.fields(log, &["ca", "certificate", "key"])?;
    let mut path = |name: &str, what: &str| {
        let remedy = format!("give the path of {what}");
        let field = fields.required(log, name, &remedy)?;
        field.text(log, &format!("the path of {what}")).map(PathBuf::from)
    };
    let ca = path("ca", "the fleet's certificate authority's certificate");
    let certificate = path("certificate", "this machine's certificate");
    let key = path("key", "the private key of this machine's certificate");
    Some(FleetTls { ca: ca?, certificate: certificate?, key: key? })
}

fn access(field: &Field<'_>, log: &mut Log<'_>) -> Option<FleetAccess> {
    let fields = field.fields(log, &["vehicles", "operators", "routers"])?;
    let access = FleetAccess {
        vehicles: names(&fields, "vehicles", log),
        operators: names(&fields, "operators", log),
        routers: names(&fields, "routers", log),
    };
    Some(access)
}

fn names(fields: &Fields<'_>, list: &str, log: &mut Log<'_>) -> Vec<String> {
    let Some(field) = fields.get(list) else { return Vec::new() };
    let Some(items) = field.items(log) else { return Vec::new() };
    if items.len() > MAX_NAMES {
        field.wrong(log, format!("{} names are listed", items.len()), format!("list at most {MAX_NAMES}"));
        return Vec::new();
    }
    let mut names = Vec::new();
    for item in &items {
        let Some(text) = item.text(log, "the common name of a certificate") else { continue };
        match name::check_label(text) {
            Ok(()) => names.push(text.to_owned()),
            Err((what, remedy)) => item.wrong(log, what, remedy),
        }
    }
    names
}
