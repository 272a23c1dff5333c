//! Modules of the board's kernel.

use std::ffi::CString;
use std::fs;

use nix::errno::Errno;
use nix::kmod::{ModuleInitFlags, finit_module};

const FOLDER: &str = "/modules";

/// Loads a module by its file.
pub fn load(file: &str, parameters: &str) -> Result<(), String> {
    insert(file, parameters)?.map_err(|error| format!("{file}: {error}"))
}

/// Loads a module of the distribution by its name, and before it what it needs.
pub fn load_with_needed(name: &str) -> Result<(), String> {
    let path = format!("{FOLDER}/order");
    let order = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let files = needed(&order, name).ok_or_else(|| format!("{path}: no module {name} in it"))?;
    files.into_iter().try_for_each(|file| match insert(file, "")? {
        Ok(()) | Err(Errno::EEXIST) => Ok(()),
        Err(error) => Err(format!("{file}: {error}")),
    })
}

/// The files of a line `name: first.ko second.ko`, in the order in which they are to be loaded.
fn needed<'a>(order: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let files = order.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(files.split_whitespace().collect())
}

fn insert(file: &str, parameters: &str) -> Result<nix::Result<()>, String> {
    let path = format!("{FOLDER}/{file}");
    let module = fs::File::open(&path).map_err(|error| format!("{path}: {error}"))?;
    let parameters = CString::new(parameters).map_err(|error| format!("{file}: {error}"))?;
    Ok(finit_module(&module, &parameters, ModuleInitFlags::empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_found_by_its_whole_name() {
        let order = "bridge_more: x.ko\nbridge: llc.ko stp.ko bridge.ko\nsch_htb: sch_htb.ko\n";
        assert_eq!(needed(order, "bridge"), Some(vec!["llc.ko", "stp.ko", "bridge.ko"]));
        assert_eq!(needed(order, "sch"), None);
    }
}
