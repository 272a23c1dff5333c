//! Services that the node offers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokkyu_contract::Class;
use tokkyu_graph::{Command, ConnId, Handler, Kind, Offer, Request};
use tokkyu_message::{Service, read_whole, write_to};
use tokkyu_topic::Doorbell;

use crate::error::NodeError;
use crate::network::Network;
use crate::node::{Inner, Node};
use crate::queue::{Queue, Step, Task, Work};

/// The longest request, bytes.
const LONGEST: usize = 1 << 30;

/// Answers a request, both in their wire forms; or says why not.
pub(crate) type Answer = Box<dyn FnMut(&Request) -> Result<Vec<u8>, String> + Send>;

/// Requests that wait for a thread. As many as there are connections at most: each has one, and takes it along when it ends.
struct Waiting {
    queue: Arc<Queue>,
    source: u32,
    requests: Mutex<VecDeque<Request>>,
}

impl Handler for Waiting {
    fn on_request(&self, request: Request) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push_back(request);
        self.queue.ring(self.source);
    }

    /// The one that is being answered just now is not here any more, and goes on.
    fn on_left(&self, asker: ConnId) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.retain(|request| request.asker != asker);
    }
}

struct Answering {
    waiting: Arc<Waiting>,
    network: Arc<Network>,
    answer: Answer,
}

impl Work for Answering {
    fn step(&mut self) -> Step {
        let next = |waiting: &Waiting| {
            let mut requests = waiting.requests.lock().unwrap_or_else(PoisonError::into_inner);
            (requests.pop_front(), !requests.is_empty())
        };
        let (Some(request), is_more) = next(&self.waiting) else { return Step::Idle };
        let answer = (self.answer)(&request);
        self.network.ask(Command::Answer { asker: request.asker, answer });
        if is_more { Step::More } else { Step::Called }
    }
}

/// A service, offered as long as this lives.
pub struct ServiceServer {
    node: Weak<Inner>,
    service: String,
    queue: Arc<Queue>,
    task: Arc<Task>,
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
        self.queue.remove(&self.task);
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
        mut answer: impl FnMut(&S::Request) -> Result<S::Response, String> + Send + 'static,
    ) -> Result<ServiceServer, NodeError> {
        let mut asked = S::Request::default();
        let answer = move |request: &Request| {
            read_whole(&mut asked, &request.bytes).map_err(|error| error.to_string())?;
            let mut bytes = Vec::new();
            write_to(&answer(&asked)?, &mut bytes);
            Ok(bytes)
        };
        let kind = Kind { datatype: S::DATATYPE.into(), md5sum: S::MD5SUM.into(), definition: String::new() };
        self.inner.offer(&self.queue, self.resolve(service)?, kind, Box::new(answer))
    }
}

impl Inner {
    pub(crate) fn offer(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        service: String,
        kind: Kind,
        answer: Answer,
    ) -> Result<ServiceServer, NodeError> {
        let queue = queue.clone();
        let source = queue.source();
        let waiting = Arc::new(Waiting { queue: queue.clone(), source, requests: Mutex::default() });
        let work = Answering { waiting: waiting.clone(), network: self.network.clone(), answer };
        let task = queue.add(source, Class::BestEffort, Box::new(work));
        let server = ServiceServer { node: Arc::downgrade(self), service: service.clone(), queue, task };
        let ask = |done| {
            Command::Offer(Offer { service: service.clone(), kind, longest: LONGEST, handler: waiting, done })
        };
        match self.network.ask_and_wait(ask) {
            Ok(()) => Ok(server),
            Err(failure) => {
                // It is somebody else's, who keeps it.
                let ServiceServer { queue, task, .. } = &*std::mem::ManuallyDrop::new(server);
                queue.remove(task);
                Err(NodeError::Refused { name: service, failure })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn request(number: u32) -> Request {
        Request { asker: ConnId(number), callerid: "/x".to_owned(), bytes: number.to_le_bytes().to_vec() }
    }

    /// NODE-58: a thousand clients ask and leave while the first is answered.
    #[test]
    fn requests_of_clients_that_left_are_not_begun() {
        let (queue, network) = (Queue::new(), Network::new().expect("a bell"));
        let source = queue.source();
        let waiting = Arc::new(Waiting { queue: queue.clone(), source, requests: Mutex::default() });
        let ((begins, begun), (go_on, wait)) = (channel(), channel());
        let answer = move |request: &Request| {
            begins.send(request.asker).expect("the test hears");
            wait.recv().map_err(|_| String::new())?;
            Ok(Vec::new())
        };
        let work = Answering { waiting: waiting.clone(), network, answer: Box::new(answer) };
        let task = queue.add(source, Class::BestEffort, Box::new(work));
        let spinning = queue.clone();
        let spinning = std::thread::spawn(move || spinning.spin());
        waiting.on_request(request(0));
        assert_eq!(begun.recv(), Ok(ConnId(0)));
        for number in 1..1000 {
            waiting.on_request(request(number));
            waiting.on_left(ConnId(number));
        }
        // It goes on: there is nothing to be taken back of it.
        waiting.on_left(ConnId(0));
        waiting.on_request(request(1000));
        assert_eq!(waiting.requests.lock().unwrap().len(), 1);
        go_on.send(()).expect("it waits");
        assert_eq!(begun.recv(), Ok(ConnId(1000)), "who left is not answered");
        go_on.send(()).expect("it waits");
        queue.stop();
        spinning.join().expect("it ends");
        queue.remove(&task);
    }
}
