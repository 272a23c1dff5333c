//! Constants of a definition in Rust.

use super::field::{number, word};
use crate::definition::{Builtin, Constant};

/// `pub const NAME: TYPE = VALUE;`
pub(super) fn generate(constant: &Constant) -> String {
    let (of, value) = match constant.of {
        Builtin::String => ("&'static str", format!("{:?}", constant.value)),
        Builtin::Bool => ("bool", matches!(&constant.value[..], "True" | "1").to_string()),
        Builtin::Float32 => ("f32", float(&constant.value, "f32")),
        Builtin::Float64 => ("f64", float(&constant.value, "f64")),
        integer => (number(integer).unwrap_or("i64"), constant.value.trim_start_matches('+').to_owned()),
    };
    format!("    #[allow(missing_docs)]\n    pub const {}: {of} = {value};\n", word(&constant.name))
}

/// The parser has seen that it is a number.
fn float(value: &str, of: &str) -> String {
    match value.parse::<f64>().unwrap_or(f64::NAN) {
        nan if nan.is_nan() => format!("{of}::NAN"),
        f64::INFINITY => format!("{of}::INFINITY"),
        f64::NEG_INFINITY => format!("{of}::NEG_INFINITY"),
        // Not as written: Rust has neither `.5` nor `5.`. Each is rounded once.
        _ if of == "f32" => format!("{:?}_f32", value.parse::<f32>().unwrap_or(f32::NAN)),
        number => format!("{number:?}_f64"),
    }
}
