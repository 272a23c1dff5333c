//! Keys survive their files, and files that give them away are refused.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::carrier::keys::{KeyError, PublicKey, SecretKey, public_path};
use crate::carrier::trust::{TrustStore, trust};

/// A directory of its own for each test, gone when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("tokkyu-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        Scratch(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_new_key_comes_back_from_its_file_and_only_its_owner_can_read_it() {
    let dir = Scratch::new("new");
    let path = dir.file("keys/rover");
    let made = SecretKey::create(&path, "rover-7").unwrap();
    let folder = path.parent().unwrap();
    assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700, "made with it");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let loaded = SecretKey::load(&path).unwrap();
    assert_eq!((loaded.public(), loaded.pkcs8()), (made.public(), made.pkcs8()));
    let line = fs::read_to_string(public_path(&path)).unwrap();
    assert_eq!(PublicKey::from_line(&line), Some((made.public(), "rover-7")));
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn a_private_key_with_any_right_for_others_is_refused_with_the_remedy() {
    let dir = Scratch::new("open");
    let path = dir.file("rover");
    SecretKey::create(&path, "").unwrap();
    for mode in [0o640, 0o604, 0o660, 0o601, 0o644] {
        chmod(&path, mode);
        let error = SecretKey::load(&path).unwrap_err();
        assert!(matches!(error, KeyError::TooOpen { mode: found, .. } if found == mode), "{error}");
        assert!(error.to_string().contains(&format!("chmod 600 {}", path.display())), "{error}");
    }
    chmod(&path, 0o400);
    SecretKey::load(&path).unwrap();
}

#[test]
fn an_existing_key_is_never_overwritten() {
    let dir = Scratch::new("exists");
    let path = dir.file("rover");
    let first = SecretKey::create(&path, "").unwrap();
    assert!(matches!(SecretKey::create(&path, ""), Err(KeyError::Exists { .. })));
    assert_eq!(SecretKey::load(&path).unwrap().public(), first.public());
}

#[test]
fn a_file_that_is_no_private_key_is_named_with_the_remedy() {
    let dir = Scratch::new("nokey");
    let path = dir.file("rover");
    let rsa_like = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n";
    for content in ["", "hello", rsa_like] {
        fs::write(&path, content).unwrap();
        chmod(&path, 0o600);
        let error = SecretKey::load(&path).unwrap_err();
        assert!(matches!(error, KeyError::NotAPrivateKey { .. }), "{error}");
        assert!(error.to_string().contains("tokkyu keys new"), "{error}");
    }
    fs::write(&path, [0xff, 0xfe]).unwrap();
    assert!(matches!(SecretKey::load(&path), Err(KeyError::Read { .. })));
}

#[test]
fn a_secret_key_never_shows_itself_in_debug_output() {
    let key = SecretKey::generate().unwrap();
    assert_eq!(format!("{key:?}"), format!("SecretKey(of {})", key.public().fingerprint()));
}

#[test]
fn a_fingerprint_is_the_hash_of_the_key_as_tls_carries_it() {
    // The key of RFC 8410 §10.1; the hash was computed apart from this code, with `sha256sum` over its DER.
    let line = "tokkyu-ed25519 Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE= x";
    let (key, _) = PublicKey::from_line(line).unwrap();
    assert_eq!(key.fingerprint(), "SHA256:oekVYFTgT6yJmunydRMs3Ael28TqLCrTof/G4NJTaB8");
}

#[test]
fn lines_that_are_no_key_are_refused() {
    let good = SecretKey::generate().unwrap().public().to_line("me");
    assert!(PublicKey::from_line(&good).is_some());
    for bad in ["", "tokkyu-ed25519", "tokkyu-ed25519 AAAA", "ssh-ed25519 AAAA me", &good[1..], &good[..40]] {
        assert_eq!(PublicKey::from_line(bad), None, "{bad}");
    }
}

#[test]
fn a_trusted_key_is_found_again_with_its_comment_and_trusting_twice_is_no_error() {
    let dir = Scratch::new("trust");
    let (pinned, store) = (dir.file("operator"), dir.file("trusted"));
    let operator = SecretKey::create(&pinned, "operator@desk").unwrap();
    for _ in 0..2 {
        assert_eq!(trust(&store, &public_path(&pinned)).unwrap().key, operator.public());
    }
    let loaded = TrustStore::load(&store).unwrap();
    let all: Vec<_> = loaded.iter().map(|one| (one.key, one.comment.as_str())).collect();
    assert_eq!(all, [(operator.public(), "operator@desk")]);
    assert!(!loaded.contains(&SecretKey::generate().unwrap().public()));
}

#[test]
fn a_file_of_several_keys_may_hold_comments_and_a_broken_line_is_named() {
    let dir = Scratch::new("lines");
    let path = dir.file("trusted.pub");
    let keys: Vec<_> = (0..3).map(|_| SecretKey::generate().unwrap().public()).collect();
    let lines: Vec<_> = keys.iter().map(|key| key.to_line("x")).collect();
    fs::write(&path, format!("# ours\n\n{}\n", lines.join("\n"))).unwrap();
    assert!(keys.iter().all(|key| TrustStore::load(&path).unwrap().contains(key)));
    fs::write(&path, format!("# ours\n{}\nrubbish\n", lines[0])).unwrap();
    let error = TrustStore::load(&path).unwrap_err();
    assert!(matches!(error, KeyError::NotAPublicKey { line: 3, .. }), "{error}");
}

#[test]
fn a_private_key_given_where_a_public_one_belongs_is_refused() {
    let dir = Scratch::new("mixed");
    let path = dir.file("operator");
    SecretKey::create(&path, "").unwrap();
    let error = trust(&dir.file("trusted"), &path).unwrap_err();
    assert!(error.to_string().contains("ends in .pub"), "{error}");
}

#[test]
fn trusted_keys_anyone_could_add_to_are_refused_with_the_remedy() {
    let dir = Scratch::new("writable");
    let (pinned, store) = (dir.file("operator"), dir.file("trusted"));
    SecretKey::create(&pinned, "").unwrap();
    let trusted = trust(&store, &public_path(&pinned)).unwrap();
    let file = fs::read_dir(&store).unwrap().next().unwrap().unwrap().path();
    for path in [&file, &store] {
        let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
        chmod(path, mode | 0o002);
        let error = TrustStore::load(&store).unwrap_err();
        assert!(error.to_string().contains(&format!("chmod o-w {}", path.display())), "{error}");
        chmod(path, mode);
    }
    assert!(TrustStore::load(&store).unwrap().contains(&trusted.key));
}
