//! XML-RPC, whole documents: calls, answers, faults, triples (NODE-41, NODE-43), and what is left of them when they are damaged.

use crate::tree::{Tree, text, trees};
use proptest::prelude::*;
use tokkyu_ros1::xmlrpc::{Answer, Problem, Triple, TripleError, Writer, XmlError, read_answer, read_call};

#[test]
fn calls_are_read() {
    let call = |text: &str| {
        read_call(text.as_bytes())
            .map(|call| (call.method.to_string(), Tree::all(call.params)))
            .map_err(|error| error.problem)
    };
    let name = || "a.b".to_owned();
    assert_eq!(call("<methodCall><methodName>a.b</methodName></methodCall>"), Ok((name(), vec![])));
    assert_eq!(
        call("<methodCall><methodName>a.b</methodName><params/></methodCall>\n"),
        Ok((name(), vec![]))
    );
    let two = "\u{feff}<?xml version='1.0' encoding=\"UTF-8\" standalone='yes' ?>\n<!-- a --><?b c?> <methodCall>\n<methodName>a.b</methodName>\n\
               <params> <param><value>1</value></param>\n<param> <value><int>2</int></value> </param> </params>\n</methodCall> <!-- d -->\n";
    assert_eq!(call(two), Ok((name(), vec![Tree::Str("1".into()), Tree::Int(2)])));
    for (text, wrong) in [
        ("", Problem::Ended),
        ("hello", Problem::Ended),
        ("<methodCall/>", Problem::Expected("methodName")),
        (
            "<methodCall><methodName>a</methodName><params><value/></params></methodCall>",
            Problem::Expected("param"),
        ),
        (
            "<methodCall><methodName>a</methodName><params><param/></params></methodCall>",
            Problem::Expected("value"),
        ),
        (
            "<methodCall><methodName>a</methodName><params/><params/></methodCall>",
            Problem::Expected("methodCall"),
        ),
        ("<methodCall><methodName>a</methodName></methodCall><a/>", Problem::Behind),
        ("<methodCall><methodName>a</methodName></methodCall>a", Problem::Behind),
        ("<methodCall><methodName>a</methodName></methodCall>&#32;", Problem::Behind),
        ("<methodCall><methodName>a</methodName>", Problem::Ended),
        ("<methodCall><methodName>a</methodName></methodCall", Problem::Ended),
        ("<methodResponse/>", Problem::Expected("methodCall")),
        ("<!DOCTYPE methodCall><methodCall/>", Problem::Doctype),
        ("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><methodCall/>", Problem::Doctype),
        (" <?xml version='1.0'?><methodCall/>", Problem::Markup),
        ("<![CDATA[ ]]><methodCall/>", Problem::Markup),
        ("&#32;<methodCall/>", Problem::Markup),
    ] {
        assert_eq!(call(text), Err(wrong), "{text}");
    }
}

#[test]
fn text_is_utf8_and_nothing_else() {
    let call = |declared: &str, text: &[u8]| {
        let declaration = format!("<?xml version='1.0' encoding='{declared}'?><methodCall><methodName>");
        let document = [declaration.as_bytes(), text, b"</methodName></methodCall>"].concat();
        read_call(&document).map(drop)
    };
    assert_eq!(call("utf-8", "\u{e9}".as_bytes()), Ok(()));
    assert_eq!(call("US-ASCII", b"e"), Ok(()));
    assert_eq!(call("utf-8", b"\xe9"), Err(XmlError { at: 62, problem: Problem::Utf8 }));
    for encoding in ["ISO-8859-1", "utf-16", "utf8", ""] {
        assert_eq!(call(encoding, b"e").unwrap_err().problem, Problem::Encoding, "{encoding}");
    }
    let wide: Vec<u8> = "<methodCall/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read_call(&wide).unwrap_err().problem, Problem::Character);
}

/// The fault in which this stands.
fn fault(text: &str) -> Result<(i32, String), Problem> {
    let document = format!("<methodResponse><fault>{text}</fault></methodResponse>");
    match read_answer(document.as_bytes()).map_err(|error| error.problem)? {
        Answer::Fault { code, text } => Ok((code, text.to_string())),
        value => panic!("{value:?}"),
    }
}

#[test]
fn faults_are_read() {
    let member = |name, value| format!("<member><name>{name}</name><value>{value}</value></member>");
    let structure = |members: &[String]| format!("<value><struct>{}</struct></value>", members.concat());
    let (code, text) = (member("faultCode", "<int>-1</int>"), member("faultString", "no &lt;method>"));
    assert_eq!(fault(&structure(&[code.clone(), text.clone()])), Ok((-1, "no <method>".into())));
    assert_eq!(fault(&structure(&[text.clone(), code.clone()])), Ok((-1, "no <method>".into())));
    for broken in [vec![], vec![text.clone()], vec![code], vec![member("faultCode", "1"), text]] {
        assert_eq!(fault(&structure(&broken)), Err(Problem::Fault), "{broken:?}");
    }
    assert_eq!(fault("<value/>"), Err(Problem::Fault));
    assert_eq!(fault(""), Err(Problem::Expected("value")));
}

/// NODE-43.
#[test]
fn a_triple_is_code_text_and_value_and_what_is_not_is_told_by_name() {
    let triple = |items: &str| {
        let document = format!(
            "<methodResponse><params><param><value><array><data>{items}</data></array></value></param></params></methodResponse>"
        );
        let answer = read_answer(document.as_bytes()).unwrap();
        let named =
            |error: TripleError<'_>| error.to_string().split(' ').take(5).collect::<Vec<_>>().join(" ");
        Triple::of(answer).map(|read| (read.code, read.text.to_string(), Tree::of(read.value))).map_err(named)
    };
    let (one, text) = ("<value><int>1</int></value>", "<value>ok</value>");
    for (code, read) in [("1", 1), ("0", 0), ("-1", -1)] {
        let code = one.replace('1', code);
        assert_eq!(
            triple(&format!("{code}{text}<value/>")),
            Ok((read, "ok".into(), Tree::Str(String::new())))
        );
    }
    for (items, wrong) in [
        (format!("{one}{text}"), "the answer is no array"),
        (format!("{one}{text}{text}{text}"), "the answer is no array"),
        (format!("{text}{text}{text}"), "the answer's code is none"),
        (format!("{}{text}{text}", one.replace('1', "2")), "the answer's code is none"),
        (format!("<value><boolean>1</boolean></value>{text}{text}"), "the answer's code is none"),
        (format!("{one}{one}{one}"), "the answer's text is no"),
    ] {
        assert_eq!(triple(&items), Err(wrong.to_owned()), "{items}");
    }
    let mut document = String::new();
    Writer::fault(&mut document, 7, "no such method").unwrap();
    let error = Triple::of(read_answer(document.as_bytes()).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "the call was refused with fault 7: no such method");
}

/// Documents with something wrong in them, most of them.
fn mutated() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<",
        ">",
        "/",
        "&",
        "&lt;",
        "&#65;",
        "]]>",
        "<![CDATA[",
        "<!--",
        "-->",
        "<?a ",
        "?>",
        "<value>",
        "</value>",
        "<value/>",
        "<int>",
        "<array><data>",
        "</data></array>",
        " ",
        "\r",
        "\u{0}",
        "\u{e9}",
        "a='b'",
        "<!DOCTYPE",
        "=",
        "1",
    ];
    let edit = (any::<prop::sample::Index>(), 0_usize..6, prop::sample::select(pieces));
    (prop::collection::vec(trees(), 0..3), text(), prop::collection::vec(edit, 0..4)).prop_map(
        |(values, method, edits)| {
            let mut document = String::new();
            Writer::call(&mut document, &method, |out| values.iter().try_for_each(|value| value.write(out)))
                .unwrap();
            for (place, length, piece) in edits {
                let boundary =
                    |at: usize| (at..).find(|&at| document.is_char_boundary(at)).unwrap_or(document.len());
                let begin = boundary(place.index(document.len()));
                let end = boundary((begin + length).min(document.len()));
                document.replace_range(begin..end, piece);
            }
            document
        },
    )
}

proptest! {
    #[test]
    fn what_is_accepted_is_walked_to_its_end_and_written_again_the_same(document in mutated()) {
        if let Ok(call) = read_call(document.as_bytes()) {
            let mut again = String::new();
            Writer::call(&mut again, &call.method.to_string(), |out| call.params.clone().try_for_each(|value| out.value(value))).unwrap();
            let read = read_call(again.as_bytes()).unwrap();
            prop_assert_eq!(call.method, read.method);
            prop_assert_eq!(Tree::all(call.params), Tree::all(read.params));
        }
    }

    #[test]
    fn a_document_that_is_cut_short_is_refused(document in mutated(), place: prop::sample::Index) {
        let root_ends = document.rfind("</methodCall").unwrap_or(0);
        if read_call(document.as_bytes()).is_ok() && root_ends > 0 {
            let cut = place.index(root_ends + 1);
            prop_assert!(read_call(&document.as_bytes()[..cut]).is_err());
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for error in [read_call(&bytes).err(), read_answer(&bytes).err()] {
            prop_assert!(error.is_some_and(|error| error.at <= bytes.len()));
        }
    }
}
