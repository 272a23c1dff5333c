//! The cases of a result, by network.

use crate::drive::DriveCase;
use crate::result::ResultFile;

use super::contender::Contender;
use super::who::is_rival;

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

    pub(super) fn on(&self, network: &str) -> Option<&OnNetwork<'a>> {
        self.networks.iter().find(|part| part.network == network)
    }
}

impl<'a> OnNetwork<'a> {
    /// Which network, in a few words.
    pub fn title(&self) -> String {
        format!("{}, {} image{}", self.network, self.images, if self.images == 1 { "" } else { "s" })
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
