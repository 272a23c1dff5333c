//! How other threads reach the relay: a queue of requests and an eventfd that ends its sleep.
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use nix::sys::eventfd::{EfdFlags, EventFd};

use super::error::WireError;
use super::report::WireReport;

/// What the relay can be asked.
pub(super) enum Request {
    Report(SyncSender<WireReport>),
    Stop,
}

/// The relay's end.
pub(super) struct Mailbox {
    requests: Receiver<Request>,
    bell: Arc<EventFd>,
}

/// The other end.
pub(super) struct Postman {
    requests: Sender<Request>,
    bell: Arc<EventFd>,
}

pub(super) fn mailbox() -> Result<(Postman, Mailbox), WireError> {
    let flags = EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC;
    let bell = EventFd::from_flags(flags).map_err(|errno| WireError::system("eventfd", errno))?;
    let bell = Arc::new(bell);
    let (sender, receiver) = channel();
    let postman = Postman { requests: sender, bell: Arc::clone(&bell) };
    Ok((postman, Mailbox { requests: receiver, bell }))
}

impl Mailbox {
    /// The next request. A relay whose owner is gone is told to stop.
    pub(super) fn next(&self) -> Option<Request> {
        use std::sync::mpsc::TryRecvError;
        match self.requests.try_recv() {
            Ok(request) => Some(request),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Request::Stop),
        }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Silences the bell. Called only when poll has seen it ring, so that a ring is never lost: the request is in
    /// the queue before the bell rings, and the queue is read after it is silenced.
    pub(super) fn silence(&self) {
        // EAGAIN means it was silent already.
        let _ = self.bell.read();
    }
}

impl Postman {
    pub(super) fn stop(&self) {
        self.post(Request::Stop);
    }

    pub(super) fn report(&self) -> Option<WireReport> {
        let (sender, receiver) = sync_channel(1);
        self.post(Request::Report(sender));
        receiver.recv().ok()
    }

    fn post(&self, request: Request) {
        // A relay that is gone needs no request; its absence shows when it is joined.
        let _ = self.requests.send(request);
        let _ = self.bell.write(1);
    }
}
