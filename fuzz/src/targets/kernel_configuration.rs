//! A configuration of a system in C: any text gives a program and a header with a number for each name, or a line that says what is wrong.

use tokkyu_rtos_configure::{header, read, rust};

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match read("fuzzed", text) {
        Ok(system) => {
            let header = header(&system);
            let names = system.tasks.iter().map(|task| &task.name);
            for name in names.chain(system.objects.iter().map(|object| &object.name)) {
                assert!(header.contains(&format!("#define {name} ")), "{name} has no number");
            }
            assert!(rust(&system).matches('{').count() > 10);
        }
        Err(error) => {
            assert!(error.line >= 1 && error.line <= text.lines().count().max(1), "{error}");
            assert!(error.to_string().starts_with("fuzzed:"));
        }
    }
}
