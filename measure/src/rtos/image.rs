//! What images take.

use serde::{Deserialize, Serialize};

use crate::table::{Row, Table};

/// What an image takes, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSize {
    /// Which one.
    pub name: String,
    /// Instructions.
    pub text_bytes: u64,
    /// Constants.
    pub rodata_bytes: u64,
    /// Variables that begin as something else than zero.
    pub data_bytes: u64,
    /// Memory that is not in the file: variables, stacks of tasks and handlers with their guards, tables.
    pub bss_bytes: u64,
    /// Instructions, constants and data.
    pub file_bytes: u64,
    /// Data and memory, without the heap.
    pub ram_bytes: u64,
}

/// What a result has beside its paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Images {
    /// Images whose size was looked at.
    #[serde(default)]
    pub image: Vec<ImageSize>,
}

impl ImageSize {
    /// Of these parts.
    pub fn new(name: &str, text_bytes: u64, rodata_bytes: u64, data_bytes: u64, bss_bytes: u64) -> ImageSize {
        let (file_bytes, ram_bytes) = (text_bytes + rodata_bytes + data_bytes, data_bytes + bss_bytes);
        ImageSize {
            name: name.to_owned(),
            text_bytes,
            rodata_bytes,
            data_bytes,
            bss_bytes,
            file_bytes,
            ram_bytes,
        }
    }
}

/// A row for each.
pub fn sizes_of(images: &[ImageSize]) -> Table {
    let kib = |bytes: u64| format!("{:.1}", bytes as f64 / 1024.0);
    let row = |image: &ImageSize| Row {
        quoted: false,
        cells: vec![
            image.name.clone(),
            kib(image.text_bytes),
            kib(image.rodata_bytes),
            kib(image.data_bytes),
            kib(image.file_bytes),
            kib(image.ram_bytes),
        ],
    };
    let header = vec![
        "image",
        "instructions, KiB",
        "constants",
        "data",
        "in the file",
        "while it runs, without the heap",
    ];
    Table { header, rows: images.iter().map(row).collect() }
}
