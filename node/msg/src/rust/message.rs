//! One message in Rust: struct, view, wire form.

use std::fmt::Write;

use super::constant;
use super::field::{definition_borrows, element, owned, view, word};
use crate::definition::{Array, Definition, Field, Name};
use crate::error::Error;
use crate::types::Types;

/// A message of its own.
pub(super) fn generate(types: &Types, name: &Name) -> Result<String, Error> {
    let definition = types.get(name).cloned().unwrap_or_default();
    Ok(from_definition(types, name, &definition, &types.md5(name)?, &types.full_text(name)?))
}

/// A message, or half of a service.
pub(super) fn from_definition(
    types: &Types,
    name: &Name,
    definition: &Definition,
    md5sum: &str,
    whole: &str,
) -> String {
    let fields = &definition.fields;
    let mut out = owned_struct(name, fields);
    out.push_str(&default(name, fields));
    out.push_str(&constants(name, definition));
    out.push_str(&wire(name, fields));
    let view = if definition_borrows(types, fields) {
        out.push_str(&view_struct(types, name, fields));
        format!("{}<'a>", word(&format!("{}View", name.own)))
    } else {
        out.push_str(&own_view(name));
        word(&name.own)
    };
    let _ = write!(
        out,
        "impl ::tokkyu_message::Message for {} {{\n    const DATATYPE: &'static str = \"{name}\";\n    const MD5SUM: &'static str = \"{md5sum}\";\n    \
         const DEFINITION: &'static str = {whole:?};\n    type View<'a> = {view};\n}}\n",
        word(&name.own)
    );
    out
}

/// A line for each field.
fn lines(fields: &[Field], line: impl Fn(&Field) -> String) -> String {
    fields.iter().map(line).collect()
}

fn owned_struct(name: &Name, fields: &[Field]) -> String {
    let members = lines(fields, |field| {
        format!("    /// `{} {}`.\n    pub {}: {},\n", field.of, field.name, word(&field.name), owned(field))
    });
    format!(
        "\n/// The message `{name}`.\n#[derive(Clone, Debug, PartialEq)]\npub struct {} {{\n{members}}}\n",
        word(&name.own)
    )
}

/// Written out: the standard library has no default for arrays of more than 32.
fn default(name: &Name, fields: &[Field]) -> String {
    let members = lines(fields, |field| match field.of.array {
        Some(Array::Exactly(_)) => format!(
            "            {}: ::core::array::from_fn(|_| ::core::default::Default::default()),\n",
            word(&field.name)
        ),
        _ => format!("            {}: ::core::default::Default::default(),\n", word(&field.name)),
    });
    let own = word(&name.own);
    format!(
        "impl ::core::default::Default for {own} {{\n    fn default() -> Self {{\n        {own} {{\n{members}        }}\n    }}\n}}\n"
    )
}

fn constants(name: &Name, definition: &Definition) -> String {
    if definition.constants.is_empty() {
        return String::new();
    }
    let constants: String = definition.constants.iter().map(constant::generate).collect();
    format!("impl {} {{\n{constants}}}\n", word(&name.own))
}

const WIRE: &str = "::tokkyu_message::Wire";

fn wire(name: &Name, fields: &[Field]) -> String {
    let least = sum(fields, |field| match field.of.array {
        None => format!("<{} as {WIRE}>::LEAST", element(&field.of.base)),
        Some(Array::Any) => "4".to_owned(),
        Some(Array::Exactly(count)) => format!("{count} * <{} as {WIRE}>::LEAST", element(&field.of.base)),
    });
    let len = sum(fields, |field| match field.of.array {
        Some(Array::Exactly(_)) => {
            format!("<{} as {WIRE}>::slice_len(&self.{})", element(&field.of.base), word(&field.name))
        }
        _ => format!("{WIRE}::wire_len(&self.{})", word(&field.name)),
    });
    let write = lines(fields, |field| match field.of.array {
        Some(Array::Exactly(_)) => format!(
            "        <{} as {WIRE}>::write_slice(&self.{}, _out);\n",
            element(&field.of.base),
            word(&field.name)
        ),
        _ => format!("        {WIRE}::write(&self.{}, _out);\n", word(&field.name)),
    });
    let read = lines(fields, |field| match field.of.array {
        Some(Array::Exactly(_)) => format!(
            "        <{} as {WIRE}>::read_slice(&mut self.{}, _input)?;\n",
            element(&field.of.base),
            word(&field.name)
        ),
        _ => format!("        {WIRE}::read_from(&mut self.{}, _input)?;\n", word(&field.name)),
    });
    format!(
        "impl {WIRE} for {} {{\n    const LEAST: usize = {least};\n    fn wire_len(&self) -> usize {{\n        {len}\n    }}\n    \
         fn write(&self, _out: &mut ::tokkyu_message::Output<'_>) {{\n{write}    }}\n    \
         fn read_from(&mut self, _input: &mut ::tokkyu_message::Input<'_>) -> ::core::result::Result<(), ::tokkyu_message::ReadError> {{\n{read}        \
         ::core::result::Result::Ok(())\n    }}\n}}\n",
        word(&name.own)
    )
}

fn sum(fields: &[Field], term: impl Fn(&Field) -> String) -> String {
    let terms: Vec<String> = fields.iter().map(term).collect();
    if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
}

const RESULT: &str = "::core::result::Result<Self, ::tokkyu_message::ReadError>";

fn look(fields: &[Field]) -> String {
    lines(fields, |field| match field.of.array {
        Some(Array::Exactly(count)) => {
            format!("            {}: {}::exactly({count}, _input)?,\n", word(&field.name), array_view(field))
        }
        _ => format!("            {}: ::tokkyu_message::View::look(_input)?,\n", word(&field.name)),
    })
}

fn array_view(field: &Field) -> &'static str {
    match &field.of.base {
        crate::definition::Base::Builtin(builtin) if super::field::number(*builtin).is_some() => {
            "::tokkyu_message::Numbers"
        }
        _ => "::tokkyu_message::List",
    }
}

fn view_struct(types: &Types, name: &Name, fields: &[Field]) -> String {
    let own = word(&format!("{}View", name.own));
    let members = lines(fields, |field| {
        format!(
            "    /// `{} {}`.\n    pub {}: {},\n",
            field.of,
            field.name,
            word(&field.name),
            view(types, field)
        )
    });
    format!(
        "/// [`{}`] as it lies in its wire form.\n#[derive(Clone, Debug)]\npub struct {own}<'a> {{\n{members}}}\n\
         impl<'a> ::tokkyu_message::View<'a> for {own}<'a> {{\n    const LEAST: usize = <{} as {WIRE}>::LEAST;\n    \
         fn look(_input: &mut ::tokkyu_message::Input<'a>) -> {RESULT} {{\n        ::core::result::Result::Ok({own} {{\n{}        }})\n    }}\n}}\n",
        name.own,
        word(&name.own),
        look(fields)
    )
}

/// A message that borrows nothing is its own view.
fn own_view(name: &Name) -> String {
    let own = word(&name.own);
    format!(
        "impl<'a> ::tokkyu_message::View<'a> for {own} {{\n    const LEAST: usize = <{own} as {WIRE}>::LEAST;\n    \
         fn look(input: &mut ::tokkyu_message::Input<'a>) -> {RESULT} {{\n        let mut value = <{own} as ::core::default::Default>::default();\n        \
         {WIRE}::read_from(&mut value, input)?;\n        ::core::result::Result::Ok(value)\n    }}\n}}\n"
    )
}
