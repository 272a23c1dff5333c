//! The contract's background flows of existing programs (LBE-110 to 112).

use std::fs;

use tokkyu_contract::Class;
use tokkyu_contract::yaml::Robot;
use tokkyu_contract::yaml::robot::{Flow as Declared, Matching};

use crate::Flow;
use crate::background::{BackgroundError, matching_group, new_group, take_process};
use crate::bpf::Fields;
use crate::flows::{FlowsError, add_flow};
use crate::record::Records;
use crate::status::name_of;
use crate::table::TableError;

/// Longest name of a process that the kernel keeps (`TASK_COMM_LEN`).
const LONGEST_NAME: usize = 15;

/// A flow cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum DeclaredError {
    /// As a flow of packets.
    #[error("flow {flow}: {source}")]
    Flow {
        /// Its name.
        flow: String,
        /// Why.
        source: FlowsError,
    },
    /// As one of a program.
    #[error("flow {flow}: {source}")]
    Program {
        /// Its name.
        flow: String,
        /// Why.
        source: BackgroundError,
    },
}

/// Sets up all background flows of a robot that belong to existing programs. What was done goes to `say`, a line for each.
///
/// # Errors
/// As [`DeclaredError`] says; the flows before it are set up.
pub fn set_up_declared(
    robot: &Robot,
    records: &Records,
    say: &mut dyn FnMut(&str),
) -> Result<(), DeclaredError> {
    let background = |flow: &&Declared| flow.class == Class::Background;
    for flow in robot.flows.iter().filter(background) {
        let Some(matching) = &flow.matching else { continue };
        let line = match &matching.process {
            None => packets(&flow.name, matching, records)?,
            Some(process) => program(&flow.name, process, matching, records)
                .map_err(|source| DeclaredError::Program { flow: flow.name.clone(), source })?,
        };
        say(&format!("{}: {line}", flow.name));
    }
    Ok(())
}

/// What [`set_up_declared`] would set up, a line for each flow.
pub fn foresee_declared(robot: &Robot) -> Vec<String> {
    let background = robot.flows.iter().filter(|flow| flow.class == Class::Background);
    let line = |flow: &Declared| {
        let matching = flow.matching.as_ref()?;
        let what = match &matching.process {
            None => format!("packets of {}", flow_of(matching)),
            Some(process) => format!("programs of the name {process}"),
        };
        Some(format!("{}: {what}", flow.name))
    };
    background.filter_map(line).collect()
}

/// The names of the two sides change: what the contract calls destination is the other end's.
fn flow_of(matching: &Matching) -> Flow {
    let Matching { dst_addr, dst_port, src_port, .. } = *matching;
    Flow { remote: dst_addr, remote_port: dst_port, local_port: src_port }.canonical()
}

fn packets(name: &str, matching: &Matching, records: &Records) -> Result<String, DeclaredError> {
    let flow = flow_of(matching);
    match add_flow(flow, records) {
        Ok(()) => Ok(format!("packets of {flow} are background")),
        Err(FlowsError::Table(TableError::Exists(_))) => {
            Ok(format!("packets of {flow} were background already"))
        }
        Err(source) => Err(DeclaredError::Flow { flow: name.to_owned(), source }),
    }
}

fn program(
    name: &str,
    process: &str,
    matching: &Matching,
    records: &Records,
) -> Result<String, BackgroundError> {
    let fields = Fields {
        destination: matching.dst_addr,
        destination_port: matching.dst_port,
        source_port: matching.src_port,
    };
    let found = processes(process);
    let whole = fields == Fields::default();
    let group = if whole {
        new_group(&format!("{}-flow-{name}", records.label()), records)?
    } else {
        matching_group(name, &fields, records)?
    };
    for process in &found {
        if whole { take_process(&group, *process)? } else { group.take(*process)? }
    }
    let what = if whole { "is background" } else { "is background in the packets that match" };
    Ok(match found.len() {
        0 => format!("no process {process} runs; start it by tokkyu lbe run, or it by itself and this again"),
        count => format!(
            "{process} {what} ({count} found); connections it has already stay as they were, until it is started again"
        ),
    })
}

/// Processes with this name, as the kernel keeps it.
fn processes(name: &str) -> Vec<i32> {
    let cut = name.get(..LONGEST_NAME).unwrap_or(name);
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|process| name_of(*process).as_deref() == Some(cut)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contracts_destination_is_the_other_end() {
        let matching = Matching { dst_port: Some(443), src_port: Some(5000), ..Matching::default() };
        assert_eq!(flow_of(&matching).to_string(), "*:443,5000");
    }

    #[test]
    fn processes_are_found_by_the_name_that_the_kernel_keeps() {
        let own = name_of(std::process::id().cast_signed()).unwrap();
        assert!(processes(&own).contains(&std::process::id().cast_signed()));
        assert!(processes(&format!("{own:-<16}")).is_empty() || own.len() == LONGEST_NAME);
    }
}
