//! `tokkyu board size`: what an image takes.

use std::fs;

use clap::Args;
use object::{Object, ObjectSection, SectionFlags, elf};
use serde_json::{Value, json};
use tokkyu_drive::program::ExitCode;

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

/// Bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bytes {
    text: u64,
    rodata: u64,
    data: u64,
    bss: u64,
}

impl Size {
    pub fn run(&self) -> Done {
        let image = self.image.build()?;
        let wrong =
            |error: &dyn std::fmt::Display| Failure::usage(format_args!("{}: {error}", image.display()));
        let file = fs::read(&image).map_err(|error| wrong(&error))?;
        let bytes = measure(&file).map_err(|error| wrong(&error))?;
        self.json.show(&table(bytes), &to_json(bytes))?;
        Ok(ExitCode::Ok)
    }
}

fn measure(file: &[u8]) -> Result<Bytes, object::Error> {
    let mut bytes = Bytes::default();
    for section in object::File::parse(file)?.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        let has = |flag: u32| sh_flags & u64::from(flag) != 0;
        let place = match (has(elf::SHF_ALLOC), has(elf::SHF_EXECINSTR), has(elf::SHF_WRITE)) {
            (false, ..) => continue,
            (_, true, _) => &mut bytes.text,
            (_, _, false) => &mut bytes.rodata,
            _ if section.file_range().is_none() => &mut bytes.bss,
            _ => &mut bytes.data,
        };
        *place += section.size();
    }
    Ok(bytes)
}

fn table(bytes: Bytes) -> String {
    let Bytes { text, rodata, data, bss } = bytes;
    let row = |name: &str, bytes: u64| format!("{name:<34}{bytes:>9}  {:>7.1} KiB\n", bytes as f64 / 1024.0);
    [
        row("instructions", text),
        row("constants", rodata),
        row("data", data),
        row("memory that is not in the file", bss),
        row("in the file", text + rodata + data),
        row("while it runs, without the heap", data + bss),
    ]
    .concat()
}

fn to_json(bytes: Bytes) -> Value {
    let Bytes { text, rodata, data, bss } = bytes;
    json!({ "image": {
        "text_bytes": text, "rodata_bytes": rodata, "data_bytes": data, "bss_bytes": bss,
        "file_bytes": text + rodata + data, "ram_bytes": data + bss,
    }})
}
