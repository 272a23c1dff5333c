//! The ends that the vehicle serves beside the first: a link, a key and a rate of each one's own. SPEC.md DRV-128, DRV-129.
//!
//! Held by the main thread. What comes of an other end's pictures is in no book: only whether the driver's are lost
//! matters, whoever drives.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokkyu_contract::yaml::others::{Other, Right};
use tokkyu_contract::yaml::robot::Flow;
use tokkyu_contract::{Class, Outcome};
use tokkyu_link::carrier::{CloseReason, TrustStore};
use tokkyu_link::core::{Event, Way};
use tokkyu_link::runtime::site::SiteError;
use tokkyu_link::runtime::{Link, LinkEvent, LinkState, Role};

use super::commands::Post;
use crate::program::wiring;
use crate::program::{Copy, DriveError, EndOptions, GateTeller, Session};

/// What the main thread keeps of one other end.
pub(super) struct OtherEnd {
    pub(super) name: String,
    pub(super) may: Right,
    link: Link,
    session: Session,
    blind: Arc<AtomicBool>,
    is_open: Arc<AtomicBool>,
    pub(super) teller: Option<GateTeller>,
    /// Bit/s for each camera, 0 before the link granted anything.
    granted_bps: Vec<u64>,
    /// Why its link was down, as told last.
    why_down: Option<CloseReason>,
}

/// What the rest of the program needs of it.
pub(super) struct Share {
    /// One for each camera.
    pub(super) copies: Vec<Copy>,
    /// Where its commands come from.
    pub(super) post: Option<Post>,
}

/// What an other end's link told, as far as it matters.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// For people.
    pub(super) words: Vec<String>,
    /// Pictures for it were lost, or gave way.
    pub(super) is_loss: bool,
}

impl OtherEnd {
    /// Dials `other`; it gets `cameras`, and its commands come by `command`.
    pub(super) fn start(
        options: &EndOptions,
        other: &Other,
        cameras: &[Flow],
        command: Option<&Flow>,
    ) -> Result<(OtherEnd, Share), DriveError> {
        let link = dial(options, other)?;
        let is_open = Arc::new(AtomicBool::new(false));
        let copy = |flow: &Flow| {
            let bytes = flow.size.map_or(0, |size| usize::try_from(size.0).unwrap_or(usize::MAX));
            let mut publication = wiring::publication(flow, bytes);
            if other.may == Right::Watch {
                publication.class = Class::Background;
            }
            Ok(Copy::new(link.publish(publication)?, Arc::clone(&is_open)))
        };
        let copies = cameras.iter().map(copy).collect::<Result<_, DriveError>>()?;
        let (session, blind) = (Session::default(), Arc::new(AtomicBool::new(false)));
        let post = |flow: &Flow| {
            let subscriber = link.subscribe(wiring::subscription(flow))?;
            Ok::<_, DriveError>(Post::new(subscriber, session.clone(), Arc::clone(&blind)))
        };
        let post = command.map(post).transpose()?;
        let teller = command.map(|_| GateTeller::open(&link)).transpose()?;
        let granted_bps = vec![0; cameras.len()];
        let (name, may) = (other.name.clone(), other.may);
        Ok((
            OtherEnd { name, may, link, session, blind, is_open, teller, granted_bps, why_down: None },
            Share { copies, post },
        ))
    }

    /// Takes what its link told.
    pub(super) fn take_events(&mut self) -> Told {
        let mut told = Told::default();
        while let Some(event) = self.link.event(Duration::ZERO) {
            self.on_event(event, &mut told);
        }
        told
    }

    fn on_event(&mut self, event: LinkEvent, told: &mut Told) {
        match event {
            LinkEvent::State(LinkState::Up { session }) => {
                self.session.set(Some(session));
                self.why_down = None;
                told.words.push(format!("{}: is here, and may {}", self.name, self.may.as_str()));
            }
            LinkEvent::State(LinkState::Connecting) => self.on_down(),
            LinkEvent::State(LinkState::Down(reason)) => {
                if self.why_down.as_ref() != Some(&reason) {
                    told.words.push(format!("{}: {reason}", self.name));
                }
                self.why_down = Some(reason);
                self.on_down();
            }
            LinkEvent::State(LinkState::Died(died)) => {
                told.words.push(format!("{}: {died}: it cannot stop the vehicle any more", self.name));
                self.on_down();
            }
            LinkEvent::Session(event) => told.is_loss |= self.on_session_event(&event),
            LinkEvent::Trouble(why) => told.words.push(format!("{}: {why}", self.name)),
            LinkEvent::Refused { .. } | LinkEvent::Withdrawn { .. } => {}
        }
    }

    fn on_down(&mut self) {
        self.session.set(None);
        self.blind.store(false, Ordering::Relaxed);
    }

    fn on_session_event(&mut self, event: &Event) -> bool {
        match event {
            Event::Grant { flow, bps } => {
                if let Some(granted) = self.granted_bps.get_mut(usize::from(flow.0).wrapping_sub(1)) {
                    *granted = (*bps).max(1);
                }
            }
            Event::LongPacketsLost { way: Way::Out } => {
                self.blind.store(!self.granted_bps.is_empty(), Ordering::Relaxed);
            }
            Event::LongPacketsPass { way: Way::Out } => self.blind.store(false, Ordering::Relaxed),
            // Flows of publications count from 1, the cameras first.
            Event::Settled { id, outcome } => {
                return usize::from(id.flow.0) <= self.granted_bps.len() && *outcome != Outcome::Delivered;
            }
            _ => {}
        }
        false
    }

    /// Whether its link is up.
    pub(super) fn is_here(&self) -> bool {
        self.session.get().is_some()
    }

    /// Whether it gets pictures from now on.
    pub(super) fn open(&self, is_open: bool) {
        self.is_open.store(is_open && self.is_here(), Ordering::Relaxed);
    }

    /// Bit/s that its link grants each camera; 0: not known.
    pub(super) fn granted_bps(&self) -> &[u64] {
        &self.granted_bps
    }

    /// Ends its link.
    pub(super) fn close(self) {
        // Its ledgers are nobody's; that it died was told.
        let _ = self.link.close();
    }
}

/// Refuses ends that could be taken for one another: what an end may hangs on its key and its address (DRV-131).
///
/// # Errors
/// A key cannot be read, or is trusted at `operator` too, or is another end's; or an end is at the address of `operator`.
pub(super) fn keep_apart(options: &EndOptions, operator: SocketAddr) -> Result<(), DriveError> {
    let others = &options.site.link.others;
    if others.is_empty() {
        return Ok(());
    }
    let mut taken: Vec<(String, TrustStore)> = vec![("operator (link.trust)".to_owned(), options.peers()?)];
    for other in others {
        let refuse = |what: String| DriveError::End { end: other.name.clone(), what };
        if other.at == operator {
            return Err(refuse(format!("is at {operator}, as operator is: give each an address of its own")));
        }
        let keys = TrustStore::load(&other.key).map_err(SiteError::from)?;
        let shared = |(_, theirs): &&(String, TrustStore)| keys.iter().any(|one| theirs.contains(&one.key));
        if let Some((name, _)) = taken.iter().find(shared) {
            return Err(refuse(format!("has a key that {name} has too: give each end a key of its own")));
        }
        taken.push((other.name.clone(), keys));
    }
    Ok(())
}

fn dial(options: &EndOptions, other: &Other) -> Result<Link, DriveError> {
    let mut theirs = options.clone();
    theirs.site.link.max_rate = other.max_rate.or(theirs.site.link.max_rate);
    // Those are ways to the first end.
    theirs.site.link.device = None;
    theirs.site.link.paths.clear();
    theirs.site.link.trust = vec![other.key.clone()];
    theirs.link.trust.clear();
    theirs.link.only = None;
    if other.may == Right::Watch {
        // Their packets wait for the driver's.
        theirs.link.priority = Some(0);
    }
    theirs.start_link(Role::Vehicle { operator: other.at }, any_port(other.at))
}

/// Where a link to `operator` is bound where nothing is said.
pub(super) fn any_port(operator: SocketAddr) -> SocketAddr {
    let any = match operator {
        SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    SocketAddr::new(any, 0)
}
