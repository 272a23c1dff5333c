//! Zenoh as the fleet uses it: clients of routers, over TLS, with memory bounds and nothing found by itself (FLT-40 to
//! FLT-45).
//!
//! Vehicles and operators are clients: they reach routers and nobody else, so that no message goes past a router's list
//! of who may what. A client whose router is gone goes back to one by itself, and tells everything it declared again.

mod access;

use std::fs::File;
use std::path::Path;

use tokkyu_contract::yaml::fleet::{FleetSite, FleetTls, RouterAddress};
use zenoh::{Config, Session, Wait};

use crate::error::FleetError;
use crate::protocol::keys::ALL;
use crate::protocol::state::MAX_BYTES;

/// Longest message that is put together again; ours have at most [`MAX_BYTES`].
const MAX_MESSAGE_BYTES: usize = 256 * 1024;
/// A vehicle that vanished without a word is missed after this; a quarter of it is the time between signs of life.
const LEASE_MS: u64 = 6_000;
/// Longest handshake with a router.
const OPEN_MS: u64 = 5_000;

/// Key and value of Zenoh's configuration.
type Setting = (&'static str, String);

fn json(value: impl serde::Serialize) -> String {
    serde_json::to_string(&value).expect("texts and lists have only strings as keys")
}

fn words(addresses: &[RouterAddress]) -> Vec<String> {
    addresses.iter().map(ToString::to_string).collect()
}

/// What all three kinds of program set.
fn bounds() -> Vec<Setting> {
    let filter = serde_json::json!([{"id": "bounded", "flows": ["ingress", "egress"], "key_exprs": [ALL],
        "messages": ["put", "delete", "query", "reply"], "size_limit": MAX_BYTES}]);
    vec![
        ("scouting/multicast/enabled", "false".to_owned()),
        ("scouting/gossip/enabled", "false".to_owned()),
        ("transport/unicast/open_timeout", OPEN_MS.to_string()),
        ("transport/unicast/accept_timeout", OPEN_MS.to_string()),
        ("transport/link/tx/lease", LEASE_MS.to_string()),
        ("transport/link/rx/max_message_size", MAX_MESSAGE_BYTES.to_string()),
        ("low_pass_filter", filter.to_string()),
    ]
}

/// Certificates for both directions. Whoever connects must show one of the same authority.
fn tls(files: &FleetTls) -> Result<Vec<Setting>, FleetError> {
    for path in [&files.ca, &files.certificate, &files.key] {
        // Zenoh would say it later, and in a log.
        File::open(path).map_err(|error| FleetError::File { path: path.clone(), why: error.to_string() })?;
    }
    let text = |path: &Path| json(path.to_string_lossy());
    Ok(vec![
        ("transport/link/tls/root_ca_certificate", text(&files.ca)),
        ("transport/link/tls/listen_certificate", text(&files.certificate)),
        ("transport/link/tls/listen_private_key", text(&files.key)),
        ("transport/link/tls/connect_certificate", text(&files.certificate)),
        ("transport/link/tls/connect_private_key", text(&files.key)),
        ("transport/link/tls/enable_mtls", "true".to_owned()),
        ("transport/link/tls/verify_name_on_connect", "true".to_owned()),
        ("transport/link/tls/close_link_on_expiration", "true".to_owned()),
    ])
}

/// Settings for `addresses`, after what would be open or cannot work is refused.
fn secured(addresses: &[RouterAddress], site: &FleetSite) -> Result<Vec<Setting>, FleetError> {
    if let Some(open) = addresses.iter().find(|address| !address.is_tls && !address.is_loopback()) {
        return Err(FleetError::Open { address: open.to_string() });
    }
    let Some(encrypted) = addresses.iter().find(|address| address.is_tls) else { return Ok(Vec::new()) };
    match &site.tls {
        Some(files) => tls(files),
        None => Err(FleetError::NoCertificates { address: encrypted.to_string() }),
    }
}

fn configure(settings: Vec<Setting>) -> Result<Config, FleetError> {
    let mut config = Config::default();
    for (key, value) in settings {
        config.insert_json5(key, &value).map_err(FleetError::zenoh(key))?;
    }
    Ok(config)
}

/// Connects to the first router of the site that answers. Each is tried once, for at most five seconds.
///
/// # Errors
/// The site names none, certificates are missing, or none answers.
pub fn connect(site: &FleetSite) -> Result<Session, FleetError> {
    if site.routers.is_empty() {
        return Err(FleetError::NoRouters);
    }
    let mut settings = bounds();
    settings.extend(secured(&site.routers, site)?);
    settings.extend([
        ("mode", json("client")),
        ("listen/endpoints", "[]".to_owned()),
        ("connect/endpoints", json(words(&site.routers))),
        ("connect/timeout_ms", "0".to_owned()),
        ("connect/retry", "{period_init_ms: 500, period_max_ms: 2000, period_increase_factor: 2}".to_owned()),
    ]);
    let session = zenoh::open(configure(settings)?).wait();
    session.map_err(|error| FleetError::NoRouter {
        addresses: words(&site.routers).join(", "),
        why: error.to_string(),
    })
}

/// Whether a router is reached at the moment.
pub fn is_connected(session: &Session) -> bool {
    session.info().routers_zid().wait().next().is_some()
}

/// Opens a router.
///
/// # Errors
/// It would be open to anybody, certificates are missing, or the address cannot be listened at.
pub fn route(
    listen: &[RouterAddress],
    connect: &[RouterAddress],
    site: &FleetSite,
) -> Result<Session, FleetError> {
    let mut settings = bounds();
    settings.extend(secured(&[listen, connect].concat(), site)?);
    settings.extend([
        ("mode", json("router")),
        ("listen/endpoints", json(words(listen))),
        ("connect/endpoints", json(words(connect))),
        ("listen/exit_on_failure", "true".to_owned()),
    ]);
    if let Some(access) = &site.access {
        if !listen.iter().all(|address| address.is_tls) {
            return Err(FleetError::AccessWithoutTls);
        }
        settings.push(("access_control", access::rules(access).to_string()));
    }
    let session = zenoh::open(configure(settings)?).wait();
    session
        .map_err(|error| FleetError::Listen { addresses: words(listen).join(", "), why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(texts: &[&str]) -> Vec<RouterAddress> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn nothing_unencrypted_goes_beyond_this_machine_and_nothing_is_found_by_itself() {
        let site = |routers: &[&str]| FleetSite { routers: addresses(routers), ..FleetSite::default() };
        assert!(matches!(connect(&site(&[])), Err(FleetError::NoRouters)));
        assert!(matches!(connect(&site(&["tcp/10.0.0.1:7448"])), Err(FleetError::Open { .. })));
        assert!(matches!(connect(&site(&["tls/10.0.0.1:7448"])), Err(FleetError::NoCertificates { .. })));
        let anywhere = addresses(&["tcp/0.0.0.0:7448"]);
        assert!(matches!(route(&anywhere, &[], &FleetSite::default()), Err(FleetError::Open { .. })));
        let access = FleetSite { access: Some(Default::default()), ..FleetSite::default() };
        let here = addresses(&["tcp/127.0.0.1:7448"]);
        assert!(matches!(route(&here, &[], &access), Err(FleetError::AccessWithoutTls)));
    }

    #[test]
    fn a_missing_certificate_is_named() {
        let tls = FleetTls { ca: "no/ca.pem".into(), certificate: "c".into(), key: "k".into() };
        let site = FleetSite { routers: addresses(&["tls/a:1"]), tls: Some(tls), access: None };
        let error = connect(&site).unwrap_err();
        assert!(error.to_string().contains("no/ca.pem"), "{error}");
        assert_eq!(error.exit_code().number(), 2);
    }
}
