//! Writes C++ headers for the messages that most nodes use, as far as their definitions are there, and for those that are named:
//! `headers OUT DEFINITIONS [PACKAGE/NAME...]`.

use std::path::Path;

use tokkyu_msg::{cpp, usual};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, definitions, given @ ..] = &arguments[..] else {
        return Err("usage: headers OUT DEFINITIONS [PACKAGE/NAME...]".into());
    };
    let mut wanted = usual(Path::new(definitions));
    for name in given {
        wanted.message_or_service(name)?;
    }
    println!("{} headers", cpp::generate(&wanted, Path::new(out))?.len());
    Ok(())
}
