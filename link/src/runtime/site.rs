//! A link as a site's file sets it up: our key, those we trust, limits, priorities. What a command line gives goes first.
//!
//! Runs once, at the start of a program.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use tokkyu_contract::Class;
use tokkyu_contract::class::LinuxSched;
use tokkyu_contract::yaml::Site;
use tokkyu_contract::yaml::paths::LinkPath;
use tokkyu_contract::yaml::site::LinkSite;

use super::{Fault, FurtherPath, LinkConfig, Role};
use crate::carrier::realtime::RealTime;
use crate::carrier::{KeyError, PublicKey, SecretKey, TrustStore};

/// What a command line gives in place of what the site's file says.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// File of our private key.
    pub identity: Option<PathBuf>,
    /// Files or folders of public keys that may be the peer's; the site's if empty.
    pub trust: Vec<PathBuf>,
    /// The one of the trusted keys that may be the peer's, where it is known beforehand; any of them when `None`. It
    /// trusts nobody: a key that is not among the trusted ones is refused.
    pub only: Option<PublicKey>,
    /// `SCHED_FIFO` priority of class control, at most the site's; 0 asks for nothing real-time in any thread.
    pub priority: Option<u8>,
    /// For tests of programs: makes the link's thread die.
    pub fault: Fault,
}

/// A site does not say enough for a link, or what it names is not there.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// Nobody said which key is ours.
    #[error(
        "no key of our own: make one with \"tokkyu keys new FILE\" and give --identity FILE or link: {{identity: ...}} in site.yaml"
    )]
    NoIdentity,
    /// Nobody is trusted.
    #[error(
        "no peer is trusted: copy the peer's .pub file here and give --trust FILE or link: {{trust: [...]}} in site.yaml"
    )]
    NobodyTrusted,
    /// The one peer that may come is not trusted.
    #[error(
        "the peer's key {fingerprint} is not trusted; if it is the right machine, copy its public key file here and run: tokkyu keys trust FILE --into DIR"
    )]
    NotTrusted {
        /// Of the key.
        fingerprint: String,
    },
    /// A further path does not say what this end needs.
    #[error("link.paths[{index}] of site.yaml has no {needed}")]
    PathGoesNowhere {
        /// Which.
        index: usize,
        /// What is missing.
        needed: &'static str,
    },
    /// A key's file is missing, wrong, or open to others.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Overrides {
    /// Our public key.
    ///
    /// # Errors
    /// None is given, or its file cannot be used.
    pub fn own_key(&self, site: &Site) -> Result<PublicKey, SiteError> {
        Ok(identity(self.identity.as_deref(), &site.link)?.public())
    }

    /// The keys a peer may have.
    ///
    /// # Errors
    /// None is given, a file cannot be used, or `only` is none of them.
    pub fn peers(&self, site: &Site) -> Result<TrustStore, SiteError> {
        let trusted = trusted(&self.trust, &site.link)?;
        match self.only {
            None => Ok(trusted),
            Some(key) if trusted.contains(&key) => Ok(TrustStore::of([key])),
            Some(key) => Err(SiteError::NotTrusted { fingerprint: key.fingerprint() }),
        }
    }
}

impl LinkConfig {
    /// The link of `site`.
    ///
    /// # Errors
    /// No key of our own, nobody to trust, or a key's file that is missing, wrong, or open to others.
    pub fn at_site(
        role: Role,
        bind: SocketAddr,
        site: &Site,
        overrides: &Overrides,
    ) -> Result<LinkConfig, SiteError> {
        let secret = identity(overrides.identity.as_deref(), &site.link)?;
        let trusted = overrides.peers(site)?;
        let mut config = LinkConfig::new(role, bind, secret, trusted);
        config.ip_mtu = site.link.mtu;
        config.memory_bytes = usize::try_from(site.link.memory.0).unwrap_or(usize::MAX);
        if let Some(rate) = site.link.max_rate {
            config.max_bps = rate.0 as f64;
        }
        config.device.clone_from(&site.link.device);
        config.paths = further_paths(&config, site)?;
        config.fault = overrides.fault.clone();
        config.real_time = RealTime {
            fifo_priority: fifo(site, Class::Control, overrides.priority),
            lock_memory: overrides.priority != Some(0),
            cores: site.link_cores.iter().map(|core| usize::from(*core)).collect(),
        };
        Ok(config)
    }
}

/// The `SCHED_FIFO` priority of a thread that serves `class` here: the class's or the one asked for, never above the
/// site's highest; `None` for none. Asking for 0 is asking for none in every thread.
pub fn fifo(site: &Site, class: Class, asked: Option<u8>) -> Option<u8> {
    let wanted = match (asked, class) {
        (Some(0), _) => LinuxSched::Other,
        (Some(priority), Class::Control) => LinuxSched::Fifo(priority),
        // Pictures stay below control by as much as the class table says, whatever control was given.
        (Some(priority), class) => match (Class::Control.priorities().linux, class.priorities().linux) {
            (LinuxSched::Fifo(control), LinuxSched::Fifo(own)) => {
                LinuxSched::Fifo(priority.saturating_sub(control.saturating_sub(own)).max(1))
            }
            (_, other) => other,
        },
        (None, class) => class.priorities().linux,
    };
    match site.allowed(wanted) {
        LinuxSched::Fifo(priority) => Some(priority),
        LinuxSched::Other | LinuxSched::Idle => None,
    }
}

/// The site's further paths, where the first one is the site's too: a peer that a command line names, or another one's
/// end, is not at the end of them.
fn further_paths(config: &LinkConfig, site: &Site) -> Result<Vec<FurtherPath>, SiteError> {
    let is_sites = match config.role {
        Role::Vehicle { operator } => site.link.operator == Some(operator),
        Role::Operator => site.link.listen == config.bind,
    };
    let paths = site.link.paths.iter().enumerate().filter(|_| is_sites);
    paths.map(|(index, path)| further_path(config, index, path)).collect()
}

fn further_path(config: &LinkConfig, index: usize, path: &LinkPath) -> Result<FurtherPath, SiteError> {
    let nowhere = |needed| SiteError::PathGoesNowhere { index, needed };
    let (bind, operator) = match config.role {
        Role::Vehicle { .. } => {
            let operator = path.operator.ok_or_else(|| {
                nowhere(
                    "operator: say where the operator listens for this path, as in operator: 10.1.2.3:7448",
                )
            })?;
            let any: IpAddr =
                if operator.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
            (SocketAddr::new(any, 0), Some(operator))
        }
        Role::Operator => {
            let listen = path.listen.ok_or_else(|| {
                nowhere("listen: say where to listen for this path, as in listen: 0.0.0.0:7448")
            })?;
            (listen, None)
        }
    };
    let max_bps = path.max_rate.map_or(config.max_bps, |rate| rate.0 as f64);
    Ok(FurtherPath { bind, operator, device: path.device.clone(), max_bps })
}

fn identity(given: Option<&Path>, site: &LinkSite) -> Result<SecretKey, SiteError> {
    let path = given.or(site.identity.as_deref()).ok_or(SiteError::NoIdentity)?;
    Ok(SecretKey::load(path)?)
}

fn trusted(given: &[PathBuf], site: &LinkSite) -> Result<TrustStore, SiteError> {
    let paths = if given.is_empty() { &site.trust } else { given };
    let mut keys: Vec<PublicKey> = Vec::new();
    for path in paths {
        keys.extend(TrustStore::load(path)?.iter().map(|trusted| trusted.key));
    }
    if keys.is_empty() { Err(SiteError::NobodyTrusted) } else { Ok(TrustStore::of(keys)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn no_thread_gets_more_than_the_site_allows_and_zero_is_none_at_all() {
        let site = Site { max_fifo: 35, ..Site::default() };
        assert_eq!(fifo(&site, Class::Control, None), Some(35));
        assert_eq!(fifo(&site, Class::Realtime, None), Some(30));
        assert_eq!(fifo(&site, Class::Control, Some(20)), Some(20));
        assert_eq!(fifo(&site, Class::Realtime, Some(20)), Some(10));
        assert_eq!(fifo(&site, Class::Realtime, Some(5)), Some(1));
        assert_eq!(fifo(&site, Class::Control, Some(90)), Some(35));
        assert_eq!(fifo(&site, Class::Control, Some(0)), None);
        assert_eq!(fifo(&site, Class::BestEffort, None), None);
        assert_eq!(fifo(&Site { max_fifo: 0, ..Site::default() }, Class::Control, None), None);
    }

    #[test]
    fn keys_given_on_the_command_line_stand_before_those_of_the_site() {
        let dir = tempfile::tempdir().unwrap();
        let [ours, sites] = ["ours", "sites"].map(|name| dir.path().join(name));
        let key = SecretKey::create(&ours, "vehicle").unwrap();
        let other = SecretKey::create(&sites, "site").unwrap();
        let site = LinkSite {
            identity: Some(sites.clone()),
            trust: vec![dir.path().join("sites.pub")],
            ..LinkSite::default()
        };
        assert_eq!(identity(Some(&ours), &site).unwrap().public(), key.public());
        assert_eq!(identity(None, &site).unwrap().public(), other.public());
        assert!(trusted(&[], &site).unwrap().contains(&other.public()));
        let given = trusted(&[dir.path().join("ours.pub")], &site).unwrap();
        assert!(given.contains(&key.public()) && !given.contains(&other.public()));
    }

    #[test]
    fn the_one_key_that_may_come_must_be_trusted_and_then_no_other_is() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other] =
            ["one", "other"].map(|name| SecretKey::create(&dir.path().join(name), "").unwrap().public());
        let trust = vec![dir.path().join("one.pub"), dir.path().join("other.pub")];
        let overrides = Overrides { trust, only: Some(one), ..Overrides::default() };
        let peers = overrides.peers(&Site::default()).unwrap();
        assert!(peers.contains(&one) && !peers.contains(&other));
        let overrides = Overrides { trust: vec![dir.path().join("other.pub")], ..overrides };
        let error = overrides.peers(&Site::default()).unwrap_err();
        assert!(error.to_string().contains(&one.fingerprint()), "{error}");
    }

    /// A site at which both ends have two paths, and a key.
    fn two_paths(dir: &Path, link: &str) -> Site {
        let path = dir.join("key");
        if !path.exists() {
            SecretKey::create(&path, "").unwrap();
        }
        let key = path.display();
        let text = format!("link: {{identity: {key}, trust: [{key}.pub], {link}}}\n");
        tokkyu_contract::yaml::site::parse("site.yaml", &text).unwrap()
    }

    #[test]
    fn further_paths_are_of_the_sites_own_peer_and_each_end_takes_its_side_of_them() {
        let dir = tempfile::tempdir().unwrap();
        let site = two_paths(
            dir.path(),
            "listen: 0.0.0.0:7447, operator: 10.0.0.2:7447, device: wwan0, max_rate: 9 Mbit/s, paths: \
             [{operator: 10.0.0.2:7448, listen: 0.0.0.0:7448, device: wwan1, max_rate: 5 Mbit/s}]",
        );
        let at = |role, bind: &str| {
            LinkConfig::at_site(role, bind.parse().unwrap(), &site, &Overrides::default()).unwrap()
        };
        let vehicle = at(Role::Vehicle { operator: "10.0.0.2:7447".parse().unwrap() }, "0.0.0.0:0");
        let second = |bind: &str, operator: Option<&str>| FurtherPath {
            bind: bind.parse().unwrap(),
            operator: operator.map(|at| at.parse().unwrap()),
            device: Some("wwan1".to_owned()),
            max_bps: 5e6,
        };
        assert_eq!((vehicle.device.as_deref(), vehicle.max_bps), (Some("wwan0"), 9e6));
        assert_eq!(vehicle.paths, [second("0.0.0.0:0", Some("10.0.0.2:7448"))]);
        assert_eq!(at(Role::Operator, "0.0.0.0:7447").paths, [second("0.0.0.0:7448", None)]);
        assert_eq!(at(Role::Operator, "0.0.0.0:9000").paths, [], "another link of this machine");
        let other = Role::Vehicle { operator: "10.0.0.3:7447".parse().unwrap() };
        assert_eq!(at(other, "0.0.0.0:0").paths, [], "another operator");
    }

    #[test]
    fn a_path_that_does_not_say_what_this_end_needs_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let vehicle = Role::Vehicle { operator: "10.0.0.2:7447".parse().unwrap() };
        for (role, paths, needed) in [
            (vehicle, "{listen: 0.0.0.0:7448}", "has no operator: say where"),
            (Role::Operator, "{operator: 10.0.0.2:7448}", "has no listen: say where"),
        ] {
            let link = format!("listen: 0.0.0.0:7447, operator: 10.0.0.2:7447, paths: [{paths}]");
            let site = two_paths(dir.path(), &link);
            let bind = site.link.listen;
            let error = LinkConfig::at_site(role, bind, &site, &Overrides::default()).err().unwrap();
            assert!(error.to_string().contains(&format!("link.paths[0] of site.yaml {needed}")), "{error}");
        }
    }

    #[test]
    fn a_missing_or_open_key_is_an_error_with_its_remedy() {
        let (dir, site) = (tempfile::tempdir().unwrap(), LinkSite::default());
        let path = dir.path().join("key");
        assert!(matches!(identity(None, &site), Err(SiteError::NoIdentity)));
        assert!(matches!(trusted(&[], &site), Err(SiteError::NobodyTrusted)));
        assert!(matches!(identity(Some(&path), &site), Err(SiteError::Key(KeyError::Read { .. }))));
        SecretKey::create(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let error = identity(Some(&path), &site).unwrap_err();
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }
}
