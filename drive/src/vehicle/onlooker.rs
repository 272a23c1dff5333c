//! Who shows the gate to others beside the operator, and what becomes of the gate's output. SPEC.md DRV-118 to DRV-120.

use serde::{Deserialize, Serialize};
use tokkyu_contract::MonoTime;

use crate::safety::Cause;
use crate::safety::report::GateReport;

/// Shows the gate to others. Called from the main thread, which keeps books: whoever waits here delays those, and no
/// command.
pub trait Onlooker: Send {
    /// The gate at `now`, and why it stopped last: at each of its changes, and about each 50 ms. Gives what the user has to
    /// know, when it is news.
    fn on_gate(&mut self, now: MonoTime, gate: &GateReport, cause: Option<Cause>) -> Option<String>;

    /// The same at the end of the drive, for the last time, however little ago the last was.
    fn on_end(&mut self, now: MonoTime, gate: &GateReport, cause: Option<Cause>);

    /// What goes where.
    fn status(&self) -> MotorsStatus;
}

/// Where the gate's output goes, and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotorsStatus {
    /// By which way, such as `ROS 2 domain 0`.
    pub way: String,
    /// What is published, and the speed that is read.
    pub topics: Vec<MotorsTopic>,
    /// Who takes the commands; `null`: not known.
    pub subscribers: Option<u64>,
    /// Commands that were taken.
    pub given: u64,
    /// Commands that were not.
    pub untaken: u64,
    /// How often who takes them changed while the vehicle drove.
    pub changes: u64,
    /// Why not, the last time.
    pub trouble: Option<String>,
    /// The speed that is told; `null`: none, or none for 300 ms.
    pub speed_mps: Option<f32>,
}

/// One topic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MotorsTopic {
    /// `command`, `gate`, `diagnostics` or `speed`.
    pub what: String,
    /// Its name.
    pub topic: String,
    /// Its type.
    #[serde(rename = "type")]
    pub type_name: String,
}
