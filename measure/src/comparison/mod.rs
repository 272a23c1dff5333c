//! Our link beside the programs of others: one table for each network, the paper's figures below it, and whether what the
//! project set out to reach was reached.
//!
//! Runs in the tool after a run. Invariants: text, Markdown and HTML show the same cells; every figure is the median of the
//! runs that count, over the images of all cameras taken together; what did not run is said, never left away. Rules:
//! SPEC.md MEA-70 to MEA-78.

mod contender;
mod goals;
mod quoted;
#[cfg(test)]
mod tests;
mod words;

pub use contender::Contender;
pub use goals::{Goal, Judgement};
pub(crate) use words::{HOW_TO_READ, left_out};
pub use words::{markdown, text};

use crate::result::{DriveCase, ResultFile};
use crate::table::Table;

/// What a case's `peer` is for our own link.
pub const OURS: &str = "tokkyu";

/// The same for our link between ROS 2 bridges: ours too, but measured from DDS writer to DDS reader.
pub const BRIDGED: &str = "tokkyu-bridge";

/// Whether a case's `peer` is somebody else, whom we are compared with.
fn is_rival(peer: &str) -> bool {
    peer != OURS && peer != BRIDGED
}

/// All cases of a result, compared.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The result.
    pub file: &'a ResultFile<DriveCase>,
    /// One part for each network and number of cameras, in the order they were run.
    pub networks: Vec<OnNetwork<'a>>,
}

/// Everybody who ran over one network, with so many cameras.
#[derive(Clone, Debug)]
pub struct OnNetwork<'a> {
    /// Its name.
    pub network: &'a str,
    /// Cameras.
    pub images: u32,
    /// Best first: who delivered everything by their mean, then the others by what they missed (MEA-73).
    pub contenders: Vec<Contender<'a>>,
}

/// Whether a result has others beside us: then a comparison says more than a table for each case.
pub fn is_comparison(cases: &[DriveCase]) -> bool {
    cases.iter().any(|case| is_rival(&case.peer))
}

impl<'a> Comparison<'a> {
    /// Puts the cases of a result side by side.
    pub fn of(file: &'a ResultFile<DriveCase>) -> Self {
        let mut places: Vec<(&str, u32)> = Vec::new();
        for case in &file.cases {
            let place = (case.network.as_str(), case.images);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let on = |(network, images)| {
            let here = file.cases.iter().filter(move |case| case.network == network && case.images == images);
            OnNetwork { network, images, contenders: Contender::all(here) }
        };
        Comparison { file, networks: places.into_iter().map(on).collect() }
    }

    /// What the project set out to reach, judged by these figures.
    pub fn goals(&self) -> Vec<Goal> {
        goals::goals(self)
    }

    fn on(&self, network: &str) -> Option<&OnNetwork<'a>> {
        self.networks.iter().find(|part| part.network == network)
    }
}

impl<'a> OnNetwork<'a> {
    /// Which network, in a few words.
    pub fn title(&self) -> String {
        format!("{}, {} image{}", self.network, self.images, if self.images == 1 { "" } else { "s" })
    }

    /// One row for each contender, and below them the paper's, where it measured this network.
    pub fn table(&self) -> Table {
        let rows = self.contenders.iter().map(Contender::row).chain(quoted::rows(self));
        Table { header: contender::HEADER.to_vec(), rows: rows.collect() }
    }

    /// Our link with a lifespan, as the project means it to be used.
    pub fn link(&self) -> Option<&Contender<'a>> {
        self.contenders.iter().find(|contender| contender.is_link())
    }

    /// Everybody who is not us.
    pub fn peers(&self) -> impl Iterator<Item = &Contender<'a>> {
        self.contenders.iter().filter(|contender| is_rival(contender.peer()))
    }
}
