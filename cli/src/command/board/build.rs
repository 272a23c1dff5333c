//! Building an image.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde_json::Value;
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

    /// The same with features, `PACKAGE/FEATURE`; those of packages that it does not stand on are left out.
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
        let told = metadata(&manifest)?;
        let target = target_folder(&manifest, &told)?.join("rtos");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--release", "--bin", "board", "--target", TARGET, "--manifest-path"]);
        cargo.arg(&manifest).arg("--target-dir").arg(&target);
        for feature in features.iter().filter(|feature| stands_on(&manifest, &told, feature)) {
            cargo.arg("--features").arg(feature);
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

/// What cargo tells of that package and its workspace.
fn metadata(manifest: &Path) -> Result<Value, Failure> {
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]).arg(manifest);
    let output = cargo.output().map_err(|error| {
        Failure::new(ExitCode::NotPossible, format_args!("cargo: {error}; rustup.rs brings it"))
    })?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        Failure::usage(format_args!(
            "{}: {}",
            manifest.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        ))
    })
}

/// Where cargo builds that package.
fn target_folder(manifest: &Path, told: &Value) -> Result<PathBuf, Failure> {
    let folder = told["target_directory"].as_str().map(PathBuf::from);
    folder.ok_or_else(|| {
        Failure::usage(format_args!("{}: cargo tells no target_directory", manifest.display()))
    })
}

/// Whether that package has the package of a feature among its dependencies.
fn stands_on(manifest: &Path, told: &Value, feature: &str) -> bool {
    let path = manifest.canonicalize().unwrap_or_else(|_| manifest.to_owned());
    let is_this =
        |package: &&Value| package["manifest_path"].as_str().is_some_and(|there| path == Path::new(there));
    let package = told["packages"].as_array().and_then(|packages| packages.iter().find(is_this));
    let dependencies = package.and_then(|package| package["dependencies"].as_array());
    let wanted = feature.split('/').next();
    dependencies.is_some_and(|all| all.iter().any(|dependency| dependency["name"].as_str() == wanted))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_feature_is_for_who_stands_on_its_package() {
        let dependencies = json!([{ "name": "tokkyu-board" }]);
        let told = json!({ "packages": [
            { "manifest_path": "/other/Cargo.toml", "dependencies": [] },
            { "manifest_path": "/rover/Cargo.toml", "dependencies": dependencies },
        ] });
        let is = |manifest: &str, feature: &str| stands_on(Path::new(manifest), &told, feature);
        assert!(is("/rover/Cargo.toml", "tokkyu-board/trace"));
        assert!(
            !is("/rover/Cargo.toml", "tokkyu-rtos/trace") && !is("/other/Cargo.toml", "tokkyu-board/trace")
        );
        assert!(!is("/none/Cargo.toml", "tokkyu-board/trace") && !stands_on(Path::new("/"), &json!({}), ""));
    }
}
