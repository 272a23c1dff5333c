//! Tells the program which revision of the source it is built from: what the environment says, else what git says, else
//! nothing. A source tree without git builds all the same.

use std::path::Path;
use std::process::Command;

fn main() {
    let revision =
        given("TOKKYU_GIT_REVISION").or_else(|| git(&["rev-parse", "--verify", "--quiet", "HEAD"]));
    let dirty = given("TOKKYU_GIT_DIRTY").or_else(|| {
        let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
        Some(if changes.is_empty() { "0" } else { "1" }.to_owned())
    });
    println!("cargo::rustc-env=TOKKYU_GIT_REVISION={}", revision.unwrap_or_default());
    println!("cargo::rustc-env=TOKKYU_GIT_DIRTY={}", dirty.unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    // A path that does not exist would make every build start over.
    for file in ["../.git/HEAD", "../.git/logs/HEAD"] {
        if Path::new(file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
}

fn given(name: &str) -> Option<String> {
    println!("cargo::rerun-if-env-changed={name}");
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// What git answers; `None` without git, or outside a repository with a commit.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
