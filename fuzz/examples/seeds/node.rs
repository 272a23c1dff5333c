//! Seeds of what nodes say to each other: messages, and a node's conversations with the master, publishers, subscribers and clients.

use std::io;

use tokkyu_fuzz::messages::{fuzzed, roscpp, rosgraph_msgs, sensor_msgs};
use tokkyu_fuzz::push_step;
use tokkyu_message::{Duration, Message, Time, write_to};
use tokkyu_ros1::http::{write_request_head, write_response_head};
use tokkyu_ros1::tcpros::{HeaderWriter, message_head};
use tokkyu_ros1::xmlrpc::{Values, WriteError, Writer};

use tokkyu_node_bridge::message as bridge;

use super::write;

/// A message after another of its type.
fn message(name: &str, which: u8, former: &impl Message, message: &impl Message) -> io::Result<()> {
    let (mut before, mut bytes) = (Vec::new(), Vec::new());
    write_to(former, &mut before);
    write_to(message, &mut bytes);
    let length = u8::try_from(before.len()).expect("a short one");
    write("message", name, [&[which, length], &before[..], &bytes].concat())
}

fn texts(all: &[&str]) -> Vec<fuzzed::Text> {
    all.iter().map(|text| fuzzed::Text { text: (*text).to_owned() }).collect()
}

fn all() -> fuzzed::All {
    fuzzed::All {
        a: true,
        g: f64::NAN,
        h: "text, é".to_owned(),
        i: Time { sec: 1, nsec: 2 },
        j: Duration { sec: -1, nsec: 999_999_999 },
        many_a: vec![true, false],
        many_b: vec![1, 2, 3],
        many_c: vec![-1],
        many_g: vec![0.5],
        many_h: vec![String::new(), "b".to_owned()],
        many_i: vec![Time::default(); 2],
        many_texts: texts(&["c", ""]),
        two_a: [false, true],
        three_d: [4, 5, 6],
        ..fuzzed::All::default()
    }
}

fn part() -> fuzzed::Part {
    fuzzed::Part { fixed: vec![fuzzed::Fixed::default()], texts: texts(&["d"]), numbers: [7, 8] }
}

pub(super) fn messages() -> io::Result<()> {
    let deep = fuzzed::Deep { parts: vec![part(), part()], ..fuzzed::Deep::default() };
    let empties = fuzzed::Empties { many: vec![fuzzed::Empty::default(); 5], ..fuzzed::Empties::default() };
    let log =
        rosgraph_msgs::Log { msg: "lost".to_owned(), topics: vec!["/a".to_owned()], ..Default::default() };
    let image = sensor_msgs::Image { height: 1, data: vec![9; 20], ..Default::default() };
    let logger = roscpp::Logger { name: "ros".to_owned(), level: "info".to_owned() };
    let loggers = roscpp::GetLoggersResponse { loggers: vec![logger; 2] };
    message("all", 0, &fuzzed::All::default(), &all())?;
    message("deep", 1, &fuzzed::Deep::default(), &deep)?;
    message("empties", 2, &fuzzed::Empties::default(), &empties)?;
    message("fixed", 3, &fuzzed::Fixed::default(), &fuzzed::Fixed { a: -1, ..Default::default() })?;
    message("log", 4, &rosgraph_msgs::Log::default(), &log)?;
    message("image", 5, &sensor_msgs::Image { data: vec![1; 30], ..Default::default() }, &image)?;
    message("loggers", 6, &roscpp::GetLoggersResponse::default(), &loggers)
}

/// An answer of the master or of another node, with its head.
fn answer(value: impl FnOnce(&mut Values<'_, String>) -> Result<(), WriteError>) -> Vec<u8> {
    let (mut body, mut head) = (String::new(), String::new());
    Writer::triple(&mut body, 1, "", value).expect("an answer");
    write_response_head(&mut head, 200, body.len(), true).expect("a head");
    (head + &body).into_bytes()
}

/// A call of the slave API, with its head.
fn call(method: &str, topic: &str, uris: &[&str]) -> Vec<u8> {
    let (mut body, mut head) = (String::new(), String::new());
    let written = Writer::call(&mut body, method, |params| {
        params.string("/master")?;
        params.string(topic)?;
        params.array(|out| {
            uris.iter().try_for_each(|uri| {
                if method == "requestTopic" { out.array(|out| out.string(uri)) } else { out.string(uri) }
            })
        })
    });
    written.expect("a call");
    write_request_head(&mut head, "here:1", "/", body.len()).expect("a head");
    (head + &body).into_bytes()
}

fn fields(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut memory = [0; 300];
    let mut header = HeaderWriter::new(&mut memory).expect("room");
    for (name, value) in fields {
        header.field(name, value).expect("room");
    }
    header.finish().to_vec()
}

fn header(of: &str, name: &str, more: (&str, &str)) -> Vec<u8> {
    fields(&[("callerid", "/other"), (of, name), ("type", "t/T"), ("md5sum", "abc"), more])
}

fn frame(bytes: &[u8]) -> Vec<u8> {
    [&message_head(bytes.len() as u32), bytes].concat()
}

/// A conversation in the making: `src/node.rs` says what its steps are.
#[derive(Default)]
struct Talk(Vec<u8>);

impl Talk {
    fn step(mut self, what: u8, bytes: &[u8]) -> Talk {
        push_step(&mut self.0, what, 1, bytes);
        self
    }

    fn asks(self, what: u8, which: u8, bytes: &[u8]) -> Talk {
        self.step(6, &[&[what, which], bytes].concat())
    }

    fn arrives(self, at: u8, bytes: &[u8]) -> Talk {
        self.step(2, &[&[at], bytes].concat())
    }

    /// The other end accepts, and takes all that comes.
    fn takes(self, at: u8) -> Talk {
        self.step(4, &[at])
    }
}

/// A topic of the node, a subscriber that comes, listens and goes.
fn publisher() -> Vec<u8> {
    let greeting = header("topic", "/a", ("tcp_nodelay", "1"));
    let talk = Talk::default().asks(0, 0, b"").takes(0).arrives(0, &answer(|out| out.int(0)));
    let talk = talk.step(0, &call("requestTopic", "/a", &["TCPROS"])).step(1, &greeting[..9]);
    let talk = talk.arrives(2, &greeting[9..]).takes(2).asks(9, 0, b"sample").asks(9, 0, b"another");
    talk.step(3, &[2]).asks(1, 0, b"").takes(0).0
}

/// A node that subscribes, as far as to a connection with the publisher, which is asked for its header.
fn joins() -> Talk {
    let talk = Talk::default().asks(2, 0, b"").takes(0);
    let talk = talk.arrives(0, &answer(|out| out.array(|out| out.string("http://other:1/")))).takes(1);
    let at = answer(|out| {
        out.array(|out| {
            out.string("TCPROS")?;
            out.string("other")?;
            out.int(2)
        })
    });
    talk.arrives(1, &at).takes(1)
}

/// A topic of another node: asked for, joined, read, and not named any more.
fn subscriber() -> Vec<u8> {
    let talk = joins().arrives(1, &header("topic", "/a", ("latching", "1")));
    let talk = talk.arrives(1, &[frame(b"sample"), frame(b""), frame(b"an")].concat()).asks(2, 0, b"");
    talk.step(0, &call("publisherUpdate", "/a", &[])).asks(3, 0, b"").0
}

/// The same in shared memory: with one that cannot be opened, TCPROS instead.
fn borrower() -> Vec<u8> {
    let joined = fields(&[("tokkyu_joined", "1")]);
    let talk = joins().arrives(1, &header("topic", "/a", ("tokkyu_lender", "lender"))).takes(1);
    let talk = talk.arrives(1, &joined).asks(2, 0, b"").takes(1).arrives(1, &joined).asks(3, 0, b"");
    talk.arrives(1, &fields(&[("error", "full")])).0
}

/// A topic of the node in shared memory, and a subscriber in another process with two bells, then with one of a reliable subscription.
fn lender() -> Vec<u8> {
    let bell = |field, source| fields(&[(field, "bell"), ("tokkyu_source", source)]);
    let talk = Talk::default().asks(0, 0, b"").takes(0).arrives(0, &answer(|out| out.int(0)));
    let talk = talk.step(1, &header("topic", "/a", ("tokkyu_device", "device"))).takes(1);
    let talk = talk.arrives(1, &[bell("tokkyu_bell", "3"), bell("tokkyu_bell", "4")].concat()).takes(1);
    let reliable =
        [("tokkyu_bell", "bell"), ("tokkyu_source", "5"), ("tokkyu_receipts", "7"), ("tokkyu_depth", "2")];
    let talk = talk.arrives(1, &bell("tokkyu_leaves", "3")).arrives(1, &fields(&reliable)).takes(1);
    let talk = talk.asks(9, 0, b"sample");
    talk.step(0, &call("getBusInfo", "/a", &[])).step(3, &[1]).0
}

/// A service of the node, and a client that asks twice.
fn service() -> Vec<u8> {
    let talk = Talk::default().asks(4, 1, b"").takes(0).arrives(0, &answer(|out| out.int(0)));
    let talk =
        talk.step(1, &[header("service", "/b", ("persistent", "1")), frame(b"request")].concat()).takes(1);
    talk.asks(6, 0, b"answer").arrives(1, &frame(b"")).asks(6, 1, b"").step(3, &[1]).asks(5, 1, b"").0
}

/// Everything of the slave API, one call behind the other; a parameter; the end.
fn slave() -> Vec<u8> {
    let methods =
        ["getPid", "getMasterUri", "getBusInfo", "getBusStats", "getPublications", "getSubscriptions"];
    let calls: Vec<u8> = methods.iter().flat_map(|method| call(method, "/a", &[])).collect();
    let talk = Talk::default().asks(0, 0, b"").asks(2, 0, b"").asks(8, 2, b"").step(0, &calls).takes(1);
    let talk = talk.step(0, &call("paramUpdate", "/c", &["value"])).step(7, b"\x01four");
    talk.step(0, &call("shutdown", "reason", &[])).asks(10, 0, b"").0
}

pub(super) fn graph() -> io::Result<()> {
    write("graph", "publisher", publisher())?;
    write("graph", "subscriber", subscriber())?;
    write("graph", "borrower", borrower())?;
    write("graph", "lender", lender())?;
    write("graph", "service", service())?;
    write("graph", "slave", slave())
}

/// Two runs of a bridge: the one has a topic, the other wants one.
pub fn bridge_messages() -> io::Result<()> {
    let topic = bridge::Topic {
        name: "camera/front".into(),
        type_name: "sensor_msgs/Image".into(),
        md5sum: "060021388200f6f0f447d0fcd9c64743".into(),
        definition: "uint32 height".into(),
        is_latched: true,
        generation: 7,
    };
    let node = "/tokkyu_bridge_vehicle_1".to_owned();
    let first = bridge::Message { instance: 1, number: 1, node, topics: vec![topic], wanted: [].into() };
    let second = bridge::Message { instance: 2, wanted: ["cmd_vel@1".to_owned()].into(), ..first.clone() };
    write("node_bridge_message", "two", [first.write(), second.write()].join(&b'\n'))
}

/// Calls of a master: who subscribes, who publishes and comes again elsewhere, services and parameters.
pub fn master() -> io::Result<()> {
    let calls: [(&str, &[&str]); 9] = [
        ("registerSubscriber", &["/listener", "/chatter", "std_msgs/String", "http://10.0.2.15:11413/"]),
        ("registerPublisher", &["/talker", "/chatter", "std_msgs/String", "http://10.0.2.15:11415/"]),
        ("registerPublisher", &["/talker", "/chatter", "std_msgs/String", "http://10.0.2.15:11417/"]),
        ("registerService", &["/talker", "/arm/home", "rosrpc://10.0.2.15:11418", "http://10.0.2.15:11417/"]),
        ("subscribeParam", &["/listener", "http://10.0.2.15:11413/", "/arm/rate"]),
        ("setParam", &["/talker", "/arm/rate", "10"]),
        ("searchParam", &["/arm/listener", "rate"]),
        ("getSystemState", &["/tool"]),
        ("unregisterPublisher", &["/talker", "/chatter", "http://10.0.2.15:11417/"]),
    ];
    let document = |(method, arguments): (&str, &[&str])| {
        let mut body = String::new();
        let write = |params: &mut Values<'_, String>| {
            arguments.iter().try_for_each(|argument| params.string(argument))
        };
        Writer::call(&mut body, method, write).expect("a call");
        body.into_bytes()
    };
    write("master", "nine", calls.map(document).join(&0))
}

/// What a master knows, twice: topics that cross and one that stays, a service, and then less.
pub fn bridge_master() -> io::Result<()> {
    let known = |topics: &[&str]| {
        let mut body = String::new();
        let entry = |out: &mut Values<'_, String>, name: &str| {
            out.array(|out| {
                out.string(name)?;
                out.array(|out| ["/driver", "/other"].iter().try_for_each(|node| out.string(node)))
            })
        };
        let written = Writer::triple(&mut body, 1, "", |out| {
            out.array(|out| {
                out.array(|out| topics.iter().try_for_each(|topic| entry(out, topic)))?;
                out.array(|out| entry(out, "/cmd_vel"))?;
                out.array(|out| entry(out, "/arm/home"))
            })
        });
        written.expect("an answer");
        body.into_bytes()
    };
    let documents = [known(&["/camera/front", "/camera/rear", "/odom"]), known(&["/camera/rear"])];
    write("node_bridge_master", "two", documents.join(&0))
}
