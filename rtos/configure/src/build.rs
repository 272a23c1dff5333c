//! For build scripts: the system, its header, and the sources in C.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{header, read, rust};

const COMPILER: &str = "aarch64-linux-gnu-gcc";
/// No floating-point registers, which the kernel does not keep, and nothing of an operating system.
const FLAGS: [&str; 11] = [
    "-O2",
    "-mcpu=cortex-a53",
    "-mgeneral-regs-only",
    "-ffreestanding",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-pic",
    "-fno-pie",
    "-fno-stack-protector",
    "-Wall",
    "-Wextra",
];

/// An image in C.
#[derive(Debug)]
pub struct Build {
    configuration: PathBuf,
    sources: Vec<PathBuf>,
}

/// An image of the system that a configuration file declares.
pub fn system(configuration: &str) -> Build {
    Build { configuration: configuration.into(), sources: Vec::new() }
}

impl Build {
    /// A source in C, which includes `kernel.h` and `kernel_cfg.h`.
    pub fn source(mut self, file: &str) -> Build {
        self.sources.push(file.into());
        self
    }

    /// Makes `system.rs`, compiles the sources and tells cargo how to link the image. On any other target it does nothing.
    ///
    /// # Panics
    ///
    /// The configuration or a source is wrong: words say what, where, and the remedy. Cargo shows them.
    pub fn build(self) {
        if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none") {
            return;
        }
        let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says it"));
        let file = self.configuration.display().to_string();
        println!("cargo:rerun-if-changed={file}");
        let text =
            std::fs::read_to_string(&self.configuration).unwrap_or_else(|error| panic!("{file}: {error}"));
        let system = read(&file, &text).unwrap_or_else(|error| panic!("{error}"));
        write(&out.join("system.rs"), &rust(&system));
        write(&out.join("kernel_cfg.h"), &header(&system));
        println!("cargo:rustc-link-arg-bins=-Tboard.ld");
        for source in &self.sources {
            println!("cargo:rustc-link-arg-bins={}", compile(source, &out).display());
        }
    }
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn compile(source: &Path, out: &Path) -> PathBuf {
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../c/include");
    println!("cargo:rerun-if-changed={}", source.display());
    println!("cargo:rerun-if-changed={include}");
    let object = out.join(source.file_stem().unwrap_or_default()).with_extension("o");
    let mut command = Command::new(COMPILER);
    command.args(FLAGS).args(["-I", include, "-I"]).arg(out).arg("-c").arg(source).arg("-o").arg(&object);
    match command.status() {
        Ok(status) if status.success() => object,
        Ok(status) => panic!("{COMPILER}: {status}; what it says stands above"),
        Err(error) => panic!("{COMPILER}: {error}; apt-get install gcc-aarch64-linux-gnu"),
    }
}
