//! A router's rules of who may what, by the common names of certificates (FLT-43).
//!
//! Pure. Zenoh's access control has no variables, so each vehicle has rules of its own. Whoever is in no list may
//! nothing: what has no rule is denied. `ingress` is what the router takes from a machine, `egress` what it hands to it.

use serde_json::{Value, json};
use tokkyu_contract::yaml::fleet::FleetAccess;

use crate::protocol::keys::{ALL, below};

/// The `access_control` section of a router's configuration.
pub(super) fn rules(access: &FleetAccess) -> Value {
    let mut rules = vec![asked_of_vehicles(), asked_by_operators(), told_to_operators(), passed_on()];
    let mut subjects = Vec::new();
    let mut policies = Vec::new();
    for name in &access.vehicles {
        let own = [format!("own-in:{name}"), format!("own-out:{name}")];
        rules.extend(of_vehicle(name, &own));
        subjects.push(json!({"id": format!("vehicle:{name}"), "cert_common_names": [name]}));
        policies.push(
            json!({"rules": [own[0], own[1], "asked-of-vehicles"], "subjects": [format!("vehicle:{name}")]}),
        );
    }
    for (kind, names, given) in [
        ("operators", &access.operators, &["asked-by-operators", "told-to-operators"][..]),
        ("routers", &access.routers, &["passed-on"][..]),
    ] {
        // Zenoh takes no empty list of subjects.
        if !names.is_empty() {
            subjects.push(json!({"id": kind, "cert_common_names": names}));
            policies.push(json!({"rules": given, "subjects": [kind]}));
        }
    }
    let enabled = json!({"enabled": true, "default_permission": "deny", "rules": rules});
    with(enabled, subjects, policies)
}

fn with(mut value: Value, subjects: Vec<Value>, policies: Vec<Value>) -> Value {
    value["subjects"] = subjects.into();
    value["policies"] = policies.into();
    value
}

fn allow(id: &str, flows: &[&str], messages: &[&str], key: &str) -> Value {
    json!({"id": id, "permission": "allow", "flows": flows, "messages": messages, "key_exprs": [key]})
}

/// A vehicle announces, tells and answers under its own name, and sees whether another has that name too.
fn of_vehicle(name: &str, [own_in, own_out]: &[String; 2]) -> [Value; 2] {
    const IN: [&str; 7] = [
        "put",
        "delete",
        "declare_queryable",
        "reply",
        "liveliness_token",
        "liveliness_query",
        "declare_liveliness_subscriber",
    ];
    [
        allow(own_in, &["ingress"], &IN, &below(name)),
        allow(own_out, &["egress"], &["liveliness_token"], &below(name)),
    ]
}

/// Questions of operators reach vehicles; keys with wildcards among them, so this is not cut down to their names.
fn asked_of_vehicles() -> Value {
    const OUT: [&str; 4] =
        ["query", "declare_subscriber", "liveliness_query", "declare_liveliness_subscriber"];
    allow("asked-of-vehicles", &["egress"], &OUT, ALL)
}

fn asked_by_operators() -> Value {
    const IN: [&str; 4] =
        ["query", "declare_subscriber", "liveliness_query", "declare_liveliness_subscriber"];
    allow("asked-by-operators", &["ingress"], &IN, ALL)
}

fn told_to_operators() -> Value {
    const OUT: [&str; 5] = ["put", "delete", "reply", "declare_queryable", "liveliness_token"];
    allow("told-to-operators", &["egress"], &OUT, ALL)
}

fn passed_on() -> Value {
    const EVERYTHING: [&str; 9] = [
        "put",
        "delete",
        "declare_subscriber",
        "query",
        "reply",
        "declare_queryable",
        "liveliness_token",
        "liveliness_query",
        "declare_liveliness_subscriber",
    ];
    allow("passed-on", &["ingress", "egress"], &EVERYTHING, ALL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use zenoh::Config;

    #[test]
    fn zenoh_takes_the_rules_and_every_name_stands_in_them() {
        let access = FleetAccess {
            vehicles: vec!["rover-7".into(), "rover-8".into()],
            operators: vec!["desk-1".into()],
            routers: Vec::new(),
        };
        for access in [access.clone(), FleetAccess { routers: vec!["hub".into()], ..access }] {
            let text = rules(&access).to_string();
            Config::default().insert_json5("access_control", &text).unwrap();
            let names = [&access.vehicles[..], &access.operators, &access.routers].concat();
            assert!(
                names.iter().all(|name| text.contains(&format!("\"cert_common_names\":[\"{name}\"]"))),
                "{text}"
            );
        }
    }
}
