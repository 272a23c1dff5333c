//! A report of the gate (drive/SPEC.md DRV-18): what is read is written again as the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokkyu_drive::safety::report::GateReport;

fuzz_target!(|bytes: &[u8]| {
    if let Some(report) = GateReport::decode(bytes) {
        assert_eq!(report.encode(), bytes, "DRV-18");
    }
});
