//! Services that the node offers.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::{String, ToString};
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use tokkyu_contract::Class;
use tokkyu_graph::{Command, ConnId, Handler, Kind, Offer, Request};
use tokkyu_message::{Service, read_whole, write_to};
use tokkyu_topic::Doorbell;

use crate::error::NodeError;
use crate::inner::Inner;
use crate::network::Network;
use crate::node::Node;
use crate::queue::{Queue, Step, TaskId, Work};
use crate::sync::{Mutex, MutexGuard};

/// So many requests of one service are answered at once at most, by as many threads of its queue.
const MOST_AT_ONCE: usize = 64;

/// Answers a request, both in their wire forms; or says why not. Called by several threads at once where the service allows it.
pub(crate) type Answer = Box<dyn Fn(&Request) -> Result<Vec<u8>, String> + Send + Sync>;

/// A service's requests, and what answers them.
struct Desk {
    queue: Arc<Queue>,
    source: u32,
    network: Arc<Network>,
    answer: Answer,
    at_once: usize,
    line: Mutex<Line>,
}

/// Requests that wait for a thread. As many as there are connections at most: each has one, and takes it along when it ends.
#[derive(Default)]
struct Line {
    requests: VecDeque<Request>,
    /// Those that are being answered.
    running: usize,
    /// One task of the queue answers one request at a time. One more than are being answered, so that the next finds one.
    tasks: Vec<TaskId>,
    /// Tasks that are there or about to be.
    counted: usize,
    is_withdrawn: bool,
}

impl Desk {
    fn open(queue: &Arc<Queue>, network: Arc<Network>, at_once: usize, answer: Answer) -> Arc<Desk> {
        let (queue, source) = (queue.clone(), queue.source());
        let line = Mutex::new(Line { counted: 1, ..Line::default() });
        let desk = Arc::new(Desk { queue, source, network, answer, at_once, line });
        desk.add_task();
        desk
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock()
    }

    /// One task more. Not with the lock of the line: the queue asks tasks for it, with its own.
    fn add_task(self: &Arc<Self>) {
        let task = self.queue.add(self.source, Class::BestEffort, Box::new(Answering(self.clone())));
        let mut line = self.line();
        if line.is_withdrawn {
            drop(line);
            self.queue.remove(task);
        } else {
            line.tasks.push(task);
        }
    }

    /// Nothing is answered any more, and none of its callbacks runs, unless this is called from within one.
    fn withdraw(&self) {
        let tasks = {
            let mut line = self.line();
            line.is_withdrawn = true;
            core::mem::take(&mut line.tasks)
        };
        tasks.into_iter().for_each(|task| self.queue.remove(task));
    }
}

/// What the network's thread has of it.
struct Door(Arc<Desk>);

impl Handler for Door {
    fn on_request(&self, request: Request) {
        self.0.line().requests.push_back(request);
        self.0.queue.ring(self.0.source);
    }

    /// The one that is being answered just now is not here any more, and goes on.
    fn on_left(&self, asker: ConnId) {
        self.0.line().requests.retain(|request| request.asker != asker);
    }
}

struct Answering(Arc<Desk>);

impl Answering {
    /// The oldest request, and whether no task is left for the next one.
    fn take(&self) -> Option<(Request, bool)> {
        let mut line = self.0.line();
        if line.is_withdrawn {
            return None;
        }
        let request = line.requests.pop_front()?;
        line.running += 1;
        let is_last = line.running == line.counted && line.counted < self.0.at_once;
        line.counted += usize::from(is_last);
        Some((request, is_last))
    }
}

impl Work for Answering {
    fn step(&mut self) -> Step {
        let desk = &self.0;
        let Some((request, is_last)) = self.take() else { return Step::Idle };
        let running = InHand(desk);
        // Here and not where requests come: whoever withdraws the service waits for this step, and so for what it has added.
        if is_last {
            desk.add_task();
        }
        let answer = (desk.answer)(&request);
        drop(running);
        desk.network.ask(Command::Answer { asker: request.asker, answer });
        if self.has_waiting() { Step::More } else { Step::Called }
    }

    fn has_waiting(&mut self) -> bool {
        !self.0.line().requests.is_empty()
    }

    fn discard(&mut self) {
        let requests = core::mem::take(&mut self.0.line().requests);
        for request in requests {
            let answer = Err("the service has dropped what waited".to_owned());
            self.0.network.ask(Command::Answer { asker: request.asker, answer });
        }
    }
}

/// A request that is being answered, also if the callback panics.
struct InHand<'d>(&'d Desk);

impl Drop for InHand<'_> {
    fn drop(&mut self) {
        self.0.line().running -= 1;
    }
}

/// A service, offered as long as this lives.
pub struct ServiceServer {
    node: Weak<Inner>,
    service: String,
    desk: Arc<Desk>,
}

impl ServiceServer {
    /// The service's global name.
    pub fn service(&self) -> &str {
        &self.service
    }
}

impl Drop for ServiceServer {
    fn drop(&mut self) {
        if let Some(node) = self.node.upgrade() {
            node.network.ask(Command::Withdraw { service: self.service.clone() });
        }
        self.desk.withdraw();
    }
}

impl Node {
    /// Offers a service. `answer` is called from the threads that spin; what it says in place of an answer the client is told as the reason.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn advertise_service<S: Service>(
        &self,
        service: &str,
        answer: impl FnMut(&S::Request) -> Result<S::Response, String> + Send + 'static,
    ) -> Result<ServiceServer, NodeError> {
        // One task answers: nobody waits at the lock.
        let state = Mutex::new((S::Request::default(), answer));
        let answer = move |request: &Request| {
            let (asked, answer) = &mut *state.lock();
            read_whole(asked, &request.bytes).map_err(|error| error.to_string())?;
            let mut bytes = Vec::new();
            write_to(&answer(asked)?, &mut bytes);
            Ok(bytes)
        };
        let kind = Kind { datatype: S::DATATYPE.into(), md5sum: S::MD5SUM.into(), definition: String::new() };
        self.inner.offer(&self.queue, self.resolve(service)?, kind, false, Box::new(answer))
    }
}

impl Inner {
    pub(crate) fn offer(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        service: String,
        kind: Kind,
        is_concurrent: bool,
        answer: Answer,
    ) -> Result<ServiceServer, NodeError> {
        let at_once = if is_concurrent { MOST_AT_ONCE } else { 1 };
        let desk = Desk::open(queue, self.network.clone(), at_once, answer);
        let handler = Arc::new(Door(desk.clone()));
        let longest = self.identity.profile.message_bytes;
        let ask = |done| Command::Offer(Offer { service: service.clone(), kind, longest, handler, done });
        match self.network.ask_and_wait(ask) {
            Ok(()) => Ok(ServiceServer { node: Arc::downgrade(self), service, desk }),
            Err(failure) => {
                // It is somebody else's, who keeps it.
                desk.withdraw();
                Err(NodeError::Refused { name: service, failure })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn network() -> Arc<Network> {
        let listening = crate::network::Listening::at(core::net::Ipv4Addr::LOCALHOST.into());
        listening.expect("a bell").network().clone()
    }

    fn request(number: u32) -> Request {
        Request { asker: ConnId(number), callerid: "/x".to_owned(), bytes: number.to_le_bytes().to_vec() }
    }

    /// NODE-58: a thousand clients ask and leave while the first is answered.
    #[test]
    fn requests_of_clients_that_left_are_not_begun() {
        let (queue, network) = (Queue::new(), network());
        let ((begins, begun), (go_on, wait)) = (channel(), channel());
        let wait = Mutex::new(wait);
        let answer = move |request: &Request| {
            begins.send(request.asker).expect("the test hears");
            wait.lock().recv().map_err(|_| String::new())?;
            Ok(Vec::new())
        };
        let desk = Desk::open(&queue, network, 1, Box::new(answer));
        let door = Door(desk.clone());
        let spinning = queue.clone();
        let spinning = std::thread::spawn(move || spinning.spin());
        door.on_request(request(0));
        assert_eq!(begun.recv(), Ok(ConnId(0)));
        for number in 1..1000 {
            door.on_request(request(number));
            door.on_left(ConnId(number));
        }
        // It goes on: there is nothing to be taken back of it.
        door.on_left(ConnId(0));
        door.on_request(request(1000));
        assert_eq!(desk.line().requests.len(), 1);
        go_on.send(()).expect("it waits");
        assert_eq!(begun.recv(), Ok(ConnId(1000)), "who left is not answered");
        go_on.send(()).expect("it waits");
        queue.stop();
        spinning.join().expect("it ends");
        desk.withdraw();
    }

    /// NODE-104: each waits for the other.
    #[test]
    fn callers_are_answered_at_once() {
        let (queue, network) = (Queue::new(), network());
        let meeting = std::sync::Barrier::new(3);
        let (met, meets) = channel();
        let answer = move |request: &Request| {
            meeting.wait();
            met.send(request.asker).expect("the test hears");
            Ok(Vec::new())
        };
        let desk = Desk::open(&queue, network, 3, Box::new(answer));
        let threads: Vec<_> =
            (0..3).map(|_| queue.clone()).map(|queue| std::thread::spawn(move || queue.spin())).collect();
        (0..6).for_each(|number| Door(desk.clone()).on_request(request(number)));
        let mut all: Vec<_> = (0..6).map(|_| meets.recv().expect("they meet").0).collect();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5]);
        queue.stop();
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        desk.withdraw();
        assert!(!queue.has_waiting(), "nothing is left");
    }
}
