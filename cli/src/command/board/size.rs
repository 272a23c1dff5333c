//! `tokkyu board size`: what an image takes.

use std::fs;

use clap::Args;
use serde_json::{Value, json};
use tokkyu_drive::program::ExitCode;
use tokkyu_lab::rtos::image_size;
use tokkyu_measure::rtos::ImageSize;

use super::build::Image;
use crate::exit::{Done, Failure};
use crate::output::Json;

/// What an image takes: instructions and constants, data, memory with its tasks' stacks.
///
/// The heap is not in it: the board says at its start how much of that is used.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tokkyu board size examples/rtos-camera\n  tokkyu board size examples/rtos-camera --json"
)]
pub struct Size {
    #[command(flatten)]
    image: Image,
    #[command(flatten)]
    json: Json,
}

impl Size {
    pub fn run(&self) -> Done {
        let image = self.image.build()?;
        let wrong =
            |error: &dyn std::fmt::Display| Failure::usage(format_args!("{}: {error}", image.display()));
        let file = fs::read(&image).map_err(|error| wrong(&error))?;
        let bytes = image_size(&image.display().to_string(), &file).map_err(|error| wrong(&error))?;
        self.json.show(&table(&bytes), &to_json(&bytes))?;
        Ok(ExitCode::Ok)
    }
}

fn table(size: &ImageSize) -> String {
    let row = |name: &str, bytes: u64| format!("{name:<34}{bytes:>9}  {:>7.1} KiB\n", bytes as f64 / 1024.0);
    [
        row("instructions", size.text_bytes),
        row("constants", size.rodata_bytes),
        row("data", size.data_bytes),
        row("memory that is not in the file", size.bss_bytes),
        row("in the file", size.file_bytes),
        row("while it runs, without the heap", size.ram_bytes),
    ]
    .concat()
}

fn to_json(size: &ImageSize) -> Value {
    json!({ "image": size })
}
