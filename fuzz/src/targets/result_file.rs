//! The result file of any experiment (measure/SPEC.md): any bytes give a report in text and Markdown, or an error that can be told.

use std::cell::RefCell;

use crate::ScratchFile;
use tokkyu_measure::report::{Form, render};

thread_local! {
    static FILE: RefCell<ScratchFile> = RefCell::new(ScratchFile::new("json"));
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    FILE.with_borrow_mut(|file| {
        let path = file.set(bytes);
        for form in [Form::Text, Form::Markdown] {
            match render(path, form) {
                Ok(told) => assert!(form == Form::Text || told.starts_with("Made by")),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    });
}
