//! A message's or a service's definition: any text gives a definition with an md5sum, or a line that says what is wrong.

use tokkyu_msg::{Definition, Name, Types, parse_message, parse_service};

/// With everything that it may use known, its sum is a sum.
fn judge(definition: &Definition) {
    let mut types = Types::new();
    for name in definition.uses() {
        types.add(name.clone(), "int8 one").expect("a definition");
    }
    assert_eq!(types.md5_of(definition).expect("all is known").len(), 32);
    assert!(definition.fields.iter().all(|field| !field.name.is_empty()));
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match parse_message("fuzzed", "fuzzed", text) {
        Ok(definition) => judge(&definition),
        Err(error) => assert!(error.to_string().starts_with("fuzzed:")),
    }
    if let Ok(service) = parse_service("fuzzed", "fuzzed", text) {
        judge(&service.request);
        judge(&service.response);
    }
    let mut types = Types::new();
    let own = Name::parse("fuzzed/Own").expect("a name");
    if types.add(own.clone(), text).is_ok() {
        // It may use itself, or what is not known: told, and no end without one.
        let _ = types.load(&own).and_then(|()| types.full_text(&own));
        let _ = types.md5(&own);
    }
}
