//! Names of machines are looked up: that may take seconds, so a few threads of their own do it.
//!
//! ```text
//!  ask ─► waiting, by name, 64 at most ─► 4 threads ─► found ─► notice
//! ```
//!
//! Who names publishers decides how many names there are, and may be a stranger: neither threads nor memory grow with them. Whoever asks for a
//! name that somebody else waits for waits with them.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokkyu_graph::ConnId;

/// Names that are looked up at once. Each may take as long as the system's resolver is patient.
pub(super) const THREADS: usize = 4;
/// Names that wait for a thread.
pub(super) const WAITING: usize = 64;

/// Asks the system for the addresses of a name; none: it has none.
pub(super) type LookUp = dyn Fn(&str) -> Vec<IpAddr> + Send + Sync;

/// Too many names are looked up at once, or the system gives no thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// The addresses of a name that was asked for, perhaps none.
pub(super) type Found = (ConnId, Vec<SocketAddr>);

pub(super) struct Resolver(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Told when a name waits, and at the end.
    wanted: Condvar,
    look_up: Box<LookUp>,
    /// Called from the threads when something was found.
    notice: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Name>,
    running: Vec<Name>,
    found: Vec<Found>,
    threads: usize,
    is_over: bool,
}

/// A name, and who wants it with which port.
struct Name {
    host: String,
    asked: Vec<(ConnId, u16)>,
}

/// What the system says.
pub(super) fn by_system(host: &str) -> Vec<IpAddr> {
    (host, 0).to_socket_addrs().map(|found| found.map(|address| address.ip()).collect()).unwrap_or_default()
}

impl Resolver {
    pub(super) fn new(look_up: Box<LookUp>, notice: Arc<dyn Fn() + Send + Sync>) -> Resolver {
        Resolver(Arc::new(Shared { state: Mutex::default(), wanted: Condvar::new(), look_up, notice }))
    }

    /// Wants the addresses of a name.
    ///
    /// # Errors
    ///
    /// [`Full`]: it is not looked up.
    pub(super) fn ask(&self, id: ConnId, host: &str, port: u16) -> Result<(), Full> {
        let mut state = self.0.state();
        let State { waiting, running, .. } = &mut *state;
        if let Some(name) = waiting.iter_mut().chain(running).find(|name| name.host == host) {
            name.asked.push((id, port));
            return Ok(());
        }
        if state.waiting.len() == WAITING {
            return Err(Full);
        }
        // Those that are there may be busy for long.
        if state.threads < THREADS && state.waiting.len() + state.running.len() >= state.threads {
            match spawn(self.0.clone()) {
                Ok(_) => state.threads += 1,
                Err(_) if state.threads == 0 => return Err(Full),
                Err(_) => {}
            }
        }
        state.waiting.push_back(Name { host: host.to_owned(), asked: vec![(id, port)] });
        drop(state);
        self.0.wanted.notify_one();
        Ok(())
    }

    /// Who asked wants it no longer. A name that nobody wants is not begun.
    pub(super) fn forget(&self, id: ConnId) {
        let mut state = self.0.state();
        let State { waiting, running, found, .. } = &mut *state;
        waiting.iter_mut().chain(running).for_each(|name| name.asked.retain(|(other, _)| *other != id));
        waiting.retain(|name| !name.asked.is_empty());
        found.retain(|(other, _)| *other != id);
    }

    /// What was found since.
    pub(super) fn found(&self) -> Vec<Found> {
        std::mem::take(&mut self.0.state().found)
    }
}

impl Drop for Resolver {
    /// Threads that wait end; those that look something up end after that, which nobody waits for.
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.wanted.notify_all();
    }
}

fn spawn(shared: Arc<Shared>) -> std::io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().name("tokkyu-resolve".to_owned()).spawn(move || shared.run())
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        while let Some(host) = self.begin() {
            let addresses = (self.look_up)(&host);
            let is_over = self.end(&host, &addresses);
            if is_over {
                return;
            }
            (self.notice)();
        }
    }

    /// The next name that waits; nothing: it is over.
    fn begin(&self) -> Option<String> {
        let mut state = self.state();
        loop {
            if state.is_over {
                return None;
            }
            if let Some(name) = state.waiting.pop_front() {
                let host = name.host.clone();
                state.running.push(name);
                return Some(host);
            }
            state = self.wanted.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// True: nobody wants to know any more.
    fn end(&self, host: &str, addresses: &[IpAddr]) -> bool {
        let mut state = self.state();
        let at = state.running.iter().position(|name| name.host == host);
        let asked = at.map(|at| state.running.swap_remove(at).asked).unwrap_or_default();
        let addresses = |port| addresses.iter().map(|ip| SocketAddr::new(*ip, port)).collect();
        state.found.extend(asked.into_iter().map(|(id, port)| (id, addresses(port))));
        state.is_over
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::net::Ipv4Addr;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread::ThreadId;

    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    /// A resolver that takes as long as the test wants: each name is told when it is begun, and found when the test says so.
    struct Slow {
        resolver: Resolver,
        begun: Receiver<(String, ThreadId)>,
        go_on: Sender<()>,
        noticed: Receiver<()>,
    }

    fn slow() -> Slow {
        let ((begins, begun), (go_on, wait), (notices, noticed)) = (channel(), channel::<()>(), channel());
        let wait = Mutex::new(wait);
        let look_up = move |host: &str| {
            begins.send((host.to_owned(), std::thread::current().id())).expect("the test hears");
            let _ = wait.lock().unwrap().recv();
            vec![HERE]
        };
        let notices = Mutex::new(notices);
        let notice = move || notices.lock().unwrap().send(()).unwrap_or_default();
        Slow { resolver: Resolver::new(Box::new(look_up), Arc::new(notice)), begun, go_on, noticed }
    }

    fn id(number: usize) -> ConnId {
        ConnId(number as u32)
    }

    /// NODE-102.
    #[test]
    fn a_thousand_names_take_four_threads_and_the_rest_is_refused() {
        let slow = slow();
        let ask = |number: usize| slow.resolver.ask(id(number), &format!("host{number}"), 80);
        (0..THREADS).for_each(|number| assert_eq!(ask(number), Ok(())));
        let mut threads = BTreeSet::new();
        let mut hear = || threads.extend([format!("{:?}", slow.begun.recv().expect("it is begun").1)]);
        (0..THREADS).for_each(|_| hear());
        let taken = (THREADS..1000).filter(|number| ask(*number) == Ok(())).count();
        assert_eq!(taken, WAITING);
        for _ in 0..THREADS + WAITING {
            slow.go_on.send(()).expect("it waits");
            slow.noticed.recv().expect("something was found");
        }
        (0..WAITING).for_each(|_| hear());
        assert_eq!(threads.len(), THREADS);
        let mut found = slow.resolver.found();
        found.sort_unstable();
        let all = (0..THREADS + WAITING).map(|number| (id(number), vec![SocketAddr::new(HERE, 80)]));
        assert_eq!(found, all.collect::<Vec<_>>());
        assert_eq!(ask(2000), Ok(()), "there is room again");
    }

    #[test]
    fn a_name_that_many_want_is_looked_up_once() {
        let slow = slow();
        (0..500).for_each(|number| assert_eq!(slow.resolver.ask(id(number), "host", number as u16), Ok(())));
        slow.begun.recv().expect("it is begun");
        // While it is looked up too.
        assert_eq!(slow.resolver.ask(id(500), "host", 500), Ok(()));
        slow.go_on.send(()).expect("it waits");
        slow.noticed.recv().expect("it was found");
        let found = slow.resolver.found();
        let all = (0..501).map(|number| (id(number), vec![SocketAddr::new(HERE, number as u16)]));
        assert_eq!(found, all.collect::<Vec<_>>());
        assert!(slow.begun.try_recv().is_err(), "it is asked once");
    }

    #[test]
    fn what_nobody_wants_any_more_is_not_begun() {
        let slow = slow();
        (0..THREADS)
            .for_each(|number| assert_eq!(slow.resolver.ask(id(number), &format!("{number}"), 1), Ok(())));
        (0..THREADS).for_each(|_| drop(slow.begun.recv().expect("it is begun")));
        for number in THREADS..1000 {
            assert_eq!(slow.resolver.ask(id(number), &format!("{number}"), 1), Ok(()));
            slow.resolver.forget(id(number));
        }
        slow.resolver.forget(id(0));
        assert_eq!(slow.resolver.ask(id(1000), "last", 1), Ok(()));
        for _ in 0..=THREADS {
            slow.go_on.send(()).expect("it waits");
            slow.noticed.recv().expect("something was found");
        }
        assert_eq!(slow.begun.recv().expect("it is begun").0, "last");
        let mut found: Vec<ConnId> = slow.resolver.found().into_iter().map(|(id, _)| id).collect();
        found.sort_unstable();
        assert_eq!(found, [1, 2, 3, 1000].map(id));
    }
}
