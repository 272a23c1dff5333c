//! Measurement of tokkyu: figures from latencies, raw records of each sample, the environment, result files, and
//! tables and reports drawn from them.
//!
//! The path of a measurement, which is also the order of the modules:
//!
//! ```text
//! sender   ─ record ─┐                       environment ─┐
//!                    join → tally (figures) → result (verdict) → table, report
//! receiver ─ record ─┘                        paper ──────────────┘
//! ```
//!
//! Nothing here runs on a real-time thread and nothing reads a clock: times come in as values of
//! `tokkyu_contract::time`. SPEC.md in this folder numbers the rules (MEA-n) that code and tests cite.

pub mod bridge;
pub mod comparison;
pub mod competition;
pub mod contest;
pub mod drive;
pub mod dualos;
pub mod environment;
pub mod figures;
pub mod join;
pub mod lbe;
pub mod local;
pub mod paper;
pub mod record;
pub mod repetitions;
pub mod report;
pub mod result;
pub mod rtnet;
pub mod rtos;
pub mod storage;
pub mod study;
pub mod table;
pub mod ttsp;
pub mod verdict;

pub use comparison::{Comparison, is_comparison};
pub use competition::{BesideFlow, ImagesRate, PathFacts, Rate};
pub use contest::{PeerSettings, Skipped};
pub use drive::{CpuSeconds, DriveCase, Ideal, StreamResult};
pub use environment::{Environment, GitState, Given, Sources};
pub use figures::{Figures, Inside, Summary};
pub use join::{Anomaly, AnomalyKind, Joined, StreamTally, Tally, join, tally};
pub use record::{ParseError, Record, RecordError, RecordWriter};
pub use result::{Fault, ResultError, ResultFile};
pub use storage::StorageError;
pub use study::{Experiment, Goal, Report, ReportError};
pub use verdict::Verdict;
