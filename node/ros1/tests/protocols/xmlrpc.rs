//! XML-RPC, values and text (NODE-41).

use crate::tree::Tree;
use tokkyu_ros1::xmlrpc::{Answer, Problem, Text, Value, XmlError, read_answer, read_call};

/// The value of an answer in which it stands like this.
fn value(text: &str) -> Result<Tree, XmlError> {
    let document = format!("<methodResponse><params><param>{text}</param></params></methodResponse>");
    match read_answer(document.as_bytes())? {
        Answer::Value(value) => Ok(Tree::of(value)),
        fault => panic!("{fault:?}"),
    }
}

fn problem(text: &str) -> Option<Problem> {
    value(text).err().map(|error| error.problem)
}

/// The value in which this stands.
fn inside(text: &str) -> Result<Tree, Problem> {
    value(&format!("<value>{text}</value>")).map_err(|error| error.problem)
}

fn string(text: &str) -> Result<Tree, Problem> {
    Ok(Tree::Str(text.to_owned()))
}

#[test]
fn each_type_is_read() {
    for (text, wanted) in [
        ("<i4>-2147483648</i4>", Tree::Int(i32::MIN)),
        ("<int>\r\n +7\t</int>", Tree::Int(7)),
        ("<i8>9223372036854775807</i8>", Tree::Long(i64::MAX)),
        ("<boolean>0</boolean>", Tree::Bool(false)),
        ("<boolean> 1 </boolean>", Tree::Bool(true)),
        ("<double>-12.5e-1</double>", Tree::Double(-1.25)),
        ("<double> 3</double>", Tree::Double(3.0)),
        ("<double>-inf</double>", Tree::Double(f64::NEG_INFINITY)),
        ("<string>a b</string>", Tree::Str("a b".into())),
        (
            "<dateTime.iso8601>19980717T14:08:55</dateTime.iso8601>",
            Tree::DateTime("19980717T14:08:55".into()),
        ),
        ("<base64>\nAAECA\n wQ=\n</base64>", Tree::Base64(vec![0, 1, 2, 3, 4])),
        ("<base64/>", Tree::Base64(vec![])),
        ("<nil/>", Tree::Nil),
        ("<nil> </nil>", Tree::Nil),
        ("<array><data></data></array>", Tree::Array(vec![])),
        ("<array> <data/> </array>", Tree::Array(vec![])),
        ("<struct/>", Tree::Struct(vec![])),
    ] {
        assert_eq!(inside(text), Ok(wanted), "{text}");
    }
}

#[test]
fn a_value_without_a_type_is_a_string_white_space_and_all() {
    assert_eq!(inside(" a "), string(" a "));
    assert_eq!(inside("\n"), string("\n"));
    assert_eq!(inside(""), string(""));
    assert_eq!(value("<value/>").map_err(|error| error.problem), string(""));
    assert_eq!(inside("<string/>"), string(""));
    assert_eq!(inside("<string></string>"), string(""));
    assert_eq!(inside(" <!-- none --> "), string("  "));
    assert_eq!(inside(" <!-- white --> <string> a</string> <!-- and --> "), string(" a"));
}

#[test]
fn text_is_decoded_however_it_is_spelled() {
    assert_eq!(inside("&amp;&lt;&gt;&apos;&quot;"), string("&<>'\""));
    assert_eq!(inside("&#65;&#x42;&#x1F600;&#x0a;&#13;"), string("AB\u{1f600}\n\r"));
    assert_eq!(inside("&amp;lt;"), string("&lt;"), "decoded once");
    assert_eq!(inside("<![CDATA[<a>&amp;]]]]><![CDATA[>]]>"), string("<a>&amp;]]>"));
    assert_eq!(inside("&am<!-- -->p;"), Err(Problem::Entity));
    assert_eq!(inside("&lt<![CDATA[;]]>"), Err(Problem::Entity));
    assert_eq!(inside("a<!-- x -->b<?pi x?>c<![CDATA[]]>"), string("abc"));
    assert_eq!(inside("<!--> a <!- -->b<!---->"), string("b"), "a comment does not end in its beginning");
    assert_eq!(inside("]] > ]>"), string("]] > ]>"));
    assert_eq!(
        inside("a\r\nb\rc\r\r\n<![CDATA[\r]]>\n"),
        string("a\nb\nc\n\n\n\n"),
        "line ends are line feeds"
    );
    assert_eq!(inside("<int>&#49;<![CDATA[2]]><!-- 9 -->3</int>"), Ok(Tree::Int(123)));
    assert_eq!(inside("<boolean>&#49;</boolean>"), Ok(Tree::Bool(true)));
}

#[test]
fn text_that_is_no_xml_is_refused() {
    for entity in
        ["&", "&;", "&lt", "&nbsp;", "&#;", "&#x;", "&#-1;", "&#+1;", "&#1a;", "&#xg;", "&LT;", "& amp;"]
    {
        assert_eq!(inside(entity), Err(Problem::Entity), "{entity}");
    }
    for code in ["0", "8", "31", "xD800", "xFFFE", "xFFFF", "x110000", "4294967361", "00000000000000065"] {
        assert_eq!(inside(&format!("&#{code};")), Err(Problem::Entity), "{code}");
    }
    assert_eq!(inside("]]>"), Err(Problem::SectionEnd));
    assert_eq!(inside("<![CDATA[a]]>]]>"), Err(Problem::SectionEnd));
    assert_eq!(inside("<!-- -- -->"), Err(Problem::Markup));
    assert_eq!(inside("<!--->"), Err(Problem::Ended));
    assert_eq!(inside("<!-- "), Err(Problem::Ended));
    assert_eq!(inside("<![CDATA[ ]>"), Err(Problem::Ended));
    assert_eq!(inside("<?xml version='1.0'?>"), Err(Problem::Markup));
    assert_eq!(inside("a < b"), Err(Problem::Markup));
    for c in ['\0', '\u{8}', '\u{b}', '\u{1f}', '\u{fffe}', '\u{ffff}'] {
        assert_eq!(inside(&format!("<!-- {c} -->")), Err(Problem::Character), "{c:?}");
    }
}

#[test]
fn numbers_that_are_none_are_refused_by_their_type() {
    for (kind, number) in [
        ("i4", "2147483648"),
        ("int", "-2147483649"),
        ("int", ""),
        ("int", "1 2"),
        ("int", "0x10"),
        ("int", "1.0"),
        ("int", "1_0"),
        ("int", "--1"),
        ("int", "\u{0661}"),
        ("int", "\u{a0}1"),
        ("i8", "9223372036854775808"),
        ("double", ""),
        ("double", "1,5"),
        ("double", "0x1p3"),
        ("double", "1e"),
        ("double", "."),
        ("double", "1_0.0"),
    ] {
        assert_eq!(
            inside(&format!("<{kind}>{number}</{kind}>")),
            Err(Problem::Number(kind)),
            "{kind} {number}"
        );
    }
    let spelled = "&#49;".repeat(65);
    assert_eq!(inside(&format!("<double>{spelled}</double>")), Err(Problem::Number("double")));
    for boolean in ["2", "true", "", "01", "-1", "0 1"] {
        assert_eq!(inside(&format!("<boolean>{boolean}</boolean>")), Err(Problem::Boolean), "{boolean}");
    }
    for base64 in ["A", "AA", "AAA", "AA=", "AA===", "=", "====", "AA==AA==", "A-A=", "AAA=A", "\u{e9}AAA"] {
        assert_eq!(inside(&format!("<base64>{base64}</base64>")), Err(Problem::Base64), "{base64}");
    }
}

#[test]
fn tags_may_have_attributes_and_white_space_and_must_match() {
    assert_eq!(inside("<int a='>' b = \"'&lt;/\"\n>1</int\t>"), Ok(Tree::Int(1)));
    assert_eq!(inside("<nil a='b' />"), Ok(Tree::Nil));
    for tag in [
        "< int>1</int>",
        "<int a>1</int>",
        "<int a=b>1</int>",
        "<int a='<'>1</int>",
        "<int a='>1</int>",
        "<int a='1'b='2'>1</int>",
        "<int/ >",
        "<int>1</ int>",
        "<1/>",
        "<-a/>",
        "<\u{e9}/>",
        "<int a='&x;'/>",
    ] {
        let refused = inside(tag);
        assert!(matches!(refused, Err(Problem::Markup | Problem::Entity)), "{tag} {refused:?}");
    }
    assert_eq!(inside("<int>1</i4>"), Err(Problem::Expected("int")));
    assert_eq!(inside("<int>1</INT>"), Err(Problem::Expected("int")));
    assert_eq!(inside("<INT>1</INT>"), Err(Problem::Type));
    assert_eq!(inside("<ex:nil/>"), Err(Problem::Type));
    assert_eq!(inside("a<int>1</int>"), Err(Problem::Expected("value")));
    assert_eq!(inside("<int>1</int>a"), Err(Problem::Expected("value")));
    assert_eq!(inside("<int>1</int><int>1</int>"), Err(Problem::Expected("value")));
    assert_eq!(inside("<string><b>a</b></string>"), Err(Problem::Expected("string")));
    assert_eq!(inside("<nil>a</nil>"), Err(Problem::Expected("nil")));
}

#[test]
fn arrays_and_structs_are_walked() {
    let read = inside(
        "<array><data> <value>a</value>\n<value><struct><member><name>k&amp;</name><value/></member> \
         <member> <name/> <value><array><data><value><i4>1</i4></value></data></array></value> </member></struct></value>\
         <value/></data></array>",
    );
    let inner = Tree::Array(vec![Tree::Int(1)]);
    let members = vec![("k&".to_owned(), Tree::Str(String::new())), (String::new(), inner)];
    let wanted = vec![Tree::Str("a".into()), Tree::Struct(members), Tree::Str(String::new())];
    assert_eq!(read, Ok(Tree::Array(wanted)));
    for (text, wanted) in [
        ("<array></array>", "data"),
        ("<array/>", "data"),
        ("<array><value/></array>", "data"),
        ("<array><data/><data/></array>", "array"),
        ("<array><data><int>1</int></data></array>", "value"),
        ("<array><data>a<value/></data></array>", "value"),
        ("<struct><value/></struct>", "member"),
        ("<struct><member/></struct>", "name"),
        ("<struct><member><name/></member></struct>", "value"),
        ("<struct><member><value/><name/></member></struct>", "name"),
        ("<struct><member><name/><value/><value/></member></struct>", "member"),
    ] {
        assert_eq!(inside(text), Err(Problem::Expected(wanted)), "{text}");
    }
}

#[test]
fn of_members_of_one_name_the_last_is_found() {
    let member = |name, value| format!("<member><name>{name}</name><value>{value}</value></member>");
    let document = format!(
        "<methodCall><methodName>m</methodName><params><param><value><struct>{}{}{}</struct></value></param></params></methodCall>",
        member("k", "1"),
        member("&#107;", "2"),
        member("K", "3")
    );
    let call = read_call(document.as_bytes()).unwrap();
    let Some(Value::Struct(members)) = call.params.last() else { panic!("{call:?}") };
    assert_eq!(members.get("k").map(Tree::of), Some(Tree::Str("2".into())));
    assert_eq!((members.get("x").map(Tree::of), members.len()), (None, 3));
}

/// A value in so many, itself included.
fn nested(depth: usize, begin: &str, end: &str) -> String {
    format!("{}<value/>{}", begin.repeat(depth - 1), end.repeat(depth - 1))
}

#[test]
fn values_nest_16_deep_and_no_more() {
    for (begin, end) in [
        ("<value><array><data>", "</data></array></value>"),
        ("<value><struct><member><name/>", "</member></struct></value>"),
    ] {
        assert!(value(&nested(16, begin, end)).is_ok());
        assert_eq!(problem(&nested(17, begin, end)), Some(Problem::Depth));
        assert_eq!(problem(&nested(100_000, begin, end)), Some(Problem::Depth));
    }
}

#[test]
fn text_compares_and_shows_what_it_means() {
    let document = "<methodCall><methodName>a&amp;<![CDATA[b]]></methodName><params><param><value>plain</value></param></params></methodCall>";
    let call = read_call(document.as_bytes()).unwrap();
    let Some(Value::Str(plain)) = call.params.clone().next() else { panic!("{call:?}") };
    assert_eq!((plain.plain(), call.method.plain()), (Some("plain"), None));
    assert!(
        call.method == *"a&b"
            && call.method != "a&amp;b"
            && call.method == call.method
            && call.method != plain
    );
    assert_eq!(format!("{} {:?}", call.method, call.method), "a&b \"a&b\"");
    let returned = document.replace("plain", "a\rb");
    let Some(Value::Str(text)) = read_call(returned.as_bytes()).unwrap().params.next() else {
        panic!("{returned}")
    };
    assert!(text.plain().is_none() && text == "a\nb", "a carriage return is to be decoded");
    let is_empty = |text: Text<'_>| text.is_empty();
    assert!(!is_empty(plain) && call.params.len() == 1);
}

#[test]
fn an_error_says_where_and_what_to_do() {
    let error = value("<value>a & b</value>").unwrap_err();
    assert_eq!(
        error.to_string(),
        "XML, byte 40: not one of &amp; &lt; &gt; &apos; &quot; &#N; &#xH;; write & as &amp;"
    );
}
