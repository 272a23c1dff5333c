//! Constants: whole numbers are values of an `enum`, everything else is a static member.

use std::fmt::Write;

use super::field;
use super::literal::literal;
use crate::definition::{Builtin, Constant, Definition, Name};

/// A constant and its value, if it is a whole number; a bool is none.
fn whole(constant: &Constant) -> Option<(&Constant, i128)> {
    constant.of.range()?;
    Some((constant, constant.value.parse().ok()?))
}

/// Inside the message's struct.
pub(super) fn members(definition: &Definition) -> String {
    let wholes: Vec<_> = definition.constants.iter().filter_map(whole).collect();
    // No type holds both negative values and the greatest ones.
    let negative = wholes.iter().any(|(_, value)| *value < 0);
    let (great, usual): (Vec<_>, Vec<_>) =
        wholes.into_iter().partition(|(_, value)| negative && *value > i128::from(i64::MAX));
    let mut out = enumeration(&usual) + &enumeration(&great);
    for constant in definition.constants.iter().filter(|constant| whole(constant).is_none()) {
        let _ = writeln!(out, "    static const {} {};", field::builtin(constant.of), constant.name);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

fn enumeration(constants: &[(&Constant, i128)]) -> String {
    if constants.is_empty() {
        return String::new();
    }
    let lines: String = constants
        .iter()
        .map(|(constant, value)| format!("        {} = {},\n", constant.name, integer(constant.of, *value)))
        .collect();
    format!("    enum {{\n{lines}    }};\n")
}

fn integer(of: Builtin, value: i128) -> String {
    match of {
        Builtin::Uint8 | Builtin::Uint16 | Builtin::Uint32 | Builtin::Uint64 => format!("{value}u"),
        // The sign is no part of a literal, and the number without it does not fit.
        _ if value == i128::from(i64::MIN) => format!("{} - 1", value + 1),
        _ => value.to_string(),
    }
}

/// After the message's struct.
pub(super) fn definitions(name: &Name, definition: &Definition) -> String {
    let mut out = String::new();
    for constant in definition.constants.iter().filter(|constant| whole(constant).is_none()) {
        let _ = writeln!(
            out,
            "template <class ContainerAllocator>\nconst {} {}_<ContainerAllocator>::{} = {};\n",
            field::builtin(constant.of),
            name.own,
            constant.name,
            value(constant)
        );
    }
    out
}

fn value(constant: &Constant) -> String {
    match constant.of {
        Builtin::String => literal(&constant.value),
        Builtin::Bool => u8::from(matches!(&constant.value[..], "True" | "1")).to_string(),
        of => format!("static_cast<{}>({})", field::builtin(of), float(&constant.value)),
    }
}

/// The parser has seen that it is a number. Not as written: to C++ `010` is eight.
fn float(value: &str) -> String {
    match value.parse::<f64>().unwrap_or(f64::NAN) {
        nan if nan.is_nan() => "::std::numeric_limits<double>::quiet_NaN()".to_owned(),
        f64::INFINITY => "::std::numeric_limits<double>::infinity()".to_owned(),
        f64::NEG_INFINITY => "-::std::numeric_limits<double>::infinity()".to_owned(),
        number => format!("{number:?}"),
    }
}
