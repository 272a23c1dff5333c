//! Compiles `c/`, and has the linker find the GNU C++ library and its unwinder. Picolibc comes last, by the image's own build
//! script: its `memcpy` and the like use floating-point registers, which the kernel has none of, and those of Rust come first so.

use std::path::{Path, PathBuf};
use std::process::Command;

const COMPILER: &str = "aarch64-linux-gnu-gcc";
/// As Debian installs it.
const PICOLIBC: &str = "/usr/lib/picolibc/aarch64-linux-gnu";
const FLAGS: [&str; 9] = [
    "-Os",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-pic",
    "-fno-pie",
    "-fno-stack-protector",
    "-U_FORTIFY_SOURCE",
    "-mno-outline-atomics",
    "-ftls-model=local-exec",
];

fn main() {
    println!("cargo:rerun-if-changed=c");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none") {
        return;
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says it"));
    let objects: Vec<PathBuf> =
        ["absent", "files", "locale", "numbers", "streams"].map(|name| compile(name, &out)).into();
    let archive = out.join("libtokkyu_board_c.a");
    run(Command::new("aarch64-linux-gnu-ar").arg("crs").arg(&archive).args(objects));
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static:-bundle=tokkyu_board_c");
    for library in ["stdc++", "gcc_eh", "gcc"] {
        println!("cargo:rustc-link-search=native={}", folder_of(&format!("lib{library}.a")).display());
        println!("cargo:rustc-link-lib=static:-bundle={library}");
    }
}

fn compile(name: &str, out: &Path) -> PathBuf {
    let object = out.join(name).with_extension("o");
    let mut command = Command::new(COMPILER);
    command
        .args(FLAGS)
        .args(["-Wall", "-Wextra", "-Werror", "-c"])
        .arg(format!("c/{name}.c"))
        .arg("-o")
        .arg(&object);
    if name == "streams" {
        command.args(["-isystem", &format!("{PICOLIBC}/include")]);
    }
    run(&mut command);
    object
}

/// Where the compiler has a library.
fn folder_of(library: &str) -> PathBuf {
    let said = Command::new(COMPILER).arg(format!("-print-file-name={library}")).output();
    let said =
        said.unwrap_or_else(|error| panic!("{COMPILER}: {error}; apt-get install g++-aarch64-linux-gnu"));
    let path = PathBuf::from(String::from_utf8_lossy(&said.stdout).trim());
    path.parent().map(Path::to_owned).unwrap_or_default()
}

fn run(command: &mut Command) {
    let what = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => {
            panic!("{what}: {status}; picolibc is there? apt-get install picolibc-aarch64-linux-gnu")
        }
        Err(error) => {
            panic!("{what}: {error}; apt-get install g++-aarch64-linux-gnu picolibc-aarch64-linux-gnu")
        }
    }
}
