//! `tokkyu tune plan`: what is, what would be done, and why.

use clap::Args;
use serde::Serialize;
use tokkyu_drive::program::ExitCode;
use tokkyu_tune::{Finding, Hop, Wish, chain, find};

use super::wanted::{Device, Wanted};
use crate::exit::Done;

const EXAMPLES: &str = "\
Examples:
  tokkyu tune plan --robot robot.yaml --dev eth0
  tokkyu tune plan --robot robot.yaml --site site.yaml --dev eth0 --goal answers --json";

/// Read the host and one device, and say what would be done there for these flows, and why. Changes nothing; root sees more.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct PlanOf {
    #[command(flatten)]
    device: Device,
    #[command(flatten)]
    wanted: Wanted,
}

#[derive(Serialize)]
struct Told<'a> {
    wish: &'a Wish,
    chain: &'a [Hop],
    #[serde(flatten)]
    finding: &'a Finding,
}

impl PlanOf {
    pub fn run(self) -> Done {
        tell(&self.device, &self.wanted.wish()?)?;
        Ok(ExitCode::Ok)
    }
}

/// Tells what is and what would be done.
pub fn tell(device: &Device, wish: &Wish) -> Result<Finding, crate::exit::Failure> {
    let finding = find(&device.device, wish)?;
    let chain = chain(&finding.host, wish);
    device.json.show(&text(&finding, &chain), &Told { wish, chain: &chain, finding: &finding })?;
    Ok(finding)
}

fn text(finding: &Finding, chain: &[Hop]) -> String {
    let Finding { host, plan } = finding;
    let real_time = if host.real_time { "PREEMPT_RT" } else { "not PREEMPT_RT" };
    let mut text = format!("{}, Linux {}, {real_time}: as it is\n", host.device, host.kernel);
    for hop in chain {
        text += &format!("  {:<20} {}\n", hop.what, hop.now);
    }
    text += "\nsteps\n";
    for step in &plan.steps {
        text += &format!(
            "  {:<10} why     {}\n             expect  {}\n",
            step.step.to_string(),
            step.why,
            step.expect
        );
        for change in &step.changes {
            text += &format!("             set     {} = {}\n", change.setting, change.value);
        }
    }
    if plan.steps.is_empty() {
        text += "  none\n";
    }
    for left in &plan.left {
        text += &format!("  {:<10} left out: {}\n", left.step.to_string(), left.because);
    }
    text += "\nfor the application\n";
    for advice in &plan.advice {
        text += &format!("  {}: {}\n", advice.what, advice.why);
    }
    for note in &plan.notes {
        text += &format!("\nnote: {note}\n");
    }
    text
}
