//! What the programs of a drive, and a robot's base beside them, tell.

use serde_json::Value;

use super::program::Program;

/// Waits for a status of which `find` finds something.
pub fn until_status<T>(program: &Program, what: &str, find: impl Fn(&Value) -> Option<T>) -> T {
    let look = |line: &String| {
        let value: Value = serde_json::from_str(line).expect("JSON");
        find(value.get("status")?)
    };
    program.until(what, |lines| lines.iter().rev().take(8).find_map(look))
}

/// Waits for an event with these words.
pub fn until_told(program: &Program, words: &str) {
    let has = |line: &String| {
        let value: Value = serde_json::from_str(line).expect("JSON");
        value["event"]["text"].as_str().is_some_and(|text| text.contains(words))
    };
    program.until(words, |lines| lines.iter().any(has).then_some(()));
}

/// Waits until so many commands came, by which time a driver has done what would enable; gives how many the gate took.
pub fn accepted_after(program: &Program, count: u64) -> u64 {
    until_status(program, "commands", |status| {
        let counts = &status["control"]["commands"];
        let came: u64 = counts.as_object()?.values().filter_map(Value::as_u64).sum();
        (came > count).then(|| counts["accepted"].as_u64())?
    })
}

/// A figure of what a base tells.
pub fn number(event: &Value, field: &str) -> f64 {
    event[field].as_f64().unwrap_or_else(|| panic!("{field} in {event}"))
}
