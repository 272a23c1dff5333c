//! `tokkyu lbe verify`: that it works on this machine.

use clap::Args;
use serde_json::json;
use tokkyu_drive::program::ExitCode;
use tokkyu_lbe::{Check, CheckOutcome, verify};

use super::words::{AnyWay, way};
use crate::exit::{Done, Failure};
use crate::output::Json;

/// Prove on this machine that background packets are known, marked and held back, in a network of its own.
///
/// Nothing leaves the machine and no device of it is touched. For the check of the gate all processors compute for up to five
/// seconds.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  sudo tokkyu lbe verify\n  sudo tokkyu lbe verify --way htb --json")]
pub struct Verify {
    /// Which way to look at: auto, module or htb
    #[arg(long, value_name = "WAY", default_value = "auto", value_parser = way)]
    way: AnyWay,
    #[command(flatten)]
    json: Json,
}

impl Verify {
    pub fn run(self) -> Done {
        let own = std::env::current_exe()
            .map_err(|error| Failure::new(ExitCode::NotPossible, format_args!("/proc/self/exe: {error}")))?;
        let sender = vec![own.into_os_string(), "lbe".into(), "send".into()];
        let checks = verify(self.way, sender).map_err(|why| Failure::new(ExitCode::NotPossible, why))?;
        let lines: String = checks.iter().map(line).collect();
        self.json.show(&lines, &json!({"format": 1, "checks": checks}))?;
        let failed = checks.iter().any(|check| check.outcome == CheckOutcome::Failed);
        Ok(if failed { ExitCode::Failed } else { ExitCode::Ok })
    }
}

fn line(check: &Check) -> String {
    let outcome = match check.outcome {
        CheckOutcome::Good => "good   ",
        CheckOutcome::Failed => "FAILED ",
        CheckOutcome::Skipped => "skipped",
    };
    format!("{outcome}  {}: {}\n", check.what, check.seen)
}
