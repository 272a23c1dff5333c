//! Keys a machine proves itself with: one Ed25519 pair each, made here, pinned by the other side.
//!
//! Files: `NAME` holds the private key (PKCS#8 v2, RFC 5958, as PEM, mode 0600), `NAME.pub` one line
//! `tokkyu-ed25519 BASE64 comment`. A private key others can read is refused: whoever read it can drive the robot.
//! Runs at start and in the command line tool, never on the link thread. Reads at most 64 KiB of a file.

use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use ring::digest;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;

/// First word of a public key's line.
const KIND: &str = "tokkyu-ed25519";
/// Most that is read of a key file.
pub(super) const FILE_MAX_BYTES: u64 = 64 * 1024;
/// Characters in a line of PEM (RFC 7468 §2).
const PEM_LINE: usize = 64;
/// What stands before the 32 bytes of an Ed25519 key in a SubjectPublicKeyInfo (RFC 8410 §4, §10.1).
const SPKI_HEAD: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// What is wrong with a key or its file.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A key is there already; it is never overwritten.
    #[error("{} exists already and is left alone; remove it first if the robot may lose this identity", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A private key is readable by others.
    #[error("{}: a private key others can read (mode {mode:04o}); run: chmod 600 {}", path.display(), path.display())]
    TooOpen {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A file of trusted keys can be changed by anyone.
    #[error("{}: trusted keys anyone can change (mode {mode:04o}); run: chmod o-w {}", path.display(), path.display())]
    WritableByAll {
        /// The file or directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A private key file holds something else.
    #[error("{}: not an Ed25519 private key in PEM; make one with: tokkyu keys new FILE", path.display())]
    NotAPrivateKey {
        /// The file.
        path: PathBuf,
    },
    /// A line is not a public key.
    #[error("{} line {line}: not a public key, expected `tokkyu-ed25519 BASE64 comment` (the file that ends in .pub)", path.display())]
    NotAPublicKey {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The system gives no random numbers.
    #[error("the system gives no random numbers for a new key")]
    NoRandom,
}

/// The public half of a machine's key: who it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// The key and its comment in a line `tokkyu-ed25519 BASE64 comment`; the comment may be empty.
    pub fn from_line(line: &str) -> Option<(PublicKey, &str)> {
        let rest = line.trim().strip_prefix(KIND)?.strip_prefix(' ')?.trim_start();
        let (encoded, comment) = rest.split_once(' ').unwrap_or((rest, ""));
        let bytes = STANDARD.decode(encoded).ok()?;
        Some((PublicKey(bytes.try_into().ok()?), comment.trim()))
    }

    /// The key's line, without line end. Control characters in `comment` are left out.
    pub fn to_line(&self, comment: &str) -> String {
        let comment: String = comment.chars().filter(|c| !c.is_control()).collect();
        format!("{KIND} {} {comment}", STANDARD.encode(self.0)).trim_end().to_owned()
    }

    /// SHA-256 of the key in Base64, written as ssh does: `SHA256:…`. For people to compare.
    pub fn fingerprint(&self) -> String {
        let hash = digest::digest(&digest::SHA256, &self.spki());
        format!("SHA256:{}", STANDARD_NO_PAD.encode(hash))
    }

    /// The key as a SubjectPublicKeyInfo: what TLS carries in place of a certificate (RFC 7250).
    pub(super) fn spki(&self) -> [u8; 44] {
        let mut spki = [0; 44];
        spki[..SPKI_HEAD.len()].copy_from_slice(&SPKI_HEAD);
        spki[SPKI_HEAD.len()..].copy_from_slice(&self.0);
        spki
    }

    /// The key in a SubjectPublicKeyInfo, if it holds an Ed25519 key.
    pub(super) fn from_spki(spki: &[u8]) -> Option<PublicKey> {
        let key = spki.strip_prefix(&SPKI_HEAD)?;
        Some(PublicKey(key.try_into().ok()?))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.fingerprint())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.fingerprint())
    }
}

/// A machine's key pair. Never printed, never leaves the process but into its own file.
#[derive(Clone)]
pub struct SecretKey {
    pkcs8: Vec<u8>,
    public: PublicKey,
}

impl SecretKey {
    /// A new random key pair.
    ///
    /// # Errors
    /// [`KeyError::NoRandom`].
    pub fn generate() -> Result<SecretKey, KeyError> {
        let document =
            Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| KeyError::NoRandom)?;
        SecretKey::from_pkcs8(document.as_ref()).ok_or(KeyError::NoRandom)
    }

    /// Makes a new pair and writes it to `path` and `path.pub` (with `comment`), in a folder that is made if need be.
    ///
    /// # Errors
    /// [`KeyError::Exists`] if either file is there already, [`KeyError::Write`], [`KeyError::NoRandom`].
    pub fn create(path: &Path, comment: &str) -> Result<SecretKey, KeyError> {
        let key = SecretKey::generate()?;
        make_folder_of(path)?;
        write_new(path, 0o600, key.to_pem().as_bytes())?;
        write_new(&public_path(path), 0o644, format!("{}\n", key.public.to_line(comment)).as_bytes())?;
        Ok(key)
    }

    /// Reads the private key in `path`.
    ///
    /// # Errors
    /// [`KeyError::TooOpen`] if group or others have any right on it, [`KeyError::NotAPrivateKey`],
    /// [`KeyError::Read`].
    pub fn load(path: &Path) -> Result<SecretKey, KeyError> {
        let file = open(path)?;
        let mode = mode_of(&file, path)?;
        if mode & 0o077 != 0 {
            return Err(KeyError::TooOpen { path: path.to_owned(), mode });
        }
        let text = read(file, path)?;
        let pem = PrivatePkcs8KeyDer::from_pem_slice(text.as_bytes()).ok();
        let key = pem.and_then(|der| SecretKey::from_pkcs8(der.secret_pkcs8_der()));
        key.ok_or_else(|| KeyError::NotAPrivateKey { path: path.to_owned() })
    }

    /// The public half.
    pub fn public(&self) -> PublicKey {
        self.public
    }

    pub(super) fn pkcs8(&self) -> &[u8] {
        &self.pkcs8
    }

    fn from_pkcs8(pkcs8: &[u8]) -> Option<SecretKey> {
        let pair = Ed25519KeyPair::from_pkcs8(pkcs8).ok()?;
        let public = PublicKey(pair.public_key().as_ref().try_into().ok()?);
        Some(SecretKey { pkcs8: pkcs8.to_owned(), public })
    }

    fn to_pem(&self) -> String {
        let encoded = STANDARD.encode(&self.pkcs8);
        let mut pem = String::from("-----BEGIN PRIVATE KEY-----\n");
        for line in encoded.as_bytes().chunks(PEM_LINE) {
            pem.extend(line.iter().map(|&byte| char::from(byte)));
            pem.push('\n');
        }
        pem + "-----END PRIVATE KEY-----\n"
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(of {})", self.public)
    }
}

/// Where the public half of the private key in `path` stands: `path.pub`.
pub fn public_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".pub");
    PathBuf::from(name)
}

pub(super) fn open(path: &Path) -> Result<File, KeyError> {
    File::open(path).map_err(|source| KeyError::Read { path: path.to_owned(), source })
}

/// Permission bits of the open file: of the file that will be read, not of what its name points to later.
pub(super) fn mode_of(file: &File, path: &Path) -> Result<u32, KeyError> {
    let found = file.metadata().map_err(|source| KeyError::Read { path: path.to_owned(), source })?;
    Ok(found.permissions().mode() & 0o7777)
}

pub(super) fn read(file: File, path: &Path) -> Result<String, KeyError> {
    let mut text = String::new();
    let read = file.take(FILE_MAX_BYTES).read_to_string(&mut text);
    read.map_err(|source| KeyError::Read { path: path.to_owned(), source })?;
    Ok(text)
}

/// Makes the folder of a private key if it is not there, for its owner alone.
fn make_folder_of(path: &Path) -> Result<(), KeyError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|source| KeyError::Write { path: folder.to_owned(), source })
}

/// Writes a file that must not exist yet, with its permissions from the first moment on.
pub(super) fn write_new(path: &Path, mode: u32, content: &[u8]) -> Result<(), KeyError> {
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()));
    written.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => KeyError::Exists { path: path.to_owned() },
        _ => KeyError::Write { path: path.to_owned(), source },
    })
}
