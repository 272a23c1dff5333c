//! Waiting for the node's sockets and its bell, and telling the machine what is ready, by class.

use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;
use tokkyu_contract::MonoTime;
use tokkyu_graph::{Engine, Host, Listener, Ready, Wants};

use super::bell::EventBell;
use super::clock::{left, mono_now};
use super::sockets::Sockets;

/// The connections of one waiting, kept for its memory.
#[derive(Default)]
pub(crate) struct Poller {
    wants: Vec<Wants>,
    ready: Vec<(Wants, Ready)>,
}

impl Poller {
    /// Waits until that time for something to be ready, and serves it.
    pub(crate) fn wait<H: Host>(
        &mut self,
        bell: &EventBell,
        engine: &mut Engine<Sockets, H>,
        until: Option<MonoTime>,
    ) {
        self.wants.clear();
        let net = engine.net();
        self.wants.extend(engine.wants().filter(|wants| net.descriptor(wants.id).is_some()));
        let listeners = [Listener::Slave, Listener::Data];
        let rests = net.accepts_from();
        let until = until.into_iter().chain(rests).min();
        let asked = if rests.is_none() && engine.has_room() { PollFlags::IN } else { PollFlags::empty() };
        let listening = listeners.map(|of| PollFd::from_borrowed_fd(net.listener(of), asked));
        let mut polled: Vec<PollFd<'_>> = vec![PollFd::from_borrowed_fd(bell.as_fd(), PollFlags::IN)];
        polled.extend(listening);
        let one = |wants: &Wants| {
            let fd = net.descriptor(wants.id)?;
            Some(PollFd::from_borrowed_fd(fd, events(*wants)))
        };
        polled.extend(self.wants.iter().filter_map(one));
        let timeout = until.map(|until| {
            let left = left(until);
            Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() }
        });
        // An error is a signal; what is ready then is seen next time.
        let _ = poll(&mut polled, timeout.as_ref());
        let revents: Vec<PollFlags> = polled.iter().map(PollFd::revents).collect();
        self.serve(bell, engine, &revents);
    }

    fn serve<H: Host>(&mut self, bell: &EventBell, engine: &mut Engine<Sockets, H>, revents: &[PollFlags]) {
        let [rang, slave, data, connections @ ..] = revents else { return };
        if !rang.is_empty() {
            bell.clear();
        }
        let ready = self.wants.iter().zip(connections).filter(|(_, revents)| !revents.is_empty());
        self.ready.clear();
        self.ready.extend(ready.map(|(wants, revents)| (*wants, ready_by(*revents))));
        self.ready.sort_by_key(|(wants, _)| wants.class);
        for (wants, ready) in &self.ready {
            engine.on_ready(mono_now(), wants.id, *ready);
        }
        for (listener, revents) in [(Listener::Slave, slave), (Listener::Data, data)] {
            if !revents.is_empty() {
                engine.on_accept(mono_now(), listener);
            }
        }
    }
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
