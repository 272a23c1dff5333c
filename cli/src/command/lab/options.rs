//! The options that every experiment has.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, value_parser};

use crate::exit::Failure;
use crate::output::Json;

/// The options that every experiment has.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every experiment")]
pub struct Options {
    /// Repetitions of everything; if not given 20 of lbe and local, 10 of dualos, 3 of rtnet, 1 of drive and bridge
    #[arg(
        long,
        value_name = "N",
        aliases = ["repeat", "repeats", "rounds"],
        value_parser = value_parser!(u32).range(1..=1_000)
    )]
    pub runs: Option<u32>,
    /// Seed of whatever is drawn: loss, pauses, order
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for the result, its report and raw records; results/NAME-DATE if not given
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Continue in the folder of an earlier run: what it finished is not run again, unless a file or an option that it depends on has
    /// changed since
    #[arg(long, requires = "out")]
    pub resume: bool,
    #[command(flatten)]
    pub json: Json,
    /// Print the report as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Exit with 1 if a goal is missed
    #[arg(long)]
    pub gate: bool,
}

/// Flags with their words, in which none may stand twice: the same case twice has the same seed, so it is no second run.
pub fn refuse_repeated(words: impl IntoIterator<Item = (&'static str, String)>) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    match words.into_iter().find(|word| !seen.insert(word.clone())) {
        Some((flag, word)) => Err(Failure::usage(format_args!(
            "{flag}: {word} is given twice; give it once, and --runs for repetitions"
        ))),
        None => Ok(()),
    }
}
