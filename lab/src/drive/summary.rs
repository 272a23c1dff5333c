//! What a program says of itself at its end, as far as the experiment needs it: read as JSON by name, because the
//! programs are not part of the lab, only started by it.

use std::path::Path;

use serde_json::Value;

use super::case::stream_of;

/// Largest summary that is read: some kB are usual.
const MAX_BYTES: u64 = 16 << 20;

/// A program's summary.
#[derive(Debug)]
pub(super) struct Summary(Value);

impl Summary {
    /// Reads the summary at `path`; the error says in words why not.
    pub(super) fn read(path: &Path) -> Result<Summary, String> {
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let length = std::fs::metadata(path).map_err(|error| told(&error))?.len();
        if length > MAX_BYTES {
            return Err(told(&format_args!("{length} bytes are no summary")));
        }
        let text = std::fs::read(path).map_err(|error| told(&error))?;
        serde_json::from_slice(&text).map(Summary).map_err(|error| told(&error))
    }

    /// All of it.
    pub(super) fn value(&self) -> &Value {
        &self.0
    }

    /// Bytes of all samples the program offered; `None` if it does not say.
    pub(super) fn sent_bytes(&self) -> Option<u64> {
        let streams = self.0.get("sent")?.as_array()?;
        streams.iter().map(|stream| stream.get("payload_bytes")?.as_u64()).sum()
    }

    /// Whether the system granted what the environment calls so (`sched_fifo`, `mlockall`).
    pub(super) fn granted(&self, what: &str) -> Option<bool> {
        self.0.get("environment")?.get(what)?.as_bool()
    }

    /// Ledgers of the link and of the program that do not close, in words.
    pub(super) fn open_ledgers(&self) -> Vec<String> {
        let streams = ["sent", "received"].into_iter().flat_map(|way| {
            let streams = self.0.get(way).and_then(Value::as_array).into_iter().flatten();
            streams.map(move |stream| (way, stream))
        });
        let mut open = Vec::new();
        for (way, stream) in streams {
            for kind in ["ledger", "link_ledger"] {
                let ledger = stream.get(kind).filter(|ledger| !ledger.is_null());
                if ledger.is_some_and(|ledger| !closes(ledger)) {
                    let name = stream.get("stream").and_then(Value::as_str).unwrap_or("?");
                    open.push(format!("{kind} of {name}, {way}: {}", stream[kind]));
                }
            }
        }
        open
    }

    /// Word of a session that ended during the run. Its successor starts with an empty link, so the figures are not
    /// those of one drive.
    pub(super) fn broken_session(&self) -> Option<String> {
        let sessions = self.0.get("sessions")?.as_u64().filter(|sessions| *sessions > 1)?;
        Some(format!("{sessions} sessions in place of one: the link broke during the run"))
    }

    /// What is missing in the program's records, with its count.
    pub(super) fn gaps(&self) -> Vec<(&'static str, u64)> {
        let gaps = [
            ("ticks_left_out", "ticks left out because the machine was far behind"),
            ("corrupt", "pictures whose content was not as sent"),
            ("unrecorded", "samples missing in the records because the program was far behind"),
        ];
        let count = |name: &str| self.0.get(name).and_then(Value::as_u64).unwrap_or(0);
        gaps.into_iter().map(|(name, what)| (what, count(name))).filter(|(_, count)| *count > 0).collect()
    }

    /// Safe stops of the vehicle while it took pictures, if there were any. After its last picture the operator leaves, and a
    /// safe stop is what is then asked for.
    pub(super) fn safe_stops(&self) -> Option<String> {
        let stops = self.0.get("safe_stops_on_the_way")?.as_u64().filter(|stops| *stops > 0)?;
        Some(format!("{stops} safe stops: no fresh command for longer than the deadline"))
    }

    /// What quality each compressing camera used, a line each.
    pub(super) fn qualities(&self) -> Vec<String> {
        let cameras = self.0.get("qualities").and_then(Value::as_array).into_iter().flatten();
        let told = cameras.filter_map(|camera| {
            let count = |name: &str| camera.get(name)?.as_u64();
            let means = camera.get("means")?.as_array()?.iter().map(Value::to_string);
            Some(format!(
                "{}: JPEG quality {} at first, {} to {}, mean of each {} s: {}",
                stream_of(camera.get("stream")?.as_str()?),
                count("first")?,
                count("lowest")?,
                count("highest")?,
                count("span_s")?,
                means.collect::<Vec<_>>().join(" ")
            ))
        });
        told.collect()
    }

    /// What its cameras had to complain of, and when.
    pub(super) fn troubles(&self) -> Vec<String> {
        let first = self.0.get("first_tick_ns").and_then(Value::as_u64).unwrap_or(0);
        let troubles = self.0.get("troubles").and_then(Value::as_array).into_iter().flatten();
        let told = troubles.filter_map(|trouble| {
            let at_ns = trouble.get("at_ns")?.as_u64()?.saturating_sub(first);
            Some(format!("at {:.1} s: {}", at_ns as f64 / 1e9, trouble.get("text")?.as_str()?))
        });
        told.collect()
    }

    /// What it says of the link, in its own words; null if nothing.
    pub(super) fn link(&self) -> Value {
        self.0.get("link").cloned().unwrap_or_default()
    }
}

fn closes(ledger: &Value) -> bool {
    let count = |name: &str| ledger.get(name).and_then(Value::as_u64);
    let ends =
        ["delivered", "late", "expired", "dropped", "lost"].map(count).into_iter().sum::<Option<u64>>();
    ends.is_some() && ends == count("offered")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ledger(offered: u64) -> Value {
        json!({"offered": offered, "delivered": 3, "late": 0, "expired": 1, "dropped": 0, "lost": 0})
    }

    #[test]
    fn a_ledger_that_does_not_close_is_told_by_its_stream() {
        let stream =
            json!({"stream": "camera/1", "ledger": ledger(4), "link_ledger": ledger(5), "payload_bytes": 7});
        let summary = Summary(json!({"sent": [stream], "received": []}));
        let open = summary.open_ledgers();
        assert_eq!(open.len(), 1);
        assert!(open[0].starts_with("link_ledger of camera/1, sent"), "{open:?}");
        assert_eq!(summary.sent_bytes(), Some(7));
    }

    #[test]
    fn what_a_programs_records_lack_and_its_safe_stops_are_told() {
        let trouble = json!({"at_ns": 3_500_000_000_u64, "text": "camera/1: the camera vanished"});
        let summary = Summary(json!({
            "unrecorded": 3, "ticks_left_out": 0, "safe_stops_on_the_way": 2, "gate": {"safe_stops": 3},
            "first_tick_ns": 1_000_000_000, "troubles": [trouble],
        }));
        assert_eq!(summary.gaps().len(), 1);
        assert!(summary.safe_stops().unwrap().starts_with("2 safe stops"));
        assert_eq!(summary.troubles(), ["at 2.5 s: camera/1: the camera vanished"]);
        let calm = Summary(json!({"safe_stops_on_the_way": 0, "gate": {"safe_stops": 1}}));
        assert_eq!((calm.safe_stops(), calm.troubles()), (None, Vec::new()));
    }

    #[test]
    fn the_quality_of_a_camera_is_told_over_time() {
        let camera = json!({"stream": "camera/image1", "first": 75, "lowest": 40, "highest": 90, "last": 88,
            "span_s": 1, "means": [71, 45, 88]});
        let told = Summary(json!({"qualities": [camera, {"stream": "of another version"}]})).qualities();
        assert_eq!(told, ["camera/1: JPEG quality 75 at first, 40 to 90, mean of each 1 s: 71 45 88"]);
    }

    #[test]
    fn a_second_session_is_told_and_one_or_none_is_not() {
        let told = |sessions: Value| Summary(json!({"sessions": sessions})).broken_session();
        assert!(told(json!(2)).unwrap().starts_with("2 sessions"));
        assert_eq!([told(json!(1)), told(json!(0)), told(Value::Null)], [None, None, None]);
    }

    #[test]
    fn what_is_not_said_is_unknown_and_not_zero() {
        let summary = Summary(json!({"sent": [{"stream": "camera/1"}]}));
        assert_eq!((summary.sent_bytes(), summary.granted("mlockall")), (None, None));
        assert_eq!(summary.link(), Value::Null);
    }
}
