//! A master that agrees to everything and knows only who publishes: over the same stack as the nodes. Also of the tests of
//! node/rtos.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr};

use tokkyu_callbacks::port::{Network, Polled, Sockets};
use tokkyu_contract::Class;
use tokkyu_graph::{ConnId, Io, Listener, Net, Wants};
use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{read_request, write_response_head};
use tokkyu_ros1::xmlrpc::{Value, Writer, read_call};

/// Topics and the URIs of those who publish them, in the order in which they came. Nobody is told of later ones.
type Publishers = Vec<(String, String)>;

/// Never ends.
pub(crate) fn run(port: &impl Network) {
    let (bell, mut sockets) = port.listen(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).expect("a network");
    let (mut open, mut publishers, mut polled) = (BTreeMap::new(), Publishers::new(), Polled::default());
    let mut made = 0;
    loop {
        bell.answer();
        let waits = |id: &ConnId| Wants {
            id: *id,
            class: Class::BestEffort,
            reads: true,
            writes: false,
            hears_end: false,
        };
        let wants: Vec<Wants> = open.keys().map(waits).collect();
        if bell.rest() {
            sockets.poll(&wants, true, None, &mut polled);
        }
        for _ in &polled.connecting {
            if sockets.accept(Listener::Slave, ConnId(made)).is_some() {
                open.insert(ConnId(made), Vec::new());
                made += 1;
            }
        }
        for (wants, _) in &polled.ready {
            let input = open.get_mut(&wants.id).expect("it is open");
            if !talk(&mut *sockets, wants.id, input, &mut publishers) {
                open.remove(&wants.id);
                sockets.close(wants.id);
            }
        }
    }
}

/// False: it is over.
fn talk(sockets: &mut dyn Sockets, id: ConnId, input: &mut Vec<u8>, publishers: &mut Publishers) -> bool {
    let mut chunk = [0; 1024];
    match sockets.read(id, &mut chunk) {
        Io::Done(count) => input.extend_from_slice(&chunk[..count]),
        Io::Later => return true,
        Io::Over => return false,
    }
    while let Ok(Progress::Whole { message, used }) = read_request(input, 1 << 16) {
        let answer = answer(message.body, publishers);
        input.drain(..used);
        assert_eq!(sockets.write(id, [answer.as_bytes(), &[]]), Io::Done(answer.len()), "answers are short");
    }
    true
}

fn answer(body: &[u8], publishers: &mut Publishers) -> String {
    let call = read_call(body).expect("a call");
    let words: Vec<String> = call.params.map_while(text).collect();
    let (mut body, mut head) = (String::new(), String::new());
    let written =
        Writer::triple(&mut body, 1, "", |value| match (call.method.to_string().as_str(), &words[..]) {
            ("registerPublisher", [_, topic, _, uri]) => {
                publishers.push((topic.clone(), uri.clone()));
                value.array(|_| Ok(()))
            }
            ("registerSubscriber", [_, topic, ..]) => value.array(|value| {
                let of_topic = publishers.iter().filter(|(other, _)| other == topic);
                of_topic.into_iter().try_for_each(|(_, uri)| value.string(uri))
            }),
            _ => value.boolean(false),
        });
    written.expect("nothing that cannot be written");
    write_response_head(&mut head, 200, body.len(), true).expect("a head");
    head + &body
}

fn text(value: Value<'_>) -> Option<String> {
    if let Value::Str(text) = value { Some(text.to_string()) } else { None }
}
