//! XML-RPC, written (NODE-42).

use crate::tree::{Tree, text, trees};
use proptest::prelude::*;
use tokkyu_ros1::Buffer;
use tokkyu_ros1::xmlrpc::{Answer, Triple, Values, WriteError, Writer, read_answer, read_call};

type Written = Result<(), WriteError>;

fn answer(value: impl FnOnce(&mut Values<'_, String>) -> Written) -> Result<String, WriteError> {
    let mut document = String::new();
    Writer::answer(&mut document, value)?;
    Ok(document)
}

#[test]
fn a_call_is_written_as_all_readers_take_it() {
    let mut document = String::new();
    Writer::call(&mut document, "registerPublisher", |params| {
        params.string("/a<b")?;
        params.array(|uris| uris.string("http://a:1/"))?;
        params.structure(|members| members.member("k", |value| value.int(1)))?;
        params.boolean(true)
    })
    .unwrap();
    let wanted = "<?xml version=\"1.0\"?><methodCall><methodName>registerPublisher</methodName><params>\
        <param><value><string>/a&lt;b</string></value></param>\
        <param><value><array><data><value><string>http://a:1/</string></value></data></array></value></param>\
        <param><value><struct><member><name>k</name><value><int>1</int></value></member></struct></value></param>\
        <param><value><boolean>1</boolean></value></param></params></methodCall>";
    assert_eq!(document, wanted);
}

#[test]
fn what_xml_rpc_does_not_have_is_refused() {
    for c in ['\0', '\u{8}', '\u{b}', '\u{c}', '\u{1f}', '\u{fffe}', '\u{ffff}'] {
        let refused = Err(WriteError::Character(c));
        assert_eq!(answer(|value| value.string(&format!("a{c}"))), refused);
        assert_eq!(
            answer(|value| value.structure(|members| members.member(&c.to_string(), |value| value.nil()))),
            refused
        );
        assert_eq!(Writer::fault(&mut String::new(), 1, &c.to_string()).map(|()| String::new()), refused);
        assert_eq!(
            Writer::call(&mut String::new(), &c.to_string(), |_| Ok(())).map(|()| String::new()),
            refused
        );
    }
    for number in [f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(answer(|value| value.double(number)), Err(WriteError::NotFinite(number)));
    }
    assert!(matches!(answer(|value| value.double(f64::NAN)), Err(WriteError::NotFinite(_))));
}

#[test]
fn where_one_value_belongs_one_is_written() {
    let two = |value: &mut Values<'_, String>| value.int(1).and_then(|()| value.nil());
    assert_eq!(answer(|_| Ok(())), Err(WriteError::NotOne(0)));
    assert_eq!(answer(two), Err(WriteError::NotOne(2)));
    assert_eq!(
        answer(|value| value.structure(|members| members.member("k", two))),
        Err(WriteError::NotOne(2))
    );
    assert_eq!(Writer::triple(&mut String::new(), 1, "", two), Err(WriteError::NotOne(2)));
    assert_eq!(Writer::triple(&mut String::new(), 1, "", |_| Ok(())), Err(WriteError::NotOne(0)));
}

fn nested(out: &mut Values<'_, String>, depth: u32) -> Written {
    match depth {
        1 => out.int(1),
        _ if depth.is_multiple_of(2) => out.array(|array| nested(array, depth - 1)),
        _ => out.structure(|members| members.member("", |value| nested(value, depth - 1))),
    }
}

#[test]
fn no_deeper_is_written_than_is_read() {
    let document = answer(|value| nested(value, 16)).unwrap();
    assert!(read_answer(document.as_bytes()).is_ok());
    assert_eq!(answer(|value| nested(value, 17)), Err(WriteError::Depth));
}

#[test]
fn a_document_that_does_not_fit_is_an_error() {
    let triple = |out: &mut Buffer<'_>| Writer::triple(out, 1, "done", |value| value.base64(*b"hello"));
    let mut memory = [0; 500];
    let mut buffer = Buffer::new(&mut memory);
    triple(&mut buffer).unwrap();
    let whole = buffer.as_bytes().len();
    for length in 0..whole {
        assert_eq!(triple(&mut Buffer::new(&mut memory[..length])), Err(WriteError::Full), "{length}");
    }
    assert_eq!(triple(&mut Buffer::new(&mut memory[..whole])), Ok(()));
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_the_same(values in prop::collection::vec(trees(), 0..4), method in text()) {
        let mut document = String::new();
        Writer::call(&mut document, &method, |out| values.iter().try_for_each(|value| value.write(out))).unwrap();
        let call = read_call(document.as_bytes()).unwrap();
        prop_assert!(call.method == *method);
        prop_assert_eq!(Tree::all(call.params), values);
    }

    #[test]
    fn triples_and_faults_are_read_back_the_same(value in trees(), code in -1..=1, said in text()) {
        let mut document = String::new();
        Writer::triple(&mut document, code, &said, |out| value.write(out)).unwrap();
        let triple = Triple::of(read_answer(document.as_bytes()).unwrap()).unwrap();
        prop_assert_eq!((triple.code, triple.text.to_string(), Tree::of(triple.value)), (code, said.clone(), value));
        document.clear();
        Writer::fault(&mut document, code, &said).unwrap();
        let Answer::Fault { code: read, text } = read_answer(document.as_bytes()).unwrap() else { panic!("no fault") };
        prop_assert_eq!((read, text.to_string()), (code, said));
    }
}
