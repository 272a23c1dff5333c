//! What the header of a message tells `ros/`: name, md5sum and text, how it is serialized, how it is printed.

use std::collections::HashSet;

use super::{literal, path};
use crate::definition::{Array, Base, Builtin, Definition, Field, Name};
use crate::error::Error;
use crate::types::Types;

pub(super) fn of_message(types: &Types, name: &Name) -> Result<String, Error> {
    let (md5, text) = (types.md5(name)?, types.full_text(name)?);
    let definition = types.get(name).cloned().unwrap_or_default();
    let of = format!("{}<ContainerAllocator>", path(name, "_"));
    let flags = [
        ("IsMessage", true),
        ("IsFixedSize", is_fixed(types, &definition)),
        ("HasHeader", has_header(&definition)),
    ];
    let flags: String = flags.iter().map(|(flag, value)| binary(flag, *value, &of)).collect();
    let halves = md5.split_at(md5.len() / 2);
    let values = format!(
        "    static const uint64_t static_value1 = 0x{}ULL;\n    static const uint64_t static_value2 = 0x{}ULL;\n",
        halves.0, halves.1
    );
    let parts = [
        "namespace ros {\nnamespace message_traits {\n\n".to_owned(),
        flags,
        named("MD5Sum", &format!(" \"{md5}\""), &values, &of),
        named("DataType", &format!(" \"{name}\""), "", &of),
        named("Definition", &format!("\n{}", literal::lines(&text, "            ")), "", &of),
        "} // namespace message_traits\n\nnamespace serialization {\n\n".to_owned(),
        serializer(&definition.fields, &of),
        "} // namespace serialization\n\nnamespace message_operations {\n\n".to_owned(),
        printer(&definition.fields, &of),
        "} // namespace message_operations\n} // namespace ros\n\n".to_owned(),
    ];
    Ok(parts.concat())
}

/// No string and no array of any length, in it or in what it uses.
fn is_fixed(types: &Types, definition: &Definition) -> bool {
    let (mut seen, mut left) = (HashSet::new(), vec![definition]);
    while let Some(definition) = left.pop() {
        let varies = |field: &Field| {
            field.of.array == Some(Array::Any) || field.of.base == Base::Builtin(Builtin::String)
        };
        if definition.fields.iter().any(varies) {
            return false;
        }
        let used: Vec<&Name> = definition.uses().filter(|name| seen.insert((*name).clone())).collect();
        left.extend(used.into_iter().filter_map(|name| types.get(name)));
    }
    true
}

/// Its first field is `Header header`.
fn has_header(definition: &Definition) -> bool {
    definition.fields.first().is_some_and(|field| {
        field.name == "header" && field.of.array.is_none() && field.of.base == Base::Message(Name::header())
    })
}

fn binary(flag: &str, value: bool, of: &str) -> String {
    let value = if value { "TrueType" } else { "FalseType" };
    format!(
        "template <class ContainerAllocator> struct {flag}<{of}> : {value} {{}};\n\
         template <class ContainerAllocator> struct {flag}<{of} const> : {value} {{}};\n\n"
    )
}

fn named(which: &str, value: &str, more: &str, of: &str) -> String {
    format!(
        "template <class ContainerAllocator> struct {which}<{of}> {{\n    static const char *value()\n    {{\n        return{value};\n    }}\n    \
         static const char *value(const {of} &) {{ return value(); }}\n{more}}};\n\n"
    )
}

fn serializer(fields: &[Field], of: &str) -> String {
    let (stream, message) = if fields.is_empty() { ("", "") } else { ("stream", "m") };
    let lines: String =
        fields.iter().map(|field| format!("        stream.next(m.{});\n", field.name)).collect();
    format!(
        "template <class ContainerAllocator> struct Serializer<{of}> {{\n    template <typename Stream, typename T> static void allInOne(Stream &{stream}, T {message})\n    \
         {{\n{lines}    }}\n\n    ROS_DECLARE_ALLINONE_SERIALIZER\n}};\n\n"
    )
}

fn printer(fields: &[Field], of: &str) -> String {
    let [stream, indent, value] = if fields.is_empty() { [""; 3] } else { ["s", "indent", "v"] };
    let message = if fields.is_empty() { String::new() } else { format!("    typedef {of} Message;\n\n") };
    let lines: String = fields.iter().map(print).collect();
    format!(
        "template <class ContainerAllocator> struct Printer<{of}> {{\n{message}    \
         template <typename Stream> static void stream(Stream &{stream}, const ::std::string &{indent}, const {of} &{value})\n    \
         {{\n{lines}    }}\n}};\n\n"
    )
}

fn print(field: &Field) -> String {
    let name = &field.name;
    // A message begins on a line of its own; in an array, after the indentation.
    let own_line = matches!(field.of.base, Base::Message(_));
    if field.of.array.is_none() {
        let end = if own_line { " \\n" } else { " " };
        return format!(
            "        s << indent << \"{name}:{end}\";\n        \
             Printer<typename Message::_{name}_type>::stream(s, indent + \"  \", v.{name});\n"
        );
    }
    let (end, deeper) = if own_line { (" \\n\" << indent", "    ") } else { (" \"", "  ") };
    format!(
        "        s << indent << \"{name}[]\\n\";\n        for (size_t i = 0; i < v.{name}.size(); ++i) {{\n            \
         s << indent << \"  {name}[\" << i << \"]:{end};\n            \
         Printer<typename Message::_{name}_type::value_type>::stream(s, indent + \"{deeper}\", v.{name}[i]);\n        }}\n"
    )
}
