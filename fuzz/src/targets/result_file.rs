//! The result file (measure/SPEC.md): any bytes give a result whose tables can be drawn, or an error that can be told.

use std::cell::RefCell;
use crate::ScratchFile;
use tokkyu_measure::{Comparison, DriveCase, ResultFile, comparison, drive};

thread_local! {
    static FILE: RefCell<ScratchFile> = RefCell::new(ScratchFile::new("json"));
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    FILE.with_borrow_mut(|file| match ResultFile::<DriveCase>::read(file.set(bytes)) {
        Ok(result) => {
            let drawn = [drive::text(&result.cases), drive::markdown(&result.cases)];
            let compared = Comparison::of(&result);
            assert!(
                comparison::text(&compared).contains("goals")
                    && comparison::markdown(&compared).contains("## Goals")
            );
            assert!(result.cases.is_empty() || drawn.iter().all(|text| !text.is_empty()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    });
}
