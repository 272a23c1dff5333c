//! Waiting for the node's sockets and its bell.

use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use tokkyu_callbacks::port::Polled;
use tokkyu_contract::MonoTime;
use tokkyu_graph::{Listener, Ready, Wants};

use super::clock::timeout;
use super::sockets::SystemSockets;

const LISTENERS: [Listener; 2] = [Listener::Slave, Listener::Data];

/// Waits until that time for something to be ready.
pub(super) fn wait(
    net: &SystemSockets,
    wants: &[Wants],
    accepts: bool,
    until: Option<MonoTime>,
    polled: &mut Polled,
) {
    let rests = net.accepts_from();
    let until = until.into_iter().chain(rests).min();
    let asked = if rests.is_none() && accepts { PollFlags::IN } else { PollFlags::empty() };
    let listening = LISTENERS.map(|of| PollFd::from_borrowed_fd(net.listener(of), asked));
    let mut all: Vec<PollFd<'_>> = vec![PollFd::from_borrowed_fd(net.bell().as_fd(), PollFlags::IN)];
    all.extend(listening);
    // A connection whose name is looked up has no descriptor.
    let named: Vec<(Wants, PollFd<'_>)> = wants
        .iter()
        .filter_map(|wants| {
            Some((*wants, PollFd::from_borrowed_fd(net.descriptor(wants.id)?, events(*wants))))
        })
        .collect();
    all.extend(named.iter().map(|(_, fd)| fd.clone()));
    let timeout = until.map(timeout);
    // An error is a signal; what is ready then is seen next time.
    let _ = poll(&mut all, timeout.as_ref());
    let [bell, slave, data, connections @ ..] = &all[..] else { return };
    if !bell.revents().is_empty() {
        net.bell().clear();
    }
    let ready = named.iter().zip(connections).filter(|(_, fd)| !fd.revents().is_empty());
    polled.ready.clear();
    polled.ready.extend(ready.map(|((wants, _), fd)| (*wants, ready_by(fd.revents()))));
    let connecting = LISTENERS.into_iter().zip([slave, data]).filter(|(_, fd)| !fd.revents().is_empty());
    polled.connecting.clear();
    polled.connecting.extend(connecting.map(|(listener, _)| listener));
}

fn events(wants: Wants) -> PollFlags {
    let mut events = PollFlags::empty();
    events.set(PollFlags::IN, wants.reads);
    events.set(PollFlags::OUT, wants.writes);
    events.set(PollFlags::RDHUP, wants.hears_end);
    events
}

fn ready_by(revents: PollFlags) -> Ready {
    let is_over = revents.intersects(PollFlags::HUP | PollFlags::RDHUP | PollFlags::ERR | PollFlags::NVAL);
    Ready {
        is_readable: is_over || revents.contains(PollFlags::IN),
        is_writable: revents.contains(PollFlags::OUT),
    }
}
