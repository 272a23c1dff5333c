//! Nodes in C++: compiled for the board, each linked to one object whose names are its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use tokkyu_msg::{cpp, usual};

const COMPILER: &str = "aarch64-linux-gnu-g++";
const LINKER: &str = "aarch64-linux-gnu-ld";
const OBJCOPY: &str = "aarch64-linux-gnu-objcopy";
/// What a board has not: shared objects, a stack's canary, names that all programs share, glibc's checks, other instructions for atomics.
const FLAGS: [&str; 12] = [
    "-std=c++17",
    "-Os",
    "-mcpu=cortex-a53",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-pic",
    "-fno-pie",
    "-fno-stack-protector",
    "-fno-gnu-unique",
    "-U_FORTIFY_SOURCE",
    "-mno-outline-atomics",
    "-ftls-model=local-exec",
];

/// Headers: roscpp's face, and messages.
pub(crate) struct Headers {
    face: PathBuf,
    messages: PathBuf,
}

impl Headers {
    /// Writes those of messages.
    pub(crate) fn make(out: &Path, more: &[String]) -> Headers {
        let definitions = tree().join("definitions");
        let mut wanted = usual(&definitions);
        for name in more {
            if let Err(error) = wanted.message_or_service(name) {
                panic!("{error}");
            }
        }
        let messages = out.join("messages");
        if let Err(error) = cpp::generate(&wanted, &messages) {
            panic!("headers of messages: {error}");
        }
        let face = tree().join("cpp/include");
        println!("cargo:rerun-if-changed={}", face.display());
        Headers { face, messages }
    }
}

/// A node.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) sources: Vec<PathBuf>,
}

impl Node {
    /// Compiles and links it; answers where it is.
    pub(crate) fn object(&self, headers: &Headers, out: &Path) -> PathBuf {
        let folder = out.join(&self.name);
        if let Err(error) = std::fs::create_dir_all(&folder) {
            panic!("{}: {error}", folder.display());
        }
        // Two sources may have one name, in two folders.
        let objects: Vec<PathBuf> = (0..)
            .zip(&self.sources)
            .map(|(at, source)| compile(source, headers, &folder.join(format!("{at}.o"))))
            .collect();
        let whole = out.join(format!("{}.o", self.name));
        // Groups of sections are told apart by names, which are the node's own from here on: there are none.
        run(Command::new(LINKER).args(["-r", "--force-group-allocation", "-o"]).arg(&whole).args(objects));
        let main = format!("{}_main", self.name);
        run(Command::new(OBJCOPY).arg("--redefine-sym").arg(format!("main={main}")).arg(&whole));
        run(Command::new(OBJCOPY).arg("--keep-global-symbol").arg(&main).arg(&whole));
        whole
    }
}

fn compile(source: &Path, headers: &Headers, object: &Path) -> PathBuf {
    println!("cargo:rerun-if-changed={}", source.display());
    let mut command = Command::new(COMPILER);
    command.args(FLAGS).arg("-I").arg(&headers.face).arg("-I").arg(&headers.messages);
    run(command.args(["-Wall", "-c"]).arg(source).arg("-o").arg(object));
    object.to_owned()
}

/// The folder `node/` of tokkyu.
fn tree() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn run(command: &mut Command) {
    let what = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{what}: {status}; what it says stands above"),
        Err(error) => {
            panic!("{what}: {error}; apt-get install g++-aarch64-linux-gnu picolibc-aarch64-linux-gnu")
        }
    }
}
