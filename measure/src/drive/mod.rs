//! Results of the remote-driving experiment: its case, the figures of a stream, and what is told of them.

mod beside;
mod case;
mod medians;
mod stream;
mod table;

pub use beside::{competition_table, series_lines};
pub use case::{CpuSeconds, DriveCase, Ideal};
pub use medians::medians;
pub use stream::{CAMERA_PREFIX, StreamResult};
pub use table::{case_title, drive_table, remarks, summary_line};
