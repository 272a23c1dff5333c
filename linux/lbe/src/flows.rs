//! Flows that are background by what their packets say, by whatever ways there are: the module's table, HTB's filters.

use crate::Flow;
use crate::htb;
use crate::module;
use crate::record::{Record, Records};
use crate::table::{FlowTable, TableError};
use crate::tune::{TuneError, Way};

/// A flow cannot be added, removed or told.
#[derive(Debug, thiserror::Error)]
pub enum FlowsError {
    /// The module refuses.
    #[error(transparent)]
    Table(#[from] TableError),
    /// HTB, or what is written down of it.
    #[error(transparent)]
    Tune(#[from] TuneError),
    /// Nobody would look at it.
    #[error(
        "nothing here looks at flows: neither is the module loaded nor a device set up; set one up first: tokkyu lbe tune"
    )]
    NoWay,
}

/// Makes a flow background.
///
/// # Errors
/// As [`FlowsError`] says.
pub fn add_flow(flow: Flow, records: &Records) -> Result<(), FlowsError> {
    change(records, &|table| table.add(flow), &|known| {
        if known.contains(&flow) {
            return Err(TableError::Exists(flow));
        }
        known.push(flow);
        Ok(())
    })
}

/// Makes it foreground again.
///
/// # Errors
/// As [`FlowsError`] says.
pub fn remove_flow(flow: Flow, records: &Records) -> Result<(), FlowsError> {
    change(records, &|table| table.remove(flow), &|known| {
        let before = known.len();
        known.retain(|other| *other != flow);
        if known.len() == before { Err(TableError::Absent(flow)) } else { Ok(()) }
    })
}

/// All that are background.
///
/// # Errors
/// The module does not tell.
pub fn flows(records: &Records) -> Result<Vec<Flow>, FlowsError> {
    let mut all = if module::is_loaded() { FlowTable::open()?.flows()? } else { Vec::new() };
    all.extend(htb_devices(records).iter().flat_map(|(_, record)| record.flows()));
    all.sort();
    all.dedup();
    Ok(all)
}

fn htb_devices(records: &Records) -> Vec<(String, Record)> {
    records.all().into_iter().filter(|(_, record)| record.way == Way::Htb).collect()
}

fn change(
    records: &Records,
    in_table: &dyn Fn(&mut FlowTable) -> Result<(), TableError>,
    in_list: &dyn Fn(&mut Vec<Flow>) -> Result<(), TableError>,
) -> Result<(), FlowsError> {
    let devices = htb_devices(records);
    if devices.is_empty() && !module::is_loaded() {
        return Err(FlowsError::NoWay);
    }
    if module::is_loaded() {
        in_table(&mut FlowTable::open()?)?;
    }
    for (device, mut record) in devices {
        let mut known: Vec<Flow> = record.flows().collect();
        in_list(&mut known)?;
        record.flows = known.iter().map(Flow::to_string).collect();
        records.keep(&device, &record).map_err(TuneError::from)?;
        htb::set_flows(&device, &known)
            .map_err(|source| TuneError::Htb { device: device.clone(), source })?;
    }
    Ok(())
}
