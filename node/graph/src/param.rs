//! Values of the parameter server.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use tokkyu_ros1::xmlrpc::{Value, Values, WriteError};

/// A parameter: a value, or a tree of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    /// `true`, `false`.
    Bool(bool),
    /// A whole number of 32 bits.
    Int(i32),
    /// A number.
    Double(f64),
    /// Text; also a time, as it is written.
    Text(String),
    /// Bytes.
    Binary(Vec<u8>),
    /// One after the other.
    List(Vec<Param>),
    /// By name: a namespace is one as well.
    Map(BTreeMap<String, Param>),
    /// Nothing.
    Nil,
}

impl Param {
    /// What a value of XML-RPC is. A number that has no 32 bits becomes a double, as in roscpp.
    pub fn from_value(value: Value<'_>) -> Param {
        match value {
            Value::Bool(value) => Param::Bool(value),
            Value::Int(value) => Param::Int(value),
            Value::Long(value) => i32::try_from(value).map_or(Param::Double(value as f64), Param::Int),
            Value::Double(value) => Param::Double(value),
            Value::Str(text) | Value::DateTime(text) => Param::Text(text.to_string()),
            Value::Base64(base64) => Param::Binary(base64.bytes().collect()),
            Value::Array(items) => Param::List(items.map(Param::from_value).collect()),
            Value::Struct(members) => Param::Map(
                members.map(|(name, value)| (name.to_string(), Param::from_value(value))).collect(),
            ),
            Value::Nil => Param::Nil,
        }
    }

    /// Writes it as a value of XML-RPC.
    ///
    /// # Errors
    ///
    /// [`WriteError`]: XML has no such character, XML-RPC no such number.
    pub fn write<W: Write>(&self, out: &mut Values<'_, W>) -> Result<(), WriteError> {
        match self {
            Param::Bool(value) => out.boolean(*value),
            Param::Int(value) => out.int(*value),
            Param::Double(value) => out.double(*value),
            Param::Text(text) => out.string(text),
            Param::Binary(bytes) => out.base64(bytes.iter().copied()),
            Param::List(items) => out.array(|out| items.iter().try_for_each(|item| item.write(out))),
            Param::Map(map) => out.structure(|out| {
                map.iter().try_for_each(|(name, value)| out.member(name, |out| value.write(out)))
            }),
            Param::Nil => out.nil(),
        }
    }
}
