//! Headers, messages, names, arguments and addresses of ROS 1: any bytes are read or refused, however they come, and what is read is good.

use tokkyu_ros1::Progress;
use tokkyu_ros1::names::{Names, Remappings, resolve, validate};
use tokkyu_ros1::tcpros::{Frames, HeaderWriter, Step, Wanted, read_header};
use tokkyu_ros1::uri::Uri;

const LIMIT: u32 = 300;

fn header(bytes: &[u8], cut: usize) {
    let all = read_header(bytes, 2000);
    let early = read_header(&bytes[..cut], 2000);
    assert!(matches!(early, Ok(Progress::More)) || early == all);
    let Ok(Progress::Whole { message, used }) = all else { return };
    let mut memory = vec![0; used];
    let mut writer = HeaderWriter::new(&mut memory).expect("room");
    for (name, value) in message.fields() {
        let (Ok(name), Ok(value)) = (std::str::from_utf8(name), std::str::from_utf8(value)) else { return };
        assert!(message.get(name).is_some());
        writer.field(name, value).expect("as long as it was");
    }
    assert_eq!(writer.finish(), &bytes[..used]);
}

/// The messages in pieces that end at `cut`, and whether it ended in an error.
fn messages(mut frames: Frames, bytes: &[u8], cut: usize) -> (Vec<Vec<u8>>, bool) {
    let (mut whole, mut open) = (Vec::new(), None::<Vec<u8>>);
    for mut piece in [&bytes[..cut], &bytes[cut..]] {
        loop {
            match frames.step(&mut piece) {
                Ok(Step::More) => break,
                Ok(Step::Begin(frame)) => {
                    assert!(frame.len <= LIMIT as usize);
                    assert_eq!(frames.wanted(), Wanted::Body { offset: 0, missing: frame.len });
                    assert_eq!(open.replace(vec![0; frame.len]), None);
                }
                Ok(Step::Body { offset, bytes }) => {
                    let message = open.as_mut().expect("it has begun");
                    message[offset..offset + bytes.len()].copy_from_slice(bytes);
                }
                Ok(Step::Whole(_)) => whole.push(open.take().expect("it has begun")),
                Err(_) => return (whole, true),
            }
        }
    }
    (whole, false)
}

fn names(text: &str) {
    let arguments = || text.split('\n');
    for name in arguments() {
        if let Ok(global) = resolve("/a", "b", name) {
            assert!(global.starts_with('/') && !global.contains("//") && validate(&global) == Ok(()));
        }
        if let Ok(uri) = Uri::parse(name) {
            assert_eq!(Uri::parse(&uri.to_string()), Ok(uri));
        }
    }
    let Ok(remappings) = Remappings::parse(arguments()) else { return };
    let Ok(names) = Names::new("b", "/a", &remappings) else { return };
    assert!(names.node().starts_with(names.namespace()));
    for (from, _) in remappings.renamed() {
        assert!(names.resolve(from).is_ok_and(|name| name.starts_with('/')));
    }
    for (parameter, _) in remappings.parameters() {
        assert!(names.resolve(&format!("~{parameter}")).is_ok());
    }
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let cut = usize::from(first).min(rest.len());
    header(rest, cut);
    for frames in [Frames::new(LIMIT), Frames::of_answers(LIMIT)] {
        assert_eq!(messages(frames.clone(), rest, 0), messages(frames, rest, cut));
    }
    if let Ok(text) = std::str::from_utf8(rest) {
        names(text);
    }
}
