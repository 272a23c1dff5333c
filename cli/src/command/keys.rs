//! `tokkyu keys`: the keys machines prove themselves with.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use tokkyu_drive::program::ExitCode;
use tokkyu_link::carrier::keys::public_path;
use tokkyu_link::carrier::trust::{TrustStore, trust};
use tokkyu_link::carrier::{PublicKey, SecretKey};

use crate::exit::{Done, Failure};
use crate::machine;
use crate::output::{self, Json};

const EXAMPLES: &str = "\
Examples, on the vehicle, then at the operator:
  tokkyu keys new keys/rover-7.key
  tokkyu keys trust operator.key.pub --into keys/trusted    (the file came by another way, such as a USB stick)
  tokkyu keys show keys/rover-7.key                         (compare the fingerprint by telephone)";

#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum Keys {
    /// Make a key pair: FILE (private, mode 0600) and FILE.pub
    #[command(after_help = EXAMPLES)]
    New(New),
    /// Show the public keys in a file or folder with their fingerprints
    #[command(after_help = EXAMPLES)]
    Show(Show),
    /// Let the owner of a public key in
    #[command(after_help = EXAMPLES)]
    Trust(Trust),
}

#[derive(Debug, Args)]
pub struct New {
    /// File of the private key; must not exist yet. Its folder is made if need be, for its owner alone
    file: PathBuf,
    /// Words beside the public key; the machine's name if not given
    #[arg(long)]
    comment: Option<String>,
}

#[derive(Debug, Args)]
pub struct Show {
    /// A private key, a public key, or a folder of public keys
    file: PathBuf,
    #[command(flatten)]
    json: Json,
}

#[derive(Debug, Args)]
pub struct Trust {
    /// File with one public key
    file: PathBuf,
    /// Folder of trusted keys; made if need be
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
}

impl Keys {
    pub fn run(&self) -> Done {
        match self {
            Keys::New(new) => output::print(&new.run()?)?,
            Keys::Show(show) => show.run()?,
            Keys::Trust(trust) => output::print(&trust.run()?)?,
        }
        Ok(ExitCode::Ok)
    }
}

impl New {
    fn run(&self) -> Result<String, Failure> {
        let comment = self.comment.clone().unwrap_or_else(name_of_machine);
        let key = SecretKey::create(&self.file, &comment)?;
        let (secret, public) = (self.file.display(), public_path(&self.file));
        Ok(format!(
            "made {secret} (keep it here, nobody else may read it)\nmade {} (give it to the other side)\n{}\n\
             The other side lets its owner in with:\n  tokkyu keys trust {} --into keys/trusted\n",
            public.display(),
            key.public().fingerprint(),
            machine::quoted(public.file_name().unwrap_or(public.as_os_str()).to_owned())
        ))
    }
}

impl Show {
    fn run(&self) -> Result<(), Failure> {
        let keys = keys_in(&self.file)?;
        let entry = |(key, comment): &(PublicKey, String)| serde_json::json!({"key": key.to_line(""), "fingerprint": key.fingerprint(), "comment": comment});
        let line = |(key, comment): &(PublicKey, String)| format!("{} {comment}\n", key.fingerprint());
        let text: String = keys.iter().map(line).collect();
        self.json.show(&text, &serde_json::Value::from_iter(keys.iter().map(entry)))
    }
}

impl Trust {
    fn run(&self) -> Result<String, Failure> {
        let trusted = trust(&self.into, &self.file)?;
        Ok(format!(
            "trusted: {} {}\nCompare the fingerprint with the one `tokkyu keys show FILE` prints on the other machine.\n",
            trusted.key.fingerprint(),
            trusted.comment
        ))
    }
}

/// Public keys of a private key file, a public key file, or a folder.
fn keys_in(path: &Path) -> Result<Vec<(PublicKey, String)>, Failure> {
    if is_private(path) {
        return Ok(vec![(SecretKey::load(path)?.public(), "(private key)".to_owned())]);
    }
    let store = TrustStore::load(path)?;
    Ok(store.iter().map(|trusted| (trusted.key, trusted.comment.clone())).collect())
}

/// By its first line: names can be anything.
fn is_private(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0; 10];
    let mut read = || fs::File::open(path)?.read_exact(&mut head);
    read().is_ok() && head == *b"-----BEGIN"
}

fn name_of_machine() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").map(|name| name.trim().to_owned()).unwrap_or_default()
}
