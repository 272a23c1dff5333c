//! Headers (NODE-44) and messages (NODE-45).

use std::collections::BTreeMap;

use proptest::prelude::*;
use tokkyu_ros1::Progress;
use tokkyu_ros1::tcpros::{
    Frame, FrameError, Frames, Header, HeaderError, HeaderWriter, MAX_HEADER, Step, Wanted, answer_head,
    message_head, read_header,
};

/// A header with these fields, whatever they are.
fn header(fields: &[&[u8]]) -> Vec<u8> {
    let fields: Vec<u8> = fields.iter().flat_map(|field| with_length(field)).collect();
    with_length(&fields)
}

fn with_length(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

fn read(bytes: &[u8]) -> Result<Header<'_>, HeaderError> {
    match read_header(bytes, MAX_HEADER)? {
        Progress::Whole { message, used } if used == bytes.len() => Ok(message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn fields_are_found_whatever_their_order_and_the_first_of_a_name_counts() {
    let bytes = header(&[b"unknown==", b"topic=/a", b"type=", b"topic=/b", b"topic\0=x"]);
    let header = read(&bytes).unwrap();
    assert_eq!((header.get("topic"), header.get("type"), header.get("md5sum")), (Some("/a"), Some(""), None));
    assert_eq!(header.get("unknown"), Some("="), "the first = ends the name");
    let names: Vec<_> = header.fields().map(|(name, _)| name).collect();
    assert_eq!(names, [&b"unknown"[..], b"topic", b"type", b"topic", b"topic\0"]);
}

#[test]
fn a_value_that_is_no_utf8_is_bytes_and_no_text() {
    let bytes = header(&[b"message_definition=# 20 \xb0C", b"topic=/a"]);
    let header = read(&bytes).unwrap();
    assert_eq!((header.get("message_definition"), header.get("topic")), (None, Some("/a")));
    assert_eq!(header.bytes("message_definition"), Some(&b"# 20 \xb0C"[..]));
}

#[test]
fn an_empty_header_is_a_header() {
    assert_eq!(read(&[0; 4]).unwrap().fields().count(), 0);
}

#[test]
fn fields_that_lie_or_have_no_name_are_refused() {
    for field in [&b""[..], b"=", b"=value", b"name"] {
        assert_eq!(read(&header(&[b"a=b", field])), Err(HeaderError::NoName), "{field:?}");
    }
    let lies = |inside: &[u8]| read(&with_length(inside)).unwrap_err();
    assert_eq!(lies(&[4, 0, 0, 0, b'a', b'=', b'b']), HeaderError::Beyond);
    assert_eq!(lies(&[0xff, 0xff, 0xff, 0xff, b'a', b'=', b'b']), HeaderError::Beyond);
    assert_eq!(lies(&[3, 0, 0, 0, b'a', b'=', b'b', 1, 0, 0]), HeaderError::Beyond);
}

#[test]
fn a_header_that_is_too_long_is_refused_before_it_is_there() {
    let said =
        |len: u32, max| read_header(&len.to_le_bytes(), max).map(|progress| progress == Progress::More);
    assert_eq!(said(MAX_HEADER as u32, MAX_HEADER), Ok(true));
    let error = HeaderError::TooLong { len: MAX_HEADER + 1, max: MAX_HEADER };
    assert_eq!(said(MAX_HEADER as u32 + 1, usize::MAX), Err(error));
    assert_eq!(said(0x8000_0000, 100), Err(HeaderError::TooLong { len: 1 << 31, max: 100 }));
    assert_eq!(said(101, 100), Err(HeaderError::TooLong { len: 101, max: 100 }));
    assert_eq!(read_header(&[0xff; 3], 100), Ok(Progress::More));
}

#[test]
fn a_header_is_written_as_far_as_there_is_room() {
    let mut memory = [0; 4 + 4 + 8 + 4 + 3];
    let mut writer = HeaderWriter::new(&mut memory).unwrap();
    assert_eq!(writer.field("topic", "/long"), Ok(()));
    assert_eq!(writer.field("a", "=long"), Err(HeaderError::Full));
    assert_eq!(writer.field("a=", "b"), Err(HeaderError::Name));
    assert_eq!(writer.field("", "b"), Err(HeaderError::Name));
    assert_eq!(writer.field("type", ""), Err(HeaderError::Full));
    let bytes = writer.finish();
    assert_eq!(bytes, header(&[b"topic=/long"]));
    assert_eq!(HeaderWriter::new(&mut [0; 3]).err(), Some(HeaderError::Full));

    let mut memory = vec![0; MAX_HEADER + 100];
    let mut writer = HeaderWriter::new(&mut memory).unwrap();
    let value = "x".repeat(MAX_HEADER - 4 - 2);
    let long = HeaderError::TooLong { len: MAX_HEADER + 1, max: MAX_HEADER };
    assert_eq!(writer.field("a", &format!("{value}x")), Err(long));
    assert_eq!(writer.field("a", &value), Ok(()));
    assert_eq!(read(writer.finish()).unwrap().get("a"), Some(&value[..]));
}

/// What a connection was: messages, and what ended it.
type Told = (Vec<(bool, Vec<u8>)>, Option<FrameError>);

/// Takes the steps for bytes that come in these pieces.
fn told<'a>(mut frames: Frames, pieces: impl IntoIterator<Item = &'a [u8]>) -> Told {
    let (mut messages, mut open) = (Vec::new(), None::<Vec<u8>>);
    for mut piece in pieces {
        loop {
            match frames.step(&mut piece) {
                Ok(Step::More) => break,
                Ok(Step::Begin(frame)) => assert_eq!(open.replace(vec![0xee; frame.len]), None),
                Ok(Step::Body { offset, bytes }) => {
                    open.as_mut().unwrap()[offset..offset + bytes.len()].copy_from_slice(bytes);
                }
                Ok(Step::Whole(frame)) => messages.push((frame.done, open.take().unwrap())),
                Err(error) => {
                    assert_eq!(frames.step(&mut &[0; 9][..]), Err(error), "it is for good");
                    return (messages, Some(error));
                }
            }
        }
    }
    (messages, None)
}

/// What it should be, for bytes that are all there.
fn expected(mut bytes: &[u8], answers: bool, limit: u32) -> Told {
    let mut messages = Vec::new();
    loop {
        let (first, rest) = if answers { bytes.split_first().unwrap_or((&1, &[])) } else { (&1, bytes) };
        let Some((length, rest)) = rest.split_first_chunk() else { return (messages, None) };
        let len = u32::from_le_bytes(*length);
        if *first > 1 {
            return (messages, Some(FrameError::Answer(*first)));
        }
        if len > limit {
            return (messages, Some(FrameError::TooLong { len, limit }));
        }
        let Some((body, rest)) = rest.split_at_checked(len as usize) else { return (messages, None) };
        messages.push((*first == 1, body.to_vec()));
        bytes = rest;
    }
}

#[test]
fn a_message_over_the_limit_is_refused_before_it_begins() {
    let refused = |len: u32| told(Frames::new(5), [&message_head(len)[..]]);
    assert_eq!(refused(5), (vec![], None));
    assert_eq!(refused(6), (vec![], Some(FrameError::TooLong { len: 6, limit: 5 })));
    assert_eq!(refused(0x7fff_ffff), (vec![], Some(FrameError::TooLong { len: i32::MAX as u32, limit: 5 })));
    assert!(told(Frames::of_answers(5), [&answer_head(false, 6)[..]]).1.is_some());
}

#[test]
fn an_empty_message_is_whole_as_soon_as_it_begins() {
    let mut frames = Frames::new(0);
    let mut bytes = &message_head(0)[..];
    let frame = Frame { len: 0, done: true };
    assert_eq!(frames.step(&mut bytes), Ok(Step::Begin(frame)));
    assert_eq!(frames.wanted(), Wanted::Body { offset: 0, missing: 0 });
    assert_eq!(frames.step(&mut bytes), Ok(Step::Whole(frame)));
    assert_eq!((frames.step(&mut bytes), frames.wanted()), (Ok(Step::More), Wanted::Head(4)));
}

#[test]
fn the_answer_of_a_service_says_whether_it_is_done() {
    let reason = [&answer_head(false, 2)[..], b"no", &answer_head(true, 1), b"y"].concat();
    let messages = vec![(false, b"no".to_vec()), (true, b"y".to_vec())];
    assert_eq!(told(Frames::of_answers(9), [&reason[..]]), (messages, None));
    assert_eq!(told(Frames::of_answers(9), [&[2, 0, 0, 0, 0][..]]).1, Some(FrameError::Answer(2)));
}

#[test]
fn a_body_may_be_read_straight_into_the_message() {
    let mut frames = Frames::of_answers(100);
    assert_eq!(frames.wanted(), Wanted::Head(5));
    let mut head = &answer_head(true, 6)[..2];
    assert_eq!((frames.step(&mut head), frames.wanted()), (Ok(Step::More), Wanted::Head(3)));
    let mut rest = &[&answer_head(true, 6)[2..], b"ab"].concat()[..];
    let frame = Frame { len: 6, done: true };
    assert_eq!(frames.step(&mut rest), Ok(Step::Begin(frame)));
    assert_eq!(frames.step(&mut rest), Ok(Step::Body { offset: 0, bytes: b"ab" }));
    frames.filled(3);
    assert_eq!(frames.wanted(), Wanted::Body { offset: 5, missing: 1 });
    assert_eq!(frames.step(&mut rest), Ok(Step::More));
    frames.filled(7);
    assert_eq!(frames.wanted(), Wanted::Body { offset: 6, missing: 0 }, "not more than is missing");
    assert_eq!((frames.step(&mut rest), frames.wanted()), (Ok(Step::Whole(frame)), Wanted::Head(5)));
    frames.filled(1);
    assert_eq!(frames.wanted(), Wanted::Head(5), "no message has begun");
}

/// Bytes of which many are lengths.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..6),
        (0_u32..6).prop_map(|len| len.to_le_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..6).prop_map(|body| with_length(&body)),
        (any::<bool>(), prop::collection::vec(any::<u8>(), 0..6)).prop_map(|(done, body)| [
            &[u8::from(done)],
            &with_length(&body)[..]
        ]
        .concat()),
        Just(b"\x03\0\0\0a=b".to_vec()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn messages_do_not_depend_on_how_the_bytes_came(
        bytes in streams(),
        cuts in prop::collection::vec(0_usize..100, 0..8),
        answers: bool,
    ) {
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let frames = if answers { Frames::of_answers(5) } else { Frames::new(5) };
        let pieces = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]);
        prop_assert_eq!(told(frames, pieces), expected(&bytes, answers, 5));
    }

    #[test]
    fn a_header_does_not_depend_on_how_the_bytes_came(inside in streams(), behind in streams()) {
        for bytes in [[with_length(&inside), behind].concat(), inside] {
            let all = read_header(&bytes, 60);
            for length in 0..bytes.len() {
                let early = read_header(&bytes[..length], 60);
                prop_assert!(early == Ok(Progress::More) || early == all, "{} {:?} {:?}", length, early, all);
            }
            if let Ok(Progress::Whole { message, used }) = all {
                let again: Vec<_> = message.fields().map(|(name, value)| [name, b"=", value].concat()).collect();
                let again: Vec<_> = again.iter().map(|field| &field[..]).collect();
                prop_assert_eq!(header(&again), &bytes[..used]);
            }
        }
    }

    #[test]
    fn fields_that_are_written_are_read(fields in prop::collection::btree_map("[^=]{1,9}", ".*", 0..9)) {
        let mut memory = vec![0; 9000];
        let mut writer = HeaderWriter::new(&mut memory).unwrap();
        for (name, value) in &fields {
            writer.field(name, value).unwrap();
        }
        let header = read(writer.finish()).unwrap();
        let text = |bytes| String::from_utf8(Vec::from(bytes)).unwrap();
        let found: BTreeMap<_, _> = header.fields().map(|(name, value)| (text(name), text(value))).collect();
        prop_assert_eq!(found, fields);
    }
}
