//! The header of one message.

use std::fmt::Write;

use super::{constant, field, guard, path, traits};
use crate::definition::{Definition, Field, Name};
use crate::error::Error;
use crate::types::Types;

pub(super) fn header(types: &Types, name: &Name) -> Result<String, Error> {
    // Knows all that it uses, or says what is missing.
    let traits = traits::of_message(types, name)?;
    let definition = types.get(name).cloned().unwrap_or_default();
    let (guard, package) = (guard(name), &name.package);
    let parts = [
        format!(
            "// Made from the definition of {name}; not to be changed by hand.\n#ifndef {guard}\n#define {guard}\n\n"
        ),
        includes(&definition),
        format!("namespace {package} {{\n\n"),
        message(name, &definition),
        constant::definitions(name, &definition),
        operators(name, &definition),
        format!("}} // namespace {package}\n\n"),
        traits,
        format!("#endif // {guard}\n"),
    ];
    Ok(parts.concat())
}

fn includes(definition: &Definition) -> String {
    let fixed = ["limits", "map", "memory", "ostream", "string", "vector"].map(str::to_owned);
    let ros = ["types", "serialization", "builtin_message_traits", "message_operations"];
    let mut all: Vec<String> = fixed.into_iter().chain(ros.map(|name| format!("ros/{name}.h"))).collect();
    all.extend(["boost/array.hpp", "boost/shared_ptr.hpp"].map(str::to_owned));
    for name in definition.uses() {
        let header = format!("{name}.h");
        if !all.contains(&header) {
            all.push(header);
        }
    }
    let lines: String = all.iter().map(|name| format!("#include <{name}>\n")).collect();
    lines + "\n"
}

/// The struct, and what it is called with the standard allocator.
fn message(name: &Name, definition: &Definition) -> String {
    let (own, full) = (&name.own, path(name, ""));
    let members: String = definition.fields.iter().map(member).collect();
    format!(
        "template <class ContainerAllocator> struct {own}_ {{\n    typedef {own}_<ContainerAllocator> Type;\n\n{}{}{members}{}    \
         typedef ::boost::shared_ptr<Type> Ptr;\n    typedef ::boost::shared_ptr<Type const> ConstPtr;\n}};\n\n\
         typedef {full}_<::std::allocator<void>> {own};\ntypedef ::boost::shared_ptr<{full}> {own}Ptr;\n\
         typedef ::boost::shared_ptr<{full} const> {own}ConstPtr;\n\n",
        constructor(name, &definition.fields, false),
        constructor(name, &definition.fields, true),
        constant::members(definition)
    )
}

fn member(field: &Field) -> String {
    format!("    typedef {} _{name}_type;\n    _{name}_type {name};\n\n", field::of(field), name = field.name)
}

fn constructor(name: &Name, fields: &[Field], with_allocator: bool) -> String {
    let parameter = if with_allocator { "const ContainerAllocator &_alloc" } else { "" };
    let mut out = format!("    {}_({parameter})\n", name.own);
    for (index, field) in fields.iter().enumerate() {
        let sign = if index == 0 { ':' } else { ',' };
        let _ = writeln!(out, "        {sign} {}", field::initializer(field, with_allocator));
    }
    out.push_str("    {\n");
    if with_allocator {
        out.push_str("        static_cast<void>(_alloc);\n");
        out.extend(fields.iter().filter_map(field::gives_allocator));
    }
    out + "    }\n\n"
}

fn operators(name: &Name, definition: &Definition) -> String {
    let full = path(name, "_");
    let (left, right) = match definition.fields.is_empty() {
        true => ("", ""),
        false => (" &lhs", " &rhs"),
    };
    let same: Vec<String> = definition
        .fields
        .iter()
        .map(|field| format!("lhs.{name} == rhs.{name}", name = field.name))
        .collect();
    let same = if same.is_empty() { "true".to_owned() } else { same.join("\n        && ") };
    format!(
        "template <class ContainerAllocator> ::std::ostream &operator<<(::std::ostream &s, const {full}<ContainerAllocator> &v)\n{{\n    \
         ::ros::message_operations::Printer<{full}<ContainerAllocator>>::stream(s, \"\", v);\n    return s;\n}}\n\n\
         template <class Allocator1, class Allocator2>\nbool operator==(const {full}<Allocator1>{left}, const {full}<Allocator2>{right})\n{{\n    \
         return {same};\n}}\n\n\
         template <class Allocator1, class Allocator2>\nbool operator!=(const {full}<Allocator1> &lhs, const {full}<Allocator2> &rhs)\n{{\n    \
         return !(lhs == rhs);\n}}\n\n"
    )
}
