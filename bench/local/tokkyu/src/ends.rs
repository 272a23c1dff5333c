//! The two ends: a publisher that fills its samples in their slots, and a subscription that sees them there.

use std::net::TcpStream;
use std::thread::JoinHandle;

use tokkyu_node::{Loan, Node, Publisher, PublisherOptions, Subscription, SubscriptionOptions};
use tokkyu_ros1::uri::Uri;

use crate::failure::Failure;
use crate::std_msgs::UInt8MultiArray;
use crate::wire;

/// The topic of the rivals over ROS, too.
pub const TOPIC: &str = "tokkyu_local";
/// One message is on its way at most.
const DEPTH: u32 = 1;

/// A node that is reached over loopback alone.
///
/// # Errors
/// No master is there, for which the node itself would wait (NODE-50); or the system refuses.
pub fn node(name: &str, master: &str) -> Result<Node, Failure> {
    look_for_master(master)
        .map_err(|why| Failure(format!("--master-uri {master}: {why} (start rosmaster there)")))?;
    let node = Node::builder(name).master(master).arguments(["__ip:=127.0.0.1"]).build();
    node.map_err(|error| Failure(format!("node {name}, master {master}: {error}")))
}

fn look_for_master(master: &str) -> Result<(), String> {
    let uri = Uri::parse(master).map_err(|error| error.to_string())?;
    let place = (uri.host.to_string(), uri.port);
    let place = (place.0.trim_start_matches('[').trim_end_matches(']'), place.1);
    TcpStream::connect(place).map(drop).map_err(|error| format!("no master answers: {error}"))
}

/// Publishes samples of one size.
pub struct Sender {
    publisher: Publisher<UInt8MultiArray>,
    bytes: usize,
    loan: Option<Loan>,
}

impl Sender {
    /// Waits until the master knows.
    ///
    /// # Errors
    /// What the node says.
    pub fn open(node: &Node, bytes: usize, depth: u32) -> Result<Sender, Failure> {
        let publisher = node.advertise_with(TOPIC, PublisherOptions::with_depth(depth));
        let publisher = publisher.map_err(|error| Failure(error.to_string()))?;
        Ok(Sender { publisher, bytes, loan: None })
    }

    /// The same for one sample at a time.
    ///
    /// # Errors
    /// What the node says.
    pub fn open_for_one(node: &Node, bytes: usize) -> Result<Sender, Failure> {
        Sender::open(node, bytes, DEPTH)
    }

    /// Whether somebody subscribes.
    pub fn is_matched(&self) -> bool {
        self.publisher.subscribers() > 0
    }

    /// The place of the next sample's payload, to be filled and then published.
    ///
    /// # Errors
    /// There is no memory.
    pub fn loan(&mut self) -> Result<&mut [u8], Failure> {
        let loan = self.publisher.loan(wire::length(self.bytes));
        let loan = loan.map_err(|error| Failure(error.to_string()))?;
        Ok(wire::payload_in(self.loan.insert(loan), self.bytes))
    }

    /// Publishes what was lent last.
    ///
    /// # Errors
    /// Nothing was lent, or nobody has got it.
    pub fn publish(&mut self) -> Result<(), Failure> {
        let loan = self.loan.take().ok_or_else(|| Failure("nothing was lent to publish".into()))?;
        loan.publish().map(drop).map_err(|error| Failure(error.to_string()))
    }
}

/// Calls back with the payload of each sample, in a thread of its own, which sleeps meanwhile.
pub struct Receiver {
    subscription: Option<Subscription>,
    node: Node,
    spinning: Option<JoinHandle<()>>,
}

impl Receiver {
    /// `take` is called as soon as a sample's payload is there.
    ///
    /// # Errors
    /// What the node says, or no thread.
    pub fn open(node: Node, mut take: impl FnMut(&[u8]) + Send + 'static) -> Result<Receiver, Failure> {
        let options = SubscriptionOptions { no_delay: true, ..SubscriptionOptions::with_depth(DEPTH) };
        let subscription = node
            .subscribe_view::<UInt8MultiArray>(TOPIC, options, move |message| take(message.data.as_bytes()));
        let subscription = subscription.map_err(|error| Failure(error.to_string()))?;
        let spinning = spin(&node)?;
        Ok(Receiver { subscription: Some(subscription), node, spinning: Some(spinning) })
    }

    /// Whether somebody publishes.
    pub fn is_matched(&self) -> bool {
        self.subscription.as_ref().is_some_and(|subscription| subscription.publishers() > 0)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // Before the node goes, whose other end may be a publisher that is still needed.
        self.subscription = None;
        self.node.shutdown();
        if let Some(spinning) = self.spinning.take() {
            let _ = spinning.join();
        }
    }
}

/// A thread that calls the node's callbacks until the node ends.
///
/// # Errors
/// No thread.
pub fn spin(node: &Node) -> Result<JoinHandle<()>, Failure> {
    let node = node.clone();
    let thread = std::thread::Builder::new().name("spin".into()).spawn(move || node.spin());
    thread.map_err(|error| Failure(format!("no thread for callbacks: {error}")))
}
