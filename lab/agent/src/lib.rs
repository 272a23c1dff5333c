//! What the lab and the first process of a virtual board say to each other.
//!
//! The lab writes a [`plan::Plan`] into the board's initial file system; the agent carries it out and writes a
//! [`report::Line`] for each finding to the serial console, one JSON object a line behind [`report::MARK`], as the kernel
//! writes there too. Which steps make an experiment is the lab's knowledge, how a step is done the agent's.
pub mod plan;
pub mod report;
