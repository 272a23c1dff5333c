//! What several fuzz targets and the maker of the seeds share.

mod scratch;
mod script;

pub use scratch::ScratchFile;
pub use script::{Happening, Step, push_step, session_config, steps};
