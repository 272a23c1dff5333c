//! What a field is in C++, and what it begins as.

use crate::definition::{Array, Base, Builtin, Field};

/// An allocator of the same kind, for `of`.
fn allocator(of: &str) -> String {
    format!("typename ::std::allocator_traits<ContainerAllocator>::template rebind_alloc<{of}>")
}

/// The type of a built-in one.
pub(super) fn builtin(builtin: Builtin) -> String {
    let name = match builtin {
        Builtin::Bool | Builtin::Uint8 | Builtin::Char => "uint8_t",
        Builtin::Int8 | Builtin::Byte => "int8_t",
        Builtin::Int16 => "int16_t",
        Builtin::Uint16 => "uint16_t",
        Builtin::Int32 => "int32_t",
        Builtin::Uint32 => "uint32_t",
        Builtin::Int64 => "int64_t",
        Builtin::Uint64 => "uint64_t",
        Builtin::Float32 => "float",
        Builtin::Float64 => "double",
        Builtin::Time => "::ros::Time",
        Builtin::Duration => "::ros::Duration",
        Builtin::String => {
            return format!("::std::basic_string<char, ::std::char_traits<char>, {}>", allocator("char"));
        }
    };
    name.to_owned()
}

/// The type of a field, inside a template of `ContainerAllocator`.
pub(super) fn of(field: &Field) -> String {
    let element = match &field.of.base {
        Base::Builtin(of) => builtin(*of),
        Base::Message(name) => format!("{}<ContainerAllocator>", super::path(name, "_")),
    };
    match field.of.array {
        None => element,
        Some(Array::Any) => format!("::std::vector<{element}, {}>", allocator(&element)),
        Some(Array::Exactly(count)) => format!("::boost::array<{element}, {count}>"),
    }
}

/// Whether one element takes memory from an allocator.
fn allocates(base: &Base) -> bool {
    match base {
        Base::Builtin(of) => *of == Builtin::String,
        Base::Message(_) => true,
    }
}

/// `NAME(VALUE)`: zero, empty, or with the message's allocator.
pub(super) fn initializer(field: &Field, with_allocator: bool) -> String {
    let value = match field.of.array {
        Some(Array::Any) if with_allocator => "_alloc",
        None if with_allocator && allocates(&field.of.base) => "_alloc",
        _ => "",
    };
    format!("{}({value})", field.name)
}

/// Elements of an array get the allocator one by one, after the array is there.
pub(super) fn gives_allocator(field: &Field) -> Option<String> {
    let array = matches!(field.of.array, Some(Array::Exactly(_))) && allocates(&field.of.base);
    let name = &field.name;
    array.then(|| format!("        {name}.fill(typename _{name}_type::value_type(_alloc));\n"))
}
