//! A private key file: any bytes give a key with a public half, or an error that does not repeat the file.

use std::cell::RefCell;
use crate::ScratchFile;
use tokkyu_link::carrier::{KeyError, SecretKey};

thread_local! {
    static FILE: RefCell<ScratchFile> = RefCell::new(ScratchFile::new("key"));
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    FILE.with_borrow_mut(|file| match SecretKey::load(file.set(bytes)) {
        Ok(key) => assert!(key.public().fingerprint().starts_with("SHA256:")),
        Err(KeyError::NotAPrivateKey { .. } | KeyError::Read { .. }) => {}
        Err(other) => panic!("{other}"),
    });
}
