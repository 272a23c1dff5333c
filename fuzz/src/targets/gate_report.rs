//! A report of the gate (drive/SPEC.md DRV-18): what is read is written again as the same bytes.

use tokkyu_drive::safety::report::GateReport;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    if let Some(report) = GateReport::decode(bytes) {
        assert_eq!(report.encode(), bytes, "DRV-18");
    }
}
