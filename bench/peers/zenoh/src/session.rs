//! The Zenoh session of either end: what `default` and `tuned` set (PEER-3), and how the two meet (PEER-14).
//!
//! Both are peers over one TCP connection: the receiver listens, the sender dials and tries again until it is there.
//! Neither scouts by multicast, which the wire does not carry; shared memory is not compiled in.

use zenoh::{Config, Session, Wait};

use crate::arguments::{Arguments, Role, Variant};

const PORT: u16 = 7450;
/// Zenoh takes 1 to 16 batches a queue.
const MOST_BATCHES: u32 = 16;
/// Largest batch there is, and the default.
const BATCH_BYTES: u64 = 65_535;

/// Key of a camera, from 1.
pub fn key(camera: u32) -> String {
    format!("camera/{camera}")
}

/// One setting: key and value of Zenoh's configuration.
type Setting = (&'static str, String);

/// What is needed to meet the other end, in both variants.
fn meeting(arguments: &Arguments) -> Vec<Setting> {
    let [listen, connect] = match arguments.role {
        Role::Receive => [format!("[\"tcp/{}:{PORT}\"]", arguments.own), "[]".to_owned()],
        Role::Send => ["[]".to_owned(), format!("[\"tcp/{}:{PORT}\"]", arguments.other)],
    };
    vec![
        ("mode", "\"peer\"".to_owned()),
        ("listen/endpoints", listen),
        ("connect/endpoints", connect),
        // Tried again for as long as it takes: the receiver may be a moment later.
        ("connect/timeout_ms", "-1".to_owned()),
        ("connect/exit_on_failure", "false".to_owned()),
        ("connect/retry", "{period_init_ms: 100, period_max_ms: 200, period_increase_factor: 1}".to_owned()),
        ("scouting/multicast/enabled", "false".to_owned()),
    ]
}

/// What an engineer sets for large samples on a network that is known; README.md says why for each.
fn tuning(arguments: &Arguments) -> Vec<Setting> {
    let image = arguments.size as u64;
    let in_flight = arguments.rate_kbit * arguments.rtt_us / 8_000;
    let receive = (2 * (image + in_flight)).next_power_of_two().clamp(1 << 20, 16 << 20);
    let batches = image.div_ceil(BATCH_BYTES).clamp(2, u64::from(MOST_BATCHES));
    let mut settings = vec![
        ("transport/link/tx/queue/size/data", batches.to_string()),
        ("transport/link/tx/queue/allocation/mode", "\"init\"".to_owned()),
        ("transport/link/rx/buffer_size", receive.to_string()),
        ("transport/link/tx/queue/congestion_control/block/wait_before_close", "60000000".to_owned()),
        (
            "transport/link/tx/queue/congestion_control/drop/max_wait_before_drop_fragments",
            arguments.period_us.to_string(),
        ),
    ];
    if let Some(batch_us) = (BATCH_BYTES * 8_000).checked_div(arguments.rate_kbit) {
        let wait = (2 * batch_us).clamp(1_000, arguments.period_us.max(1_000));
        settings.push(("transport/link/tx/queue/congestion_control/drop/wait_before_drop", wait.to_string()));
    }
    settings
}

/// All settings of this run.
fn settings(arguments: &Arguments) -> Vec<Setting> {
    let mut settings = meeting(arguments);
    if arguments.variant == Variant::Tuned {
        settings.extend(tuning(arguments));
    }
    settings
}

/// Whether samples are sent without waiting for company in a batch.
pub fn is_express(arguments: &Arguments) -> bool {
    arguments.variant == Variant::Tuned
}

/// The settings in one line of words, for the summary.
pub fn in_words(arguments: &Arguments) -> String {
    let mut words: Vec<String> =
        settings(arguments).iter().map(|(key, value)| format!("{key}={value}")).collect();
    words.push(if is_express(arguments) { "express" } else { "not express" }.to_owned());
    words.push(match arguments.qos {
        3 => "reliable, block".to_owned(),
        2 => "reliable, drop".to_owned(),
        _ => "best effort, drop".to_owned(),
    });
    words.join(" ")
}

/// Opens the session.
///
/// # Errors
/// The address cannot be bound, or Zenoh refuses a setting.
pub fn open(arguments: &Arguments) -> Result<Session, String> {
    let mut config = Config::default();
    for (key, value) in settings(arguments) {
        config.insert_json5(key, &value).map_err(|error| format!("setting {key}={value}: {error}"))?;
    }
    zenoh::open(config).wait().map_err(|error| format!("no Zenoh session on {}: {error}", arguments.own))
}

/// Whether the other end is connected.
pub fn has_peer(session: &Session) -> bool {
    session.info().peers_zid().wait().next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::tests::arguments;

    fn value(settings: &[Setting], end: &str) -> Option<String> {
        settings.iter().find(|(key, _)| key.ends_with(end)).map(|(_, value)| value.clone())
    }

    #[test]
    fn default_sets_only_how_the_ends_meet() {
        let receive = settings(&arguments("receive", &[]).unwrap());
        assert_eq!(receive.len(), 7);
        assert_eq!(value(&receive, "listen/endpoints").unwrap(), "[\"tcp/127.0.0.1:7450\"]");
        let send = settings(&arguments("send", &[]).unwrap());
        assert_eq!(value(&send, "listen/endpoints").unwrap(), "[]");
    }

    #[test]
    fn tuned_goes_by_image_rate_and_round_trip_and_zenoh_takes_every_value() {
        let words = ["--variant", "tuned", "--size", "374000", "--rtt-us", "50000", "--rate-kbit", "200000"];
        let tuned = arguments("send", &words).unwrap();
        let found = tuning(&tuned);
        assert_eq!(value(&found, "size/data").unwrap(), "6");
        assert_eq!(value(&found, "rx/buffer_size").unwrap(), (4 << 20).to_string());
        assert_eq!(value(&found, "wait_before_drop").unwrap(), "5242");
        for extreme in [&words[..], &["--variant", "tuned", "--size", "16777216", "--rate-kbit", "1"]] {
            let mut config = Config::default();
            for (key, value) in settings(&arguments("send", extreme).unwrap()) {
                config.insert_json5(key, &value).unwrap_or_else(|error| panic!("{key}={value}: {error}"));
            }
        }
    }
}
