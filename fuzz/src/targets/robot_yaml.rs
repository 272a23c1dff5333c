//! `robot.yaml` (contract/SPEC.md): any text gives a declaration that can be checked, or errors that can be printed.

use tokkyu_contract::check::check;
use tokkyu_contract::yaml::{MAX_ERRORS, Site, robot};

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match robot::parse("robot.yaml", text) {
        Ok(robot) => {
            assert!(!robot.flows.is_empty(), "CON-1");
            let report = check(&robot, &Site::default());
            assert!(!report.to_string().is_empty());
        }
        Err(errors) => {
            let shown = errors.to_string();
            assert!(shown.starts_with("robot.yaml:"), "CON-4: {shown}");
            assert!(shown.matches("\nrobot.yaml:").count() <= MAX_ERRORS, "CON-5: {shown}");
        }
    }
}
