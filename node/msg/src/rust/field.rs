//! What the type of a field is in Rust: in the struct that owns it, and in the view that borrows it.

use crate::definition::{Array, Base, Builtin, Field, Name};
use crate::types::Types;

/// Words that cannot be names even as `r#…`.
const NEVER: [&str; 5] = ["self", "Self", "super", "crate", "_"];

const KEYWORDS: [&str; 47] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while",
];

/// A name of the definition as a name of Rust.
pub(crate) fn word(name: &str) -> String {
    match name {
        _ if NEVER.contains(&name) => format!("{name}_"),
        "yield" => "r#yield".to_owned(),
        _ if KEYWORDS.contains(&name) => format!("r#{name}"),
        _ => name.to_owned(),
    }
}

/// A message type seen from the module of its own or another package.
fn path(name: &Name, suffix: &str) -> String {
    format!("super::{}::{}", word(&name.package), word(&format!("{}{suffix}", name.own)))
}

pub(super) fn number(builtin: Builtin) -> Option<&'static str> {
    Some(match builtin {
        Builtin::Int8 | Builtin::Byte => "i8",
        Builtin::Uint8 | Builtin::Char => "u8",
        Builtin::Int16 => "i16",
        Builtin::Uint16 => "u16",
        Builtin::Int32 => "i32",
        Builtin::Uint32 => "u32",
        Builtin::Int64 => "i64",
        Builtin::Uint64 => "u64",
        Builtin::Float32 => "f32",
        Builtin::Float64 => "f64",
        Builtin::Bool | Builtin::String | Builtin::Time | Builtin::Duration => return None,
    })
}

/// One element, owned.
pub(super) fn element(base: &Base) -> String {
    match base {
        Base::Message(name) => path(name, ""),
        Base::Builtin(Builtin::Bool) => "bool".to_owned(),
        Base::Builtin(Builtin::String) => "::tokkyu_message::generated::String".to_owned(),
        Base::Builtin(Builtin::Time) => "::tokkyu_message::Time".to_owned(),
        Base::Builtin(Builtin::Duration) => "::tokkyu_message::Duration".to_owned(),
        Base::Builtin(other) => number(*other).unwrap_or("u8").to_owned(),
    }
}

/// The field, owned.
pub(super) fn owned(field: &Field) -> String {
    let element = element(&field.of.base);
    match field.of.array {
        None => element,
        Some(Array::Any) => format!("::tokkyu_message::generated::Vec<{element}>"),
        Some(Array::Exactly(count)) => format!("[{element}; {count}]"),
    }
}

/// Whether a view of the field borrows anything.
fn borrows(types: &Types, field: &Field) -> bool {
    field.of.array.is_some()
        || match &field.of.base {
            Base::Builtin(builtin) => *builtin == Builtin::String,
            Base::Message(name) => has_view(types, name),
        }
}

/// Whether the type has a view of its own. One that borrows nothing is its own view.
pub(super) fn has_view(types: &Types, name: &Name) -> bool {
    types.get(name).is_some_and(|definition| definition_borrows(types, &definition.fields))
}

pub(super) fn definition_borrows(types: &Types, fields: &[Field]) -> bool {
    fields.iter().any(|field| borrows(types, field))
}

fn element_view(types: &Types, base: &Base) -> String {
    match base {
        Base::Message(name) if has_view(types, name) => format!("{}<'a>", path(name, "View")),
        Base::Builtin(Builtin::String) => "&'a str".to_owned(),
        other => element(other),
    }
}

/// The field, borrowed.
pub(super) fn view(types: &Types, field: &Field) -> String {
    let element = element_view(types, &field.of.base);
    match (field.of.array, &field.of.base) {
        (None, _) => element,
        (Some(_), Base::Builtin(builtin)) if number(*builtin).is_some() => {
            format!("::tokkyu_message::Numbers<'a, {element}>")
        }
        (Some(_), _) => format!("::tokkyu_message::List<'a, {element}>"),
    }
}
