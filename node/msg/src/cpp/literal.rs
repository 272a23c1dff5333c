//! Any text as a string literal of C++.

use std::fmt::Write;

/// Compilers limit the length of one literal, MSVC to 2048 bytes; those that stand side by side are joined.
const LONGEST_BYTES: usize = 500;

/// One literal.
pub(super) fn literal(text: &str) -> String {
    quote(text.as_bytes())
}

/// A literal for each line, each beginning with `before`. Every line ends with a line feed, the last one too, as gencpp has it.
pub(super) fn lines(text: &str, before: &str) -> String {
    let mut out = String::new();
    let text = if text.is_empty() { "\n" } else { text };
    for line in text.lines() {
        let line = format!("{line}\n");
        for piece in line.as_bytes().chunks(LONGEST_BYTES) {
            let _ = writeln!(out, "{before}{}", quote(piece));
        }
    }
    out.pop();
    out
}

/// Escapes are octal, of three digits: a digit that follows is none of theirs, and the compiler's encoding does not matter.
fn quote(bytes: &[u8]) -> String {
    let mut out = String::from('"');
    for &byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            // Two of them begin a trigraph before C++17.
            b'?' if out.ends_with('?') => out.push_str("\\?"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}
