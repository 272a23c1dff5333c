//! A file of trusted public keys, and one such line: a key that is read is written again as a line that means the same.

use std::cell::RefCell;
use crate::ScratchFile;
use tokkyu_link::carrier::{PublicKey, TrustStore};

thread_local! {
    static FILE: RefCell<ScratchFile> = RefCell::new(ScratchFile::new("pub"));
}

fn check_line(line: &str) {
    if let Some((key, comment)) = PublicKey::from_line(line) {
        let again = key.to_line(comment);
        assert_eq!(PublicKey::from_line(&again).map(|(key, _)| key), Some(key), "{again:?}");
    }
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    String::from_utf8_lossy(bytes).lines().for_each(check_line);
    FILE.with_borrow_mut(|file| match TrustStore::load(file.set(bytes)) {
        Ok(store) => assert!(store.iter().all(|trusted| store.contains(&trusted.key))),
        Err(error) => assert!(!error.to_string().is_empty()),
    });
}
