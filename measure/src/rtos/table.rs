//! What is told: each path beside the same path of others.

use super::case::RtosCase;
use crate::table::{NONE, Row, Table};

const HEADER: [&str; 9] =
    ["path", "cores", "bytes", "instructions", "worst", "us at 400 MHz", "FMP3", "FMP3, no FPU", "ASP3"];

/// A row for each path.
pub fn table_of(cases: &[RtosCase]) -> Table {
    let number = |value: Option<u64>| value.map_or(NONE.to_owned(), |value| value.to_string());
    let row = |case: &RtosCase| Row {
        quoted: false,
        cells: vec![
            case.what.clone(),
            case.cores.to_string(),
            number(case.bytes),
            case.instructions.to_string(),
            case.worst.to_string(),
            format!("{:.2}", case.us_at_400mhz),
            number(case.others.fmp3),
            number(case.others.fmp3_no_fpu),
            number(case.others.asp3),
        ],
    };
    Table { header: HEADER.to_vec(), rows: cases.iter().map(row).collect() }
}
