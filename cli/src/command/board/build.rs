//! Building an image.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use tokkyu_drive::program::ExitCode;

use crate::exit::Failure;

/// AArch64 without an operating system; no floating-point registers, which the kernel does not keep.
const TARGET: &str = "aarch64-unknown-none-softfloat";

/// Which image.
#[derive(Clone, Debug, Args)]
pub struct Image {
    /// The folder of a cargo package with a program `board`
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// An image that is built already, in place of building the package
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
}

impl Image {
    /// Builds it, if it is not built already, and says where it is.
    ///
    /// # Errors
    /// There is no such package or file, the compiler has no libraries for the target, or the package does not build.
    pub fn build(&self) -> Result<PathBuf, Failure> {
        self.build_with(&[])
    }

    /// The same with features, `PACKAGE/FEATURE`.
    ///
    /// # Errors
    /// As of [`build`](Self::build).
    pub fn build_with(&self, features: &[&str]) -> Result<PathBuf, Failure> {
        if let Some(image) = &self.image {
            let found = image.is_file().then(|| image.clone());
            return found.ok_or_else(|| Failure::usage(format_args!("{}: no such file", image.display())));
        }
        let manifest = self.folder.join("Cargo.toml");
        if !manifest.is_file() {
            return Err(Failure::usage(format_args!(
                "{}: no cargo package there; tokkyu board new NAME makes one",
                self.folder.display()
            )));
        }
        let target = target_folder(&manifest)?.join("rtos");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--release", "--bin", "board", "--target", TARGET, "--manifest-path"]);
        cargo.arg(&manifest).arg("--target-dir").arg(&target);
        if !features.is_empty() {
            cargo.arg("--features").arg(features.join(","));
        }
        match cargo.status() {
            Ok(status) if status.success() => Ok(target.join(TARGET).join("release/board")),
            Ok(_) => Err(Failure::new(
                ExitCode::Failed,
                format_args!(
                    "{} does not build; if cargo found no core for {TARGET}: rustup target add {TARGET}; nodes in C++: apt-get install \
                     g++-aarch64-linux-gnu picolibc-aarch64-linux-gnu libboost-dev",
                    self.folder.display()
                ),
            )),
            Err(error) => {
                Err(Failure::new(ExitCode::NotPossible, format_args!("cargo: {error}; rustup.rs brings it")))
            }
        }
    }
}

/// Where cargo builds that package.
fn target_folder(manifest: &Path) -> Result<PathBuf, Failure> {
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]).arg(manifest);
    let output = cargo.output().map_err(|error| {
        Failure::new(ExitCode::NotPossible, format_args!("cargo: {error}; rustup.rs brings it"))
    })?;
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let folder = told.get("target_directory").and_then(|folder| folder.as_str());
    folder.map(PathBuf::from).ok_or_else(|| {
        Failure::usage(format_args!(
            "{}: {}",
            manifest.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        ))
    })
}
