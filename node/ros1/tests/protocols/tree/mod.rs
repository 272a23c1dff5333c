//! Values as they are, without a document: made up, written, read, and told in JSON.
#![allow(dead_code, reason = "not each test needs each part")]

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use tokkyu_ros1::xmlrpc::{Fields, Value, Values, WriteError};

#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    Int(i32),
    Long(i64),
    Bool(bool),
    Double(f64),
    Str(String),
    DateTime(String),
    Base64(Vec<u8>),
    Array(Vec<Tree>),
    Struct(Vec<(String, Tree)>),
    Nil,
}

impl Tree {
    /// Walks all of a value that was read.
    pub fn of(value: Value<'_>) -> Tree {
        match value {
            Value::Int(value) => Tree::Int(value),
            Value::Long(value) => Tree::Long(value),
            Value::Bool(value) => Tree::Bool(value),
            Value::Double(value) => Tree::Double(value),
            Value::Str(text) => Tree::Str(text.to_string()),
            Value::DateTime(text) => Tree::DateTime(text.to_string()),
            Value::Base64(bytes) => Tree::Base64(bytes.bytes().collect()),
            Value::Array(items) => Tree::Array(Tree::all(items)),
            Value::Struct(members) => {
                let count = members.len();
                let read: Vec<_> = members.map(|(name, value)| (name.to_string(), Tree::of(value))).collect();
                assert_eq!(read.len(), count, "what was checked is read");
                Tree::Struct(read)
            }
            Value::Nil => Tree::Nil,
        }
    }

    pub fn all<'a>(items: impl ExactSizeIterator<Item = Value<'a>>) -> Vec<Tree> {
        let count = items.len();
        let read: Vec<_> = items.map(Tree::of).collect();
        assert_eq!(read.len(), count, "what was checked is read");
        read
    }

    pub fn write<W: std::fmt::Write>(&self, out: &mut Values<'_, W>) -> Result<(), WriteError> {
        match self {
            Tree::Int(value) => out.int(*value),
            Tree::Long(value) => out.long(*value),
            Tree::Bool(value) => out.boolean(*value),
            Tree::Double(value) => out.double(*value),
            Tree::Str(text) => out.string(text),
            Tree::DateTime(text) => out.date_time(text),
            Tree::Base64(bytes) => out.base64(bytes.iter().copied()),
            Tree::Array(items) => out.array(|array| items.iter().try_for_each(|item| item.write(array))),
            Tree::Struct(members) => out.structure(|fields: &mut Fields<'_, W>| {
                members.iter().try_for_each(|(name, value)| fields.member(name, |out| value.write(out)))
            }),
            Tree::Nil => out.nil(),
        }
    }

    /// As the oracle tells it: one type of whole numbers, of names that come twice the last, times without white space.
    pub fn json(&self) -> Json {
        match self {
            Tree::Int(value) => json!(["int", value]),
            Tree::Long(value) => json!(["int", value]),
            Tree::Bool(value) => json!(["bool", value]),
            Tree::Double(value) => json!(["double", format!("{:016x}", value.to_bits())]),
            Tree::Str(text) => json!(["string", text]),
            Tree::DateTime(text) => json!(["time", text.trim()]),
            Tree::Base64(bytes) => json!(["base64", hex(bytes)]),
            Tree::Array(items) => json!(["array", items.iter().map(Tree::json).collect::<Vec<_>>()]),
            Tree::Struct(members) => {
                let members = members.iter().map(|(name, value)| (name.clone(), value.json()));
                json!(["struct", members.collect::<serde_json::Map<_, _>>()])
            }
            Tree::Nil => json!(["nil"]),
        }
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Text of characters that XML has, those that it means something by more often than others.
pub fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "&",
            "<",
            ">",
            "]]>",
            "]",
            "<![CDATA[",
            "&#13;",
            "&amp;",
            "<!--",
            "-->",
            "<?",
            "?>",
            "\r\n",
            "\r",
            "\n",
            "\t",
            " ",
            "\"",
            "'",
            "</value>",
            "\u{7f}",
            "\u{85}",
            "\u{2028}",
            "\u{fffd}",
            "\u{d7ff}",
            "\u{e000}",
            "\u{10ffff}",
            "\u{feff}",
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,6}",
        "[^\u{0}-\u{1f}\u{fffe}\u{ffff}]{0,3}",
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

/// Values that can be written, up to five deep.
pub fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        prop_oneof![any::<i32>(), Just(i32::MIN), Just(i32::MAX)].prop_map(Tree::Int),
        prop_oneof![any::<i64>(), Just(i64::MIN), Just(i64::MAX)].prop_map(Tree::Long),
        any::<bool>().prop_map(Tree::Bool),
        prop_oneof![any::<f64>(), Just(-0.0), Just(1e300), Just(5e-324), -1e3..1e3]
            .prop_filter("finite", |value| value.is_finite())
            .prop_map(Tree::Double),
        text().prop_map(Tree::Str),
        "[0-9]{8}T[0-9]{2}:[0-9]{2}:[0-9]{2}".prop_map(Tree::DateTime),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(Tree::Base64),
        Just(Tree::Nil),
    ];
    leaf.prop_recursive(4, 24, 5, |inside| {
        prop_oneof![
            prop::collection::vec(inside.clone(), 0..5).prop_map(Tree::Array),
            prop::collection::vec((text(), inside), 0..5).prop_map(Tree::Struct),
        ]
    })
}
