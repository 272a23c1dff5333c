//! Rules for names, each with a remedy.

use super::error::clip;

/// Longest name of a flow, in characters: DDS has room for 255 and a closing NUL (RTPS 2.3, table 9.12).
const MAX_FLOW_NAME: usize = 255;

/// Longest name of a topic of ours in ROS: `/gate` and DDS's `rt/` have room beside it.
const MAX_TOPIC: usize = 240;

/// Longest name of a robot or a site: it becomes a part of file names and of table columns.
const MAX_LABEL: usize = 64;

/// What is wrong with a name, and the remedy.
pub(super) type Wrong = (String, String);

/// Checks the name of a flow against ROS 2's rules for topic names (CON-9).
///
/// Source: <https://design.ros2.org/articles/topic_and_service_names.html>. Names are relative to the robot: without
/// the leading slash there is one spelling for each flow. Beside that a part may be `*` or `**`
/// ([`crate::pattern`]).
pub(super) fn check_flow(name: &str) -> Result<(), Wrong> {
    let wrong = |what: &str, remedy: &str| Err((what.to_owned(), remedy.to_owned()));
    if name.chars().nth(MAX_FLOW_NAME).is_some() {
        return Err((format!("the name is longer than {MAX_FLOW_NAME} characters"), "shorten it".to_owned()));
    }
    if name.split('/').any(|part| part.contains('*') && part != "*" && part != "**") {
        return wrong(
            "* is a part of a word",
            "write it between slashes, camera/* for one part, camera/** for more",
        );
    }
    if let Some(bad) = name.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '/' | '*')) {
        let what = format!("'{}' cannot be in a flow's name", clip(&bad.to_string()));
        return Err((what, "use a-z, A-Z, 0-9, _ and /, as in \"camera/front\"".to_owned()));
    }
    if name.starts_with('/') {
        return wrong("the name begins with /", "write it without, flows are named within the robot");
    }
    if name.split('/').any(str::is_empty) {
        return wrong("the name has an empty part", "write one / between two words, none at the end");
    }
    if name.split('/').any(|part| part.starts_with(|c: char| c.is_ascii_digit())) {
        return wrong("a part of the name begins with a digit", "begin it with a letter");
    }
    if name.contains("__") {
        return wrong("the name has two underscores in a row", "write one, ROS 2 does not allow two");
    }
    Ok(())
}

/// Checks the name of a topic as ROS writes it, with or without the leading slash; gives it without (CON-61).
pub(super) fn check_topic(name: &str) -> Result<&str, Wrong> {
    let topic = name.strip_prefix('/').unwrap_or(name);
    if topic.contains('*') || topic.starts_with('/') {
        let what = format!("\"{}\" is not the name of one topic", clip(name));
        return Err((what, "write it like /cmd_vel".to_owned()));
    }
    if topic.len() > MAX_TOPIC {
        let remedy = "shorten it, another topic's name begins with it";
        return Err((format!("the name is longer than {MAX_TOPIC} characters"), remedy.to_owned()));
    }
    check_flow(topic).map(|()| topic)
}

/// Whether `name` can be that of a robot, a site or a machine of a fleet (CON-10).
pub fn is_label(name: &str) -> bool {
    check_label(name).is_ok()
}

/// Checks the name of a robot or a site (CON-10).
pub(super) fn check_label(name: &str) -> Result<(), Wrong> {
    let is_label = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if name.chars().all(is_label) && begins_well && name.len() <= MAX_LABEL {
        return Ok(());
    }
    let what = format!("\"{}\" cannot be a name", clip(name));
    let remedy = format!("use at most {MAX_LABEL} of a-z, A-Z, 0-9, _, - and ., a letter or digit first");
    Err((what, remedy))
}
