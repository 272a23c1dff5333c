//! For build scripts of images for a board (`tokkyu_board::board!`). On any other target they do nothing.
//!
//! ```no_run
//! tokkyu_board_build::image().cpp("listener", &["src/listener.cpp"]).build();
//! ```

mod cpp;
mod flows;

use std::path::{Path, PathBuf};

/// What an image is built of, beside Rust.
#[derive(Debug, Default)]
pub struct Image {
    nodes: Vec<cpp::Node>,
    messages: Vec<String>,
    robot: Option<PathBuf>,
}

/// An image without nodes in C++.
pub fn image() -> Image {
    Image::default()
}

impl Image {
    /// A node in C++ of these sources, with a `main`, which `board!` has as `NAME_main`. It is a program of its own: its variables are not those
    /// of another node.
    pub fn cpp(mut self, name: &str, sources: &[impl AsRef<Path>]) -> Image {
        let sources = sources.iter().map(|source| source.as_ref().to_owned()).collect();
        self.nodes.push(cpp::Node { name: name.to_owned(), sources });
        self
    }

    /// A message or service besides those that most nodes use, for headers: `PACKAGE/NAME`, found by `ROS_PACKAGE_PATH`.
    pub fn message(mut self, name: &str) -> Image {
        self.messages.push(name.to_owned());
        self
    }

    /// The file that declares the robot's flows, from the package's folder: `flows: tokkyu_board::flows!()` of `board!` has them.
    pub fn robot(mut self, path: impl AsRef<Path>) -> Image {
        self.robot = Some(path.as_ref().to_owned());
        self
    }

    /// Tells cargo how to link the image.
    ///
    /// # Panics
    ///
    /// It cannot be built: words say why, and what to install. Cargo shows them.
    pub fn build(self) {
        if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none") {
            return;
        }
        let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says it"));
        if let Some(robot) = &self.robot {
            flows::build_in(robot, &out.join("flows.rs"));
        }
        let script = if self.nodes.is_empty() { "board.ld" } else { "board-cpp.ld" };
        println!("cargo:rustc-link-arg-bins=-T{script}");
        if self.nodes.is_empty() {
            return;
        }
        // Nothing is relocated when the image starts.
        println!("cargo:rustc-link-arg-bins=-znorelro");
        // The unwinder looks frames up in it.
        println!("cargo:rustc-link-arg-bins=--eh-frame-hdr");
        // Behind all else: functions of memory are to be Rust's, without floating-point registers, as handlers call them too.
        println!("cargo:rustc-link-arg-bins={PICOLIBC}");
        let headers = cpp::Headers::make(&out, &self.messages);
        for node in &self.nodes {
            println!("cargo:rustc-link-arg-bins={}", node.object(&headers, &out).display());
        }
    }
}

/// The C library, as Debian installs it.
const PICOLIBC: &str = "/usr/lib/picolibc/aarch64-linux-gnu/lib/release/libc.a";
