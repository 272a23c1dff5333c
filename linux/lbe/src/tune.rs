//! Setting a device up so that it keeps background packets back, and taking that back (LBE-100 to 105).
//!
//! ```text
//!                 tune, run: module there           tune, run: no module, a rate stated
//!   as it was ──────────────────────────► module      as it was ─────────────────────────► htb
//!       ▲                 revert, end of the last run that set it up                         │
//!       └────────────────────────────────────────────────────────────────────────────────────┘
//! ```

use serde::{Deserialize, Serialize};
use tokkyu_contract::units::BitRate;

use crate::htb::{self, HtbError};
use crate::module::{self, NoModule};
use crate::qdisc::{HANDLE, LBE, QdiscOptions, RootQdisc, TrafficControl};
use crate::record::{Owner, Record, RecordError, Records};
use tokkyu_netlink::NetlinkError;

/// How a device keeps background packets back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// The qdisc `lbe`.
    Module,
    /// HTB at a stated rate.
    Htb,
}

impl Way {
    /// As people write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Way::Module => "module",
            Way::Htb => "htb",
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only this way; `None`: the best that can be had.
    pub way: Option<Way>,
    /// The link's rate, for [`Way::Htb`].
    pub rate: Option<BitRate>,
    /// Of the qdisc `lbe`.
    pub options: QdiscOptions,
    /// Replace a root qdisc that somebody has set up.
    pub replace: bool,
}

/// A device cannot be set up, or not as asked.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// No way can be had.
    #[error(
        "{device} is left as it is: {because}; without the module the link's rate is needed: --rate, somewhat below what it \
         carries at its worst"
    )]
    NoWay {
        /// Of the device.
        device: String,
        /// Why not the module.
        because: NoModule,
    },
    /// The module alone was asked for.
    #[error("{0}")]
    NoModule(#[from] NoModule),
    /// HTB alone was asked for, without its rate.
    #[error("HTB needs the link's rate: --rate, somewhat below what {0} carries at its worst")]
    NoRate(String),
    /// Somebody else's.
    #[error(
        "{device} has a qdisc that somebody set up ({kind} {handle:x}:), which could not be brought back; to replace it all the \
         same: --replace"
    )]
    Occupied {
        /// Of the device.
        device: String,
        /// Of its qdisc.
        kind: String,
        /// Its major number.
        handle: u32,
    },
    /// Nothing to take back.
    #[error("{0} was not set up by tokkyu; its root qdisc is left as it is")]
    NotOurs(String),
    /// The kernel refuses.
    #[error("{device}: {source}")]
    Kernel {
        /// Of the device.
        device: String,
        /// Why.
        source: NetlinkError,
    },
    /// `tc` or the kernel refuses.
    #[error("{device}: {source}")]
    Htb {
        /// Of the device.
        device: String,
        /// Why.
        source: HtbError,
    },
    /// It could not be written down, so nothing was set up.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// A device that keeps background packets back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuned {
    /// Which way.
    pub way: Way,
    /// Whether it did so before.
    pub was_there: bool,
    /// What is to be known of it, for people.
    pub notes: Vec<String>,
}

/// Sets a device up, or changes what was set up.
///
/// # Errors
/// As [`TuneError`] says; the device is then as it was.
pub fn tune(device: &str, wanted: &Wanted, by: Owner, records: &Records) -> Result<Tuned, TuneError> {
    let control = open(device)?;
    let root = control.root(device).map_err(|source| kernel(device, source))?;
    let way = choose(device, wanted, root.as_ref(), module::load)?;
    refuse_occupied(device, wanted, root.as_ref())?;
    let known = records.of(device).filter(|_| is_ours(root.as_ref()));
    let record = record(way, wanted, by, known.as_ref(), root.as_ref());
    // Before it is set up: what is written down and not there can be taken back, the other way round it cannot.
    records.keep(device, &record)?;
    if let Err(error) = set_up(&control, device, wanted, &record, root.as_ref()) {
        match known {
            Some(known) => records.keep(device, &known)?,
            None => records.forget(device),
        }
        return Err(error);
    }
    let notes = notes(device, &record, root.as_ref());
    Ok(Tuned { way, was_there: is_ours(root.as_ref()), notes })
}

/// What [`tune`] would do now: no module is loaded, nothing is set up or written down (LBE-106).
///
/// # Errors
/// As far as it can be known without trying: no way can be had, somebody else has set the device up, there is none.
pub fn foresee(device: &str, wanted: &Wanted, records: &Records) -> Result<Tuned, TuneError> {
    let root = open(device)?.root(device).map_err(|source| kernel(device, source))?;
    let way = choose(device, wanted, root.as_ref(), module::find)?;
    refuse_occupied(device, wanted, root.as_ref())?;
    let known = records.of(device).filter(|_| is_ours(root.as_ref()));
    let record = record(way, wanted, Owner::Tune, known.as_ref(), root.as_ref());
    if way == Way::Htb && record.rate.is_none() {
        return Err(TuneError::NoRate(device.to_owned()));
    }
    Ok(Tuned { way, was_there: is_ours(root.as_ref()), notes: notes(device, &record, root.as_ref()) })
}

/// What is written down: what was known of the device, with what is asked for now.
fn record(way: Way, wanted: &Wanted, by: Owner, known: Option<&Record>, root: Option<&RootQdisc>) -> Record {
    let asked = wanted.rate.filter(|_| way == Way::Htb).map(|rate| rate.0);
    Record {
        way,
        rate: asked.or(known.and_then(|known| known.rate)),
        by: known.map_or(by, |known| if by == Owner::Tune { by } else { known.by }),
        former: known.map_or_else(|| former(root), |known| known.former.clone()),
        flows: known.map(|known| known.flows.clone()).unwrap_or_default(),
    }
}

/// Brings a device back. The kernel puts its own default there.
///
/// # Errors
/// Somebody else has set it up; the kernel refuses.
pub fn untune(device: &str, records: &Records) -> Result<(), TuneError> {
    let control = open(device)?;
    if foresee_untune(device, records)? == Untune::Remove {
        control.remove_root(device).map_err(|source| kernel(device, source))?;
    }
    records.forget(device);
    Ok(())
}

/// How a device is brought back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untune {
    /// Its qdisc is removed.
    Remove,
    /// Its qdisc is gone already; what is written down of it is forgotten.
    Forget,
}

/// What [`untune`] would do now; nothing is changed (LBE-106).
///
/// # Errors
/// Somebody else has set it up; the kernel refuses to tell.
pub fn foresee_untune(device: &str, records: &Records) -> Result<Untune, TuneError> {
    let root = open(device)?.root(device);
    let is_known = records.of(device).is_some();
    // A device that is gone has taken its qdisc with it.
    if is_known && root.as_ref().is_err_and(|error| error.code() == Some(libc::ENODEV)) {
        return Ok(Untune::Forget);
    }
    match root.map_err(|source| kernel(device, source))? {
        root if is_ours(root.as_ref()) => Ok(Untune::Remove),
        _ if is_known => Ok(Untune::Forget),
        _ => Err(TuneError::NotOurs(device.to_owned())),
    }
}

/// Whether a root qdisc is one that is set up here.
pub fn is_ours(root: Option<&RootQdisc>) -> bool {
    way_of(root).is_some()
}

/// Which way a root qdisc is.
pub fn way_of(root: Option<&RootQdisc>) -> Option<Way> {
    match root {
        Some(root) if root.kind == LBE => Some(Way::Module),
        Some(root) if root.kind == "htb" && root.handle == HANDLE => Some(Way::Htb),
        _ => None,
    }
}

fn open(device: &str) -> Result<TrafficControl, TuneError> {
    TrafficControl::open().map_err(|source| kernel(device, source))
}

fn kernel(device: &str, source: NetlinkError) -> TuneError {
    TuneError::Kernel { device: device.to_owned(), source }
}

fn choose(
    device: &str,
    wanted: &Wanted,
    root: Option<&RootQdisc>,
    have_module: fn() -> Result<(), NoModule>,
) -> Result<Way, TuneError> {
    match (wanted.way, way_of(root)) {
        (Some(Way::Htb), there) if wanted.rate.is_some() || there == Some(Way::Htb) => Ok(Way::Htb),
        (Some(Way::Htb), _) => Err(TuneError::NoRate(device.to_owned())),
        (Some(Way::Module), _) => Ok(have_module().map(|()| Way::Module)?),
        (None, Some(there)) => Ok(there),
        (None, None) => match have_module() {
            Ok(()) => Ok(Way::Module),
            Err(_) if wanted.rate.is_some() => Ok(Way::Htb),
            Err(because) => Err(TuneError::NoWay { device: device.to_owned(), because }),
        },
    }
}

fn refuse_occupied(device: &str, wanted: &Wanted, root: Option<&RootQdisc>) -> Result<(), TuneError> {
    match root {
        Some(root) if root.was_set_up() && !is_ours(Some(root)) && !wanted.replace => {
            Err(TuneError::Occupied {
                device: device.to_owned(),
                kind: root.kind.clone(),
                handle: root.handle >> 16,
            })
        }
        _ => Ok(()),
    }
}

fn former(root: Option<&RootQdisc>) -> Option<String> {
    root.filter(|root| root.was_set_up() && !is_ours(Some(root))).map(|root| root.kind.clone())
}

fn set_up(
    control: &TrafficControl,
    device: &str,
    wanted: &Wanted,
    record: &Record,
    root: Option<&RootQdisc>,
) -> Result<(), TuneError> {
    if way_of(root).is_some_and(|there| there != record.way) {
        // A handle cannot change its kind.
        control.remove_root(device).map_err(|source| kernel(device, source))?;
    }
    match (record.way, record.bit_rate()) {
        (Way::Module, _) => control.set_lbe(device, &wanted.options).map_err(|source| kernel(device, source)),
        (Way::Htb, Some(rate)) => {
            let is_there = way_of(root) == Some(Way::Htb);
            let flows: Vec<_> = record.flows().collect();
            let done = htb::set_up(device, rate, &flows, is_there);
            if done.is_err() && !is_there {
                // Half of it is worse than nothing. Fails where the root itself was refused.
                let _ = control.remove_root(device);
            }
            done.map_err(|source| TuneError::Htb { device: device.to_owned(), source })
        }
        (Way::Htb, None) => Err(TuneError::NoRate(device.to_owned())),
    }
}

fn notes(device: &str, record: &Record, root: Option<&RootQdisc>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(former) = former(root) {
        notes.push(format!(
            "{former}, which somebody had set up on {device}, is gone; tokkyu cannot bring it back"
        ));
    }
    if record.way == Way::Module && root.is_some_and(|root| root.kind == "mq") {
        notes.push(format!("the send queues of {device} share one qdisc now, and its lock"));
    }
    if let (Way::Htb, Some(rate)) = (record.way, record.bit_rate()) {
        notes.extend(htb::limits(rate));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(kind: &str, handle: u32) -> RootQdisc {
        RootQdisc { kind: kind.to_owned(), handle, options: None, gate: None }
    }

    #[test]
    fn somebody_elses_qdisc_is_not_replaced_unasked() {
        let cake = root("cake", 0x8001_0000);
        let asked = Wanted { replace: true, ..Wanted::default() };
        let error = refuse_occupied("eth0", &Wanted::default(), Some(&cake)).unwrap_err().to_string();
        assert!(error.contains("cake 8001:") && error.contains("--replace"), "{error}");
        assert!(refuse_occupied("eth0", &asked, Some(&cake)).is_ok());
        for free in [root("fq_codel", 0), root("lbe", 0x8001_0000), root("htb", HANDLE)] {
            assert!(refuse_occupied("eth0", &Wanted::default(), Some(&free)).is_ok(), "{}", free.kind);
        }
        assert!(refuse_occupied("eth0", &Wanted::default(), Some(&root("htb", 0x1_0000))).is_err());
    }

    #[test]
    fn htb_is_not_chosen_without_a_rate() {
        let wanted = Wanted { way: Some(Way::Htb), ..Wanted::default() };
        assert!(matches!(choose("eth0", &wanted, None, module::find), Err(TuneError::NoRate(_))));
        let wanted = Wanted { rate: Some(BitRate(1)), ..wanted };
        assert_eq!(choose("eth0", &wanted, None, module::find).unwrap(), Way::Htb);
    }
}
