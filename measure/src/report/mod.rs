//! What is told of each experiment, and pages: one HTML file that needs nothing else.
//!
//! Runs in the tool after a run. Each experiment makes one [`Report`](crate::study::Report), of its cases and, where there are some, their
//! raw records; it is written as text, as Markdown or as a page. Invariants: the page refers to no other file or host; all text from outside is
//! escaped; plots are drawn from the records and the table from the case, and where the two disagree the page says
//! so. Size is bounded by the plots' columns, not by the samples. Rules: SPEC.md MEA-60 to MEA-69, MEA-89 to MEA-93.

mod axis;
mod bridge;
mod contest;
mod contest_curves;
mod distribution;
mod drawings;
mod drive;
mod dualos;
mod dualos_plots;
mod html;
mod known;
mod lbe;
mod local;
mod local_plot;
mod plot;
mod raw;
mod rtnet;
mod rtnet_plots;
mod rtos;
mod stroke;
mod timeline;
mod ttsp;
mod whole;

pub use bridge::Bridge;
pub use drawings::drawings;
pub use drive::{Drive, report_with};
pub use dualos::Dualos;
pub use known::{Form, RenderError, render};
pub use lbe::Lbe;
pub use local::Local;
pub use raw::Raw;
pub use rtnet::Rtnet;
pub use rtos::Rtos;
pub use ttsp::Ttsp;
pub use whole::page;
