//! What goes into a board's initial file system.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::BoardError;
use super::initramfs::Archive;
use super::kernel::Kernel;
use super::{Plan, Step};
use tokkyu_agent::plan::PATH;

/// Programs of this machine that boards use, and the package that brings each.
const PROGRAMS: [(&str, &str); 2] = [("ip", "iproute2"), ("tc", "iproute2")];
/// More of them, on boards whose plan names them.
const TOOLS: [(&str, &str); 3] = [("iperf3", "iperf3"), ("sockperf", "sockperf"), ("cyclictest", "rt-tests")];
/// The upload over LEDBAT, on boards whose plan starts it; `bench/ledbat/build` makes it.
pub const LEDBAT: &str = "ledbat";
/// Where the agent tells `tc` to look for what knows the options of a queueing discipline.
const TC_PLUGINS: &str = "usr/lib/tc";

/// Path on the board, and content.
pub(super) type Content = (String, Vec<u8>);

/// Writes the initial file system for one start of a board.
pub(super) fn write(content: &[Content], path: &Path) -> Result<(), BoardError> {
    let unwritable = |source| BoardError::Folder { path: path.to_owned(), source };
    let file = fs::File::create(path).map_err(unwritable)?;
    let mut archive = Archive::new(io::BufWriter::new(file));
    for (name, bytes) in content {
        archive.file(name, bytes).map_err(unwritable)?;
    }
    for folder in ["proc", "sys", "dev", "run", "tmp"] {
        archive.folder(folder).map_err(unwritable)?;
    }
    archive.finish().map_err(unwritable)?;
    Ok(())
}

/// All files of one start, in the order of the archive.
pub(super) fn contents(kernel: &Kernel, plan: &Plan) -> Result<Vec<Content>, BoardError> {
    let agent = agent(kernel)?;
    let mut all = vec![("init".to_owned(), agent.clone()), ("bin/agent".to_owned(), agent)];
    all.push((
        PATH.to_owned(),
        serde_json::to_vec(plan)
            .map_err(|error| BoardError::Folder { path: PATH.into(), source: error.into() })?,
    ));
    add_folder(&kernel.modules(), "modules", &mut all)?;
    let mut libraries = BTreeSet::new();
    let tools = TOOLS.into_iter().filter(|(program, _)| names(plan, program));
    for (program, package) in PROGRAMS.into_iter().chain(tools) {
        let missing = |source| BoardError::NoProgram { program, package, source };
        let path = in_path(program).map_err(missing)?;
        libraries.extend(libraries_of(&path).map_err(missing)?);
        all.push((format!("bin/{program}"), fs::read(&path).map_err(missing)?));
    }
    if names(plan, LEDBAT) {
        let path = kernel.boards().join(LEDBAT);
        let missing = |source| BoardError::NoLedbat { path: path.clone(), source };
        libraries.extend(libraries_of(&path).map_err(missing)?);
        all.push((format!("bin/{LEDBAT}"), fs::read(&path).map_err(missing)?));
    }
    for library in libraries {
        let bytes =
            fs::read(&library).map_err(|source| BoardError::Missing { path: library.clone(), source })?;
        all.push((library.display().to_string(), bytes));
    }
    let plugins = kernel.boards().join("tc");
    if plugins.is_dir() {
        add_folder(&plugins, TC_PLUGINS, &mut all)?;
    }
    Ok(all)
}

fn names(plan: &Plan, program: &str) -> bool {
    plan.steps.iter().any(|step| match step {
        Step::Start { argv, .. } | Step::Run { argv, .. } => argv.iter().any(|word| word == program),
        _ => false,
    })
}

fn agent(kernel: &Kernel) -> Result<Vec<u8>, BoardError> {
    let path = kernel.boards().join("agent");
    fs::read(&path).map_err(|source| BoardError::NoAgent { path, source })
}

fn add_folder(folder: &Path, to: &str, all: &mut Vec<Content>) -> Result<(), BoardError> {
    let missing = |source| BoardError::Missing { path: folder.to_owned(), source };
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).map_err(missing)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    // The same archive for the same files: its layout is part of what a counted run repeats.
    files.sort();
    for file in files.iter().filter(|file| file.is_file()) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = fs::read(file).map_err(|source| BoardError::Missing { path: file.clone(), source })?;
        all.push((format!("{to}/{name}"), bytes));
    }
    Ok(())
}

/// Also where only root looks.
fn in_path(program: &str) -> io::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::env::split_paths(&path).chain(["/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(PathBuf::from));
    let mut candidates = folders.map(|folder| folder.join(program));
    candidates.find(|file| file.is_file()).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// What the dynamic linker would load, itself among it: the absolute paths that `ldd` prints.
fn libraries_of(program: &Path) -> io::Result<Vec<PathBuf>> {
    let output = Command::new("ldd").arg(program).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from).collect())
}
