//! A robot's base, as nodes of ours and as a bare connection.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokkyu_message::Time;
use tokkyu_node::{Delivery, Kind, Node, Publisher, Subscription, SubscriptionOptions};
use tokkyu_node_motors::messages::ros::geometry_msgs::TwistStamped;

use super::call;

/// Something has gone wrong if a step takes longer. It is no promise.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn until<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < end, "{what}: never after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn node(master: &str, name: &str) -> Node {
    let builder = Node::builder(name).anonymous().master(master).namespace("/");
    builder.without_signals().build().expect("a node")
}

/// A node that subscribes to one topic of any type.
pub struct Base {
    node: Node,
    heard: Option<Receiver<Vec<u8>>>,
    subscription: Option<Subscription>,
    thread: Option<JoinHandle<()>>,
}

impl Base {
    pub fn start(master: &str, topic: &str) -> Base {
        let (tell, heard) = channel();
        let mut base = Base::with(master, topic, move |delivery| {
            let _ = tell.send(delivery.wire().to_vec());
        });
        base.heard = Some(heard);
        base
    }

    /// Keeps no message.
    pub fn counting(master: &str, topic: &str, count: &Arc<AtomicU32>) -> Base {
        let count = Arc::clone(count);
        Base::with(master, topic, move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        })
    }

    fn with(master: &str, topic: &str, callback: impl FnMut(&mut Delivery<'_>) + Send + 'static) -> Base {
        let node = node(master, "base");
        let any = Kind { datatype: "*".into(), md5sum: "*".into(), definition: String::new() };
        let options = SubscriptionOptions::with_depth(100);
        let subscription = node.subscribe_raw(topic, any, &options, callback).expect("a subscription");
        let spinning = node.clone();
        let thread = std::thread::spawn(move || spinning.spin());
        Base { node, heard: None, subscription: Some(subscription), thread: Some(thread) }
    }

    /// The next message.
    pub fn heard(&self) -> Vec<u8> {
        self.heard.as_ref().expect("it keeps them").recv_timeout(PATIENCE).expect("a message")
    }

    pub fn try_heard(&self) -> Option<Vec<u8>> {
        self.heard.as_ref()?.try_recv().ok()
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        drop(self.subscription.take());
        self.node.shutdown();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A node that tells its speed.
pub struct Speed {
    publisher: Publisher<TwistStamped>,
    _node: Node,
}

impl Speed {
    pub fn start(master: &str, topic: &str) -> Speed {
        let node = node(master, "odometry");
        Speed { publisher: node.advertise(topic, 1).expect("advertised"), _node: node }
    }

    pub fn is_heard(&self) -> bool {
        self.publisher.subscribers() > 0
    }

    /// Of now.
    pub fn tell(&self, mps: f64) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
        let mut stamped = TwistStamped::default();
        stamped.header.stamp =
            Time::from_nanos(u64::try_from(now).expect("before 2554")).expect("before 2106");
        stamped.twist.linear.x = mps;
        self.publisher.publish_ref(&stamped).expect("published");
    }
}

/// Where the one publisher of a topic is.
pub fn publisher_of(master: &str, topic: &str) -> String {
    // Nobody asks it back: an address that is none is as good.
    let answer = call(master, "registerSubscriber", &["/test", topic, "*", "http://127.0.0.1:9/"]);
    let begin = answer.rfind("http://").expect("a publisher");
    let end = answer[begin..].find('<').expect("a tag") + begin;
    answer[begin..end].to_owned()
}

/// As `rosnode kill` does.
pub fn tell_to_end(uri: &str) {
    call(uri, "shutdown", &["/other", "as the test wants"]);
}

/// A subscriber that has been accepted, and reads no message.
pub fn connect(uri: &str, topic: &str) -> TcpStream {
    let answer = call(
        uri,
        "requestTopic",
        &[
            "/stuck",
            topic,
            "<array><data><value><array><data><value>TCPROS</value></data></array></value></data></array>",
        ],
    );
    let integer = |tag: &str| {
        let begin = answer.rfind(&format!("<{tag}>"))? + tag.len() + 2;
        answer[begin..].split('<').next()?.parse::<u16>().ok()
    };
    let port = integer("i4").or_else(|| integer("int")).unwrap_or_else(|| panic!("a port in {answer}"));
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    let fields = ["callerid=/stuck".to_owned(), format!("topic={topic}"), "md5sum=*".into(), "type=*".into()];
    let length = |len: usize| u32::try_from(len).expect("short").to_le_bytes();
    let fields: Vec<u8> =
        fields.iter().flat_map(|field| [&length(field.len())[..], field.as_bytes()].concat()).collect();
    stream.write_all(&[&length(fields.len())[..], &fields].concat()).expect("written");
    let mut head = [0; 4];
    stream.read_exact(&mut head).expect("accepted");
    stream
}
