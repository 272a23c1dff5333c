//! `tokkyu lab`: experiments. Each has its own flags in a file of its own; what all have is in `options.rs`, and how all are run, told of and
//! kept in `run.rs`.

#[cfg(feature = "bridge")]
mod bridge;
mod drive;
mod drives;
mod dualos;
mod lbe;
mod local;
mod options;
mod peers;
mod rtnet;
mod rtos;
mod run;
mod tell;
mod ttsp;
mod wire;

use clap::Subcommand;
use tokkyu_drive::program::StopFlag;

use crate::exit::Done;

#[derive(Debug, Subcommand)]
pub enum Lab {
    Drive(Box<drive::LabDrive>),
    #[cfg(feature = "bridge")]
    Bridge(Box<bridge::LabBridge>),
    Dualos(Box<dualos::LabDualos>),
    Lbe(Box<lbe::LabLbe>),
    Local(Box<local::LabLocal>),
    Rtnet(Box<rtnet::LabRtnet>),
    Rtos(Box<rtos::LabRtos>),
    Ttsp(Box<ttsp::LabTtsp>),
    Wire(Box<wire::LabWire>),
}

impl Lab {
    /// Whether it runs over the wire between two namespaces.
    pub fn needs_wire(&self) -> bool {
        match self {
            Lab::Drive(drive) => drive.needs_wire(),
            #[cfg(feature = "bridge")]
            Lab::Bridge(_) => true,
            Lab::Wire(_) => true,
            Lab::Dualos(_) | Lab::Lbe(_) | Lab::Local(_) | Lab::Rtnet(_) | Lab::Rtos(_) | Lab::Ttsp(_) => {
                false
            }
        }
    }

    pub fn run(self, stop: &StopFlag) -> Done {
        match self {
            Lab::Drive(drive) => drive.run(stop),
            #[cfg(feature = "bridge")]
            Lab::Bridge(bridge) => bridge.run(stop),
            Lab::Dualos(dualos) => dualos.run(stop),
            Lab::Lbe(lbe) => lbe.run(stop),
            Lab::Local(local) => local.run(stop),
            Lab::Rtnet(rtnet) => rtnet.run(stop),
            Lab::Rtos(rtos) => rtos.run(stop),
            Lab::Ttsp(ttsp) => ttsp.run(stop),
            Lab::Wire(wire) => wire.run(),
        }
    }
}
