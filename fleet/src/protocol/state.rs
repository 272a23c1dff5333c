//! The state a vehicle tells of itself: JSON of bounded size (FLT-10 to FLT-13).
//!
//! Pure. Spans and not moments, so that nobody's clock must agree with another's.

use serde::{Deserialize, Serialize};
use tokkyu_contract::yaml::is_label;
use tokkyu_contract::yaml::robot::{Flow, Toward};
use tokkyu_drive::text::printable;
use tokkyu_link::carrier::PublicKey;

/// Version written, and the newest that is read.
pub const VERSION: u32 = 1;
/// Longest state or call in bytes; longer ones are refused unread.
pub const MAX_BYTES: usize = 16 * 1024;
/// Flows named in a state.
const MAX_FLOWS: usize = 40;
/// Longest name of a flow (CON-9).
const MAX_FLOW_NAME: usize = 255;
/// Longest other text.
pub(super) const MAX_TEXT: usize = 300;

/// What a vehicle says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// [`VERSION`].
    pub version: u32,
    /// The robot's name.
    pub robot: String,
    /// Version of tokkyu.
    pub tokkyu: String,
    /// Public key of the vehicle's link, as a line of its file. A claim: the operator's trust list decides.
    pub key: String,
    /// Seconds since 1970 when the program began, by the vehicle's clock.
    pub up_since_s: u64,
    /// Seconds since then.
    pub up_s: u64,
    /// What it does.
    pub doing: Doing,
    /// For whom, unless idle.
    pub driver: Option<Driver>,
    /// Flows it declares, the first 40.
    pub flows: Vec<FlowLine>,
    /// How many more there are.
    pub flows_left_out: u32,
    /// How the last session went.
    pub last: Option<Last>,
}

/// What a vehicle does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// Nobody drives it: it takes a call.
    Idle,
    /// It dials an operator who called.
    Called,
    /// A link session is up.
    Driven,
    /// The link session was lost; it waits a moment for it to come back.
    Lost,
    /// The vehicle's program is ending.
    Ending,
}

impl Doing {
    /// The word people are shown.
    pub const fn word(self) -> &'static str {
        match self {
            Doing::Idle => "idle",
            Doing::Called => "called",
            Doing::Driven => "driven",
            Doing::Lost => "link lost",
            Doing::Ending => "ending",
        }
    }
}

/// Who drives, by their own word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Driver {
    /// The operator's name in the fleet.
    pub operator: String,
    /// Fingerprint of the link key, which the vehicle trusts.
    pub fingerprint: String,
    /// Seconds since the call.
    pub for_s: u64,
}

/// One declared flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowLine {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: String,
    /// Toward the vehicle, else toward the operator.
    pub toward_vehicle: bool,
}

/// How a session went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Last {
    /// Who drove.
    pub operator: String,
    /// How it ended.
    pub ended: String,
    /// How long it was up, from call to end.
    pub lasted_s: u64,
    /// Seconds since it ended.
    pub ago_s: u64,
    /// Pictures offered to the link.
    pub offered: u64,
    /// Pictures that arrived in time.
    pub delivered: u64,
    /// Safe stops while driving.
    pub safe_stops: u64,
}

/// Why bytes from the network are not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// More than [`MAX_BYTES`].
    #[error("it has {0} bytes, more than the {MAX_BYTES} that are read")]
    TooLong(usize),
    /// No JSON of this form.
    #[error("it cannot be read: {0}")]
    Json(String),
    /// From the future.
    #[error("it has version {0}, this program reads {VERSION}: use a newer tokkyu here")]
    Version(u32),
    /// A field is out of its bounds.
    #[error("its {0} is not valid")]
    Field(&'static str),
}

#[derive(Deserialize)]
struct Head {
    version: u32,
}

/// Reads JSON of at most [`MAX_BYTES`] whose version this program knows. A newer version is told as such even if nothing
/// else of it can be read.
pub(super) fn read<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Result<T, Fault> {
    if bytes.len() > MAX_BYTES {
        return Err(Fault::TooLong(bytes.len()));
    }
    // The parser's words quote what was sent.
    let json = |error: serde_json::Error| Fault::Json(printable(&error.to_string(), MAX_TEXT));
    match serde_json::from_slice::<Head>(bytes).map_err(json)?.version {
        VERSION => serde_json::from_slice(bytes).map_err(json),
        other => Err(Fault::Version(other)),
    }
}

/// Refuses the field called `name` unless it is valid.
pub(super) fn need(name: &'static str, is_valid: bool) -> Result<(), Fault> {
    if is_valid { Ok(()) } else { Err(Fault::Field(name)) }
}

/// Cuts words to what a state may hold, control characters left out.
pub fn brief(words: &str) -> String {
    words.chars().filter(|c| !c.is_control()).take(MAX_TEXT).collect()
}

impl State {
    /// Reads a state.
    ///
    /// # Errors
    /// It is too long, no state, from the future, or a field is out of its bounds.
    pub fn parse(bytes: &[u8]) -> Result<State, Fault> {
        let state: State = read(bytes)?;
        state.check()?;
        Ok(state)
    }

    fn check(&self) -> Result<(), Fault> {
        let is_text = |text: &str| text.chars().nth(MAX_TEXT).is_none();
        need("robot", is_label(&self.robot))?;
        need("tokkyu", is_text(&self.tokkyu))?;
        need("key", PublicKey::from_line(&self.key).is_some())?;
        need("flows", self.flows.len() <= MAX_FLOWS)?;
        need("flows", self.flows.iter().all(|f| f.name.len() <= MAX_FLOW_NAME && is_text(&f.class)))?;
        if let Some(driver) = &self.driver {
            need("driver", is_label(&driver.operator) && is_text(&driver.fingerprint))?;
        }
        if let Some(last) = &self.last {
            need("last", is_label(&last.operator) && is_text(&last.ended))?;
        }
        Ok(())
    }

    /// The state as it is sent, at most [`MAX_BYTES`]: of flows with long names fewer are told.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut state = self.clone();
        loop {
            let bytes = serde_json::to_vec(&state).expect("a state has only strings as keys");
            if bytes.len() <= MAX_BYTES || state.flows.pop().is_none() {
                return bytes;
            }
            state.flows_left_out = state.flows_left_out.saturating_add(1);
        }
    }

    /// The link key it claims.
    pub fn public_key(&self) -> Option<PublicKey> {
        PublicKey::from_line(&self.key).map(|(key, _)| key)
    }
}

/// The flows of a robot as a state names them, and how many are left out.
pub fn flow_lines(flows: &[Flow]) -> (Vec<FlowLine>, u32) {
    let line = |flow: &Flow| FlowLine {
        name: flow.name.clone(),
        class: flow.class.to_string(),
        toward_vehicle: flow.toward == Toward::Vehicle,
    };
    let left_out = u32::try_from(flows.len().saturating_sub(MAX_FLOWS)).unwrap_or(u32::MAX);
    (flows.iter().take(MAX_FLOWS).map(line).collect(), left_out)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const KEY: &str = "tokkyu-ed25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

    pub(crate) fn state(robot: &str) -> State {
        State {
            version: VERSION,
            robot: robot.to_owned(),
            tokkyu: "0.1.0".to_owned(),
            key: KEY.to_owned(),
            up_since_s: 1_800_000_000,
            up_s: 60,
            doing: Doing::Idle,
            driver: None,
            flows: Vec::new(),
            flows_left_out: 0,
            last: None,
        }
    }

    #[test]
    fn a_state_is_read_back_and_unknown_fields_are_passed_over() {
        let state = State { last: Some(Last { operator: "desk-1".into(), ..Last::default() }), ..state("r") };
        assert_eq!(State::parse(&state.to_bytes()), Ok(state.clone()));
        let mut value = serde_json::to_value(&state).unwrap();
        value["colour"] = "red".into();
        assert_eq!(State::parse(value.to_string().as_bytes()), Ok(state));
    }

    #[test]
    fn a_state_from_the_future_out_of_bounds_or_too_long_is_refused_by_name() {
        assert_eq!(State::parse(br#"{"version":2,"new":[]}"#), Err(Fault::Version(2)));
        assert_eq!(State::parse(&vec![b' '; MAX_BYTES + 1]), Err(Fault::TooLong(MAX_BYTES + 1)));
        assert!(matches!(State::parse(b"{}"), Err(Fault::Json(_))));
        let wrong = |state: State| State::parse(&serde_json::to_vec(&state).unwrap()).unwrap_err();
        assert_eq!(wrong(State { robot: "a/*".into(), ..state("r") }), Fault::Field("robot"));
        assert_eq!(wrong(State { key: "none".into(), ..state("r") }), Fault::Field("key"));
        let last = Last { operator: "o".into(), ended: "x".repeat(MAX_TEXT + 1), ..Last::default() };
        assert_eq!(wrong(State { last: Some(last), ..state("r") }), Fault::Field("last"));
    }

    #[test]
    fn why_a_state_is_refused_is_told_without_its_control_characters() {
        let text = serde_json::to_string(&state("r")).unwrap();
        let text = text.replace("\"idle\"", r#""\u001b[2J\u009b""#);
        let fault = State::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(fault.contains("unknown variant `·[2J·`"), "{fault:?}");
    }

    #[test]
    fn a_state_with_long_names_is_cut_to_what_is_read() {
        let line = FlowLine { name: "\u{1}".repeat(255), class: "control".into(), toward_vehicle: false };
        let state = State { flows: vec![line; MAX_FLOWS], ..state("r") };
        let read = State::parse(&state.to_bytes()).unwrap();
        assert!(read.flows.len() < MAX_FLOWS);
        assert_eq!(read.flows.len() + read.flows_left_out as usize, MAX_FLOWS);
    }
}
