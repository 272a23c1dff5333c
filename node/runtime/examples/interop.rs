//! One of our nodes in the tests against ROS 1 (`node/tests/ros1`, whose README lists roles and keys): what it does stands on its command line,
//! what happens it prints, a line each.
//!
//! `interop ROLE KEY=VALUE... [FROM:=TO...]`

use std::error::Error;
use std::io::BufRead;
use std::time::{Duration, Instant};

use tokkyu_node::messages::{sensor_msgs, std_msgs, std_srvs};
use tokkyu_node::{
    Delivery, Kind, Level, Message, Node, Param, PublishError, Publisher, PublisherOptions, Service,
    ServiceServer, Subscription, SubscriptionOptions, sleep_steady,
};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// `KEY=VALUE` of the command line, in their order.
struct Keys(Vec<(String, String)>);

impl Keys {
    fn read(arguments: impl Iterator<Item = String>) -> Keys {
        let is_key = |argument: &String| !argument.contains(":=");
        let pair = |argument: String| {
            let (key, value) = argument.split_once('=').unwrap_or((&argument, ""));
            (key.to_owned(), value.to_owned())
        };
        Keys(arguments.filter(is_key).map(pair).collect())
    }

    fn text<'k>(&'k self, key: &str, default: &'k str) -> &'k str {
        self.0.iter().find(|(name, _)| name == key).map_or(default, |(_, value)| value)
    }

    fn number<T: std::str::FromStr>(&self, key: &str, default: T) -> Outcome<T> {
        match self.text(key, "") {
            "" => Ok(default),
            text => text.parse().map_err(|_| format!("{key}={text} is no number").into()),
        }
    }

    fn is_set(&self, key: &str) -> bool {
        self.text(key, "0") == "1"
    }
}

fn main() -> Outcome {
    let mut arguments = std::env::args().skip(1);
    let role = arguments.next().ok_or("interop ROLE KEY=VALUE... [FROM:=TO...]")?;
    let keys = Keys::read(arguments);
    let mut builder = Node::builder(keys.text("node", &role)).arguments(std::env::args().skip(1));
    if keys.is_set("anonymous") {
        builder = builder.anonymous();
    }
    let node = builder.build()?;
    match &role[..] {
        "publish" => publish(&node, &keys)?,
        "subscribe" => with(&node, subscribe(&node, &keys)?),
        "serve" => with(&node, serve(&node, &keys)?),
        "call" => call(&node, &keys)?,
        "all" => all(&node, &keys)?,
        "again" => again(&node, &keys)?,
        "param" => params(&node, &keys)?,
        "cached" => cached(&node)?,
        "names" => names(&node, &keys)?,
        "say" => say(&node),
        "clock" => clock(&node, &keys)?,
        "sleep" => sleep(&node, &keys)?,
        _ => return Err(format!("{role} is no role").into()),
    }
    node.shutdown();
    println!("ended");
    Ok(())
}

fn ready(node: &Node) {
    println!("ready {}", node.name());
}

/// Calls callbacks until the node ends; what they belong to lives as long.
fn with<T>(node: &Node, _kept: T) {
    ready(node);
    node.spin();
}

/// What a picture's bytes are: those of another one begin elsewhere.
fn pattern(number: u64, bytes: usize) -> Vec<u8> {
    (0..bytes as u64).map(|at| ((at + number) % 251) as u8).collect()
}

fn image(number: u64, bytes: usize) -> sensor_msgs::Image {
    let mut image = sensor_msgs::Image {
        height: 1,
        width: bytes as u32,
        encoding: "mono8".to_owned(),
        step: bytes as u32,
        data: pattern(number, bytes),
        ..Default::default()
    };
    image.header.stamp.sec = number as u32;
    image
}

fn publish(node: &Node, keys: &Keys) -> Outcome {
    let options = PublisherOptions {
        is_latched: keys.is_set("latch"),
        ..PublisherOptions::with_depth(keys.number("depth", 1000)?)
    };
    let (topic, bytes): (_, usize) = (keys.text("topic", "chatter"), keys.number("bytes", 0)?);
    if keys.text("kind", "string") == "image" {
        let publisher = node.advertise_with(topic, options)?;
        return stream(node, keys, &publisher, |number| image(number, bytes));
    }
    let publisher = node.advertise_with(topic, options)?;
    let text = keys.text("text", "");
    stream(node, keys, &publisher, |number| std_msgs::String {
        data: format!("{:.<bytes$}", format!("{text}{number}")),
    })
}

/// Publishes at a frequency, and then stays. Nothing is left out: what is late is hurried after.
fn stream<M: Message>(
    node: &Node,
    keys: &Keys,
    publisher: &Publisher<M>,
    make: impl Fn(u64) -> M,
) -> Outcome {
    let (wait, count): (u32, u64) = (keys.number("wait", 0)?, keys.number("count", 0)?);
    let period = Duration::from_secs_f64(1.0 / keys.number("hz", 20.0)?);
    ready(node);
    while node.is_ok() && publisher.subscribers() < wait {
        node.spin_for(Duration::from_millis(5));
    }
    println!("begins");
    let (mut next, mut number) = (Instant::now(), 0);
    while node.is_ok() && (count == 0 || number < count) {
        let message = make(number);
        let said = match keys.text("form", "object") {
            "wire" => publisher.publish_ref(&message),
            _ => publisher.publish(message),
        };
        match said {
            // As the C++ face has it, and its log.
            Err(error @ PublishError::Full) => println!("{error}"),
            other => drop(other?),
        }
        number += 1;
        next += period;
        sleep_steady(next.saturating_duration_since(Instant::now()));
    }
    println!("published {number}");
    node.spin();
    Ok(())
}

fn subscribe(node: &Node, keys: &Keys) -> Outcome<Subscription> {
    let topic = keys.text("topic", "chatter");
    let options = SubscriptionOptions::with_depth(keys.number("depth", 1000)?);
    Ok(match keys.text("kind", "string") {
        "image" => node.subscribe_view::<sensor_msgs::Image>(topic, options, |image| {
            let number = image.header.stamp.sec;
            let data: Vec<u8> = image.data.iter().collect();
            let is_right = data == pattern(number.into(), image.width as usize);
            println!("image {number} {} {}", data.len(), if is_right { "right" } else { "wrong" });
        })?,
        "any" => {
            let kind = Kind { datatype: "*".into(), md5sum: "*".into(), definition: String::new() };
            let tell = |delivery: &mut Delivery<'_>| {
                println!("heard {} {}", delivery.origin().datatype.clone(), delivery.wire().len());
            };
            node.subscribe_raw(topic, kind, &options, tell)?
        }
        _ => node.subscribe_with(topic, options, |message: &std_msgs::String| {
            println!("heard {}", message.data)
        })?,
    })
}

fn serve(node: &Node, keys: &Keys) -> Outcome<ServiceServer> {
    let (reason, waits) = (keys.text("reason", "the lamp is broken").to_owned(), keys.is_set("wait"));
    let answer = move |request: &std_srvs::SetBoolRequest| {
        println!("asked {}", request.data);
        if waits {
            let _ = std::io::stdin().lock().lines().next();
        }
        if request.data {
            Ok(std_srvs::SetBoolResponse { success: true, message: "it is on".to_owned() })
        } else {
            Err(reason.clone())
        }
    };
    Ok(node.advertise_service::<std_srvs::SetBool>(keys.text("service", "switch"), answer)?)
}

/// A call for each line of the input.
fn call(node: &Node, keys: &Keys) -> Outcome {
    let service = keys.text("service", "switch");
    type S = std_srvs::SetBool;
    let kind = Kind { datatype: S::DATATYPE.into(), md5sum: S::MD5SUM.into(), definition: String::new() };
    let mut kept = node.client_raw(service, kind, true)?;
    let mut client = node.service_client::<S>(service)?;
    if !node.wait_for_service(service, Some(Duration::from_secs(30)))? {
        return Err(format!("nobody offers {service}").into());
    }
    ready(node);
    for line in std::io::stdin().lock().lines() {
        let request = std_srvs::SetBoolRequest { data: line? == "true" };
        let answer = if keys.is_set("persistent") {
            let mut bytes = Vec::new();
            tokkyu_message::write_to(&request, &mut bytes);
            let mut response = std_srvs::SetBoolResponse::default();
            let answer = kept.call(&bytes);
            answer.map(|bytes| tokkyu_message::read_whole(&mut response, &bytes).map(|()| response))
        } else {
            client.call(&request).map(Ok)
        };
        match answer {
            Ok(response) => {
                let response = response?;
                println!("answered {} {}", response.success, response.message);
            }
            Err(error) => println!("failed {error}"),
        }
    }
    Ok(())
}

/// Something of everything, for who asks what a node has.
fn all(node: &Node, keys: &Keys) -> Outcome {
    let publisher = node.advertise::<std_msgs::String>("out", 100)?;
    let heard = |message: &std_msgs::String| println!("heard {}", message.data);
    let _subscription = node.subscribe("in", 100, heard)?;
    let _server = serve(node, keys)?;
    ready(node);
    let mut number = 0;
    while node.is_ok() {
        publisher.publish(std_msgs::String { data: number.to_string() })?;
        number += 1;
        let until = Instant::now() + Duration::from_millis(100);
        while node.is_ok() && Instant::now() < until {
            node.spin_for(until.saturating_duration_since(Instant::now()));
        }
    }
    Ok(())
}

/// Comes and goes: advertises and subscribes, says and hears something, and gives both up, again and again.
fn again(node: &Node, keys: &Keys) -> Outcome {
    ready(node);
    for round in 0..keys.number("rounds", 3)? {
        let publisher = node.advertise::<std_msgs::String>("out", 100)?;
        let (heard, hears) = std::sync::mpsc::channel();
        // Whoever waited for it may be gone by then.
        let tell = move |_: &std_msgs::String| heard.send(()).unwrap_or_default();
        let _subscription = node.subscribe("in", 100, tell)?;
        while node.is_ok() && (publisher.subscribers() == 0 || hears.try_recv().is_err()) {
            node.spin_for(Duration::from_millis(10));
        }
        publisher.publish(std_msgs::String { data: format!("round {round}") })?;
        // What is published and not yet sent ends with the publisher.
        sleep_steady(Duration::from_millis(200));
        println!("round {round}");
    }
    println!("done");
    node.spin();
    Ok(())
}

fn words(param: &Param) -> String {
    match param {
        Param::Bool(value) => format!("bool {value}"),
        Param::Int(value) => format!("int {value}"),
        Param::Double(value) => format!("double {value}"),
        Param::Text(value) => format!("string {value}"),
        Param::Binary(value) => format!("binary {}", value.len()),
        Param::List(items) => format!("[{}]", items.iter().map(words).collect::<Vec<_>>().join(", ")),
        Param::Map(items) => {
            let item = |(name, value): (&String, &Param)| format!("{name}: {}", words(value));
            format!("{{{}}}", items.iter().map(item).collect::<Vec<_>>().join(", "))
        }
        Param::Nil => "nil".to_owned(),
    }
}

/// `TYPE:VALUE`.
fn value(text: &str) -> Outcome<Param> {
    let (kind, value) = text.split_once(':').ok_or("a value is TYPE:VALUE")?;
    Ok(match kind {
        "bool" => Param::Bool(value == "true"),
        "int" => Param::Int(value.parse()?),
        "double" => Param::Double(value.parse()?),
        "ints" => {
            Param::List(value.split(',').map(|item| item.parse().map(Param::Int)).collect::<Result<_, _>>()?)
        }
        "map" => {
            let (name, value) = value.split_once('.').ok_or("a map is NAME.INT")?;
            Param::Map([(name.to_owned(), Param::Int(value.parse()?))].into())
        }
        _ => Param::Text(value.to_owned()),
    })
}

fn params(node: &Node, keys: &Keys) -> Outcome {
    for (key, text) in &keys.0 {
        match &key[..] {
            "get" => {
                let value: Option<Param> = node.param(text)?;
                println!("get {text} = {}", value.as_ref().map_or("nothing".to_owned(), words));
            }
            "set" => {
                let (name, text) = text.split_once(':').ok_or("set=NAME:TYPE:VALUE")?;
                node.set_param(name, &value(text)?)?;
            }
            "has" => println!("has {text} = {}", node.has_param(text)?),
            "delete" => println!("delete {text} = {}", node.delete_param(text)?),
            "search" => {
                println!("search {text} = {}", node.search_param(text)?.unwrap_or("nothing".to_owned()));
            }
            _ => {}
        }
    }
    println!("done");
    with(node, ());
    Ok(())
}

/// Reads parameters as the master told of them last, a name in each line of input.
fn cached(node: &Node) -> Outcome {
    ready(node);
    for name in std::io::stdin().lock().lines() {
        let name = name?;
        let value: Option<Param> = node.param_cached(&name)?;
        println!("cached {name} = {}", value.as_ref().map_or("nothing".to_owned(), words));
    }
    Ok(())
}

fn names(node: &Node, keys: &Keys) -> Outcome {
    println!("namespace {}", node.namespace());
    for name in keys.text("names", "").split(',') {
        println!("resolved {name} = {}", node.resolve(name).unwrap_or("refused".to_owned()));
    }
    with(node, ());
    Ok(())
}

/// Says something at each level, again and again.
fn say(node: &Node) {
    ready(node);
    while node.is_ok() {
        for level in [Level::Debug, Level::Info, Level::Warn, Level::Error, Level::Fatal] {
            node.say(level, format_args!("this is {level:?}"));
        }
        node.spin_for(Duration::from_millis(100));
    }
}

/// Says what time it is whenever that has changed, and when its timer calls.
fn clock(node: &Node, keys: &Keys) -> Outcome {
    let period = Duration::from_secs_f64(keys.number("period", 1.0)?);
    let _timer = node.timer(period, |event| println!("tick {}", event.current_real));
    ready(node);
    let mut last = None;
    while node.is_ok() {
        let now = node.now();
        if last.replace(now) != Some(now) {
            println!("now {now}");
        }
        node.spin_for(Duration::from_millis(10));
    }
    Ok(())
}

fn sleep(node: &Node, keys: &Keys) -> Outcome {
    let time = Duration::from_secs_f64(keys.number("time", 1.0)?);
    ready(node);
    // In simulated time 0 says that none has come yet.
    while node.is_ok() && node.now().as_nanos() == 0 {
        sleep_steady(Duration::from_millis(5));
    }
    println!("sleeps {}", node.now());
    println!("woke {} {}", node.sleep(time), node.now());
    node.spin();
    Ok(())
}
