//! Names (NODE-46).

use proptest::prelude::*;
use tokkyu_ros1::names::{
    NameError, NameProblem, Names, Remappings, anonymous, is_remapping, resolve, validate, validate_node,
};

fn names(arguments: &[&str]) -> Result<Names, NameError> {
    Names::new("talker", "/robot", &Remappings::parse(arguments.iter().copied())?)
}

fn problem<T>(result: Result<T, NameError>) -> Option<NameProblem> {
    result.err().map(|error| error.problem)
}

#[test]
fn names_that_are_valid() {
    for name in ["a", "/", "~", "/a/b_1", "~a", "a/", "a//b", "~/a", "A1", "/_", "/1", ""] {
        assert_eq!(validate(name), Ok(()), "{name}");
    }
    for (name, wrong) in [
        ("1a", NameProblem::First),
        ("_a", NameProblem::First),
        (" a", NameProblem::First),
        ("-", NameProblem::First),
        ("\u{e9}", NameProblem::First),
        ("a-b", NameProblem::Character('-')),
        ("a~", NameProblem::Character('~')),
        ("/~a", NameProblem::Character('~')),
        ("a b", NameProblem::Character(' ')),
        ("a\u{e9}", NameProblem::Character('\u{e9}')),
        ("a\n", NameProblem::Character('\n')),
    ] {
        assert_eq!(problem(validate(name)), Some(wrong), "{name:?}");
        assert_eq!(problem(resolve("/", "node", name)), Some(wrong), "{name:?}");
    }
    assert_eq!(validate_node("node_1"), Ok(()));
    for name in ["", "/node", "a/b", "node/", "~node"] {
        assert_eq!(problem(validate_node(name)), Some(NameProblem::Node), "{name:?}");
    }
}

#[test]
fn names_are_resolved_against_namespace_and_node() {
    let resolved = |namespace, name| resolve(namespace, "node", name).unwrap();
    for (name, root, inside) in [
        ("a", "/a", "/ns/a"),
        ("/a", "/a", "/a"),
        ("~a", "/node/a", "/ns/node/a"),
        ("~", "/node", "/ns/node"),
        ("~/a", "/node/a", "/ns/node/a"),
        ("a//b/", "/a/b", "/ns/a/b"),
        ("//a", "/a", "/a"),
        ("/", "/", "/"),
        ("", "/", "/ns"),
    ] {
        assert_eq!((&resolved("/", name)[..], &resolved("/ns", name)[..]), (root, inside), "{name:?}");
        assert_eq!(resolved("ns//", name), inside, "a namespace is global however it is written");
    }
    assert_eq!(resolved("", "a"), "/a");
    assert_eq!(problem(resolve("~ns", "node", "a")), Some(NameProblem::Namespace));
    assert_eq!(problem(resolve("/ns", "a/b", "a")), Some(NameProblem::Node));
}

#[test]
fn names_are_renamed_however_they_are_written() {
    let names = names(&["chatter:=/other", "~in:=out", "/robot/x:=~y", "a:=first", "a:=last"]).unwrap();
    let resolved = |name| names.resolve(name).unwrap();
    assert_eq!((names.node(), names.namespace()), ("/robot/talker", "/robot"));
    assert_eq!([resolved("chatter"), resolved("/robot/chatter"), resolved("chatter/")], ["/other"; 3]);
    assert_eq!((resolved("/chatter"), resolved("chatter/a")), ("/chatter".into(), "/robot/chatter/a".into()));
    assert_eq!((resolved("~in"), resolved("x")), ("/robot/out".into(), "/robot/talker/y".into()));
    assert_eq!(resolved("a"), "/robot/last");
}

#[test]
fn what_is_renamed_is_not_renamed_again() {
    let names = names(&["a:=b", "b:=a", "talker:=other"]).unwrap();
    assert_eq!(
        (names.resolve("a").unwrap(), names.resolve("b").unwrap()),
        ("/robot/b".into(), "/robot/a".into())
    );
    assert_eq!(names.node(), "/robot/talker", "only __name names the node");
}

#[test]
fn special_arguments_and_parameters_are_told_apart() {
    let arguments = [
        "program",
        "__name:=listener",
        "__ns:=other",
        "__log:=/tmp/a b",
        "__ip:=::1",
        "__hostname:=h",
        "__master:=http://a:1",
        "__unknown:=x",
        "_rate:=1:=0",
        "_a/b:=",
        "c:=d",
        "--option:=x",
        "-x",
        "1:=2",
        "__name:=last",
        "_rate:=2",
    ];
    let remappings = Remappings::parse(arguments).unwrap();
    let special = [remappings.log(), remappings.ip(), remappings.hostname(), remappings.master()];
    assert_eq!(special.map(Option::unwrap), ["/tmp/a b", "::1", "h", "http://a:1"]);
    let parameters: Vec<_> = remappings.parameters().collect();
    assert_eq!(parameters, [("rate", "1:=0"), ("a/b", ""), ("rate", "2")]);
    assert_eq!(remappings.renamed().collect::<Vec<_>>(), [("c", "d")]);
    let names = Names::new("talker", "/robot", &remappings).unwrap();
    assert_eq!((names.node(), names.namespace()), ("/other/last", "/other"));
    assert_eq!(names.resolve("~rate").unwrap(), "/other/last/rate");
    let own: Vec<_> = arguments.into_iter().filter(|argument| !is_remapping(argument)).collect();
    assert_eq!(own, ["program", "--option:=x", "-x", "1:=2"]);
}

#[test]
fn an_argument_that_makes_no_sense_is_refused() {
    for (argument, wrong) in [
        ("a:=", NameProblem::NoTarget),
        ("a:=b:=c", NameProblem::Character(':')),
        ("a:= b", NameProblem::First),
        ("a:=1", NameProblem::First),
        ("_:=1", NameProblem::NoParameter),
        ("__name:=/a", NameProblem::Node),
        ("__name:=", NameProblem::Node),
        ("__ns:=~a", NameProblem::Namespace),
        ("__ns:=1", NameProblem::First),
    ] {
        assert_eq!(problem(names(&[argument])), Some(wrong), "{argument}");
    }
    let early = Remappings::parse(["__name:=/a"]);
    assert_eq!(problem(early), Some(NameProblem::Node), "before it is known what it takes the place of");
}

#[test]
fn an_anonymous_name_is_a_name() {
    let name = anonymous("listener", u64::MAX).unwrap();
    assert_eq!((validate_node(&name), &name[..]), (Ok(()), "listener_18446744073709551615"));
    assert_eq!(problem(anonymous("a/b", 1)), Some(NameProblem::Node));
}

proptest! {
    #[test]
    fn what_is_resolved_is_global_clean_and_stays_so(name in "[~/a]?[a/_1]{0,8}", namespace in "/?[a/]{0,6}") {
        if let Ok(resolved) = resolve(&namespace, "node", &name) {
            prop_assert!(resolved.starts_with('/') && !resolved.contains("//"));
            prop_assert!(resolved == "/" || !resolved.ends_with('/'));
            prop_assert_eq!(resolve(&namespace, "node", &resolved), Ok(resolved.clone()));
        }
    }

    #[test]
    fn any_arguments_are_read_or_refused(arguments in prop::collection::vec("(__ns|__name|_?[a-z~/_]{0,3})(:=)?[ -~\u{e9}]{0,4}", 0..4)) {
        match Remappings::parse(arguments.iter().map(|argument| &argument[..])) {
            Ok(read) => prop_assert!(read.renamed().all(|(from, to)| validate(from).is_ok() && validate(to).is_ok())),
            Err(error) => prop_assert!(error.to_string().len() > error.name.len()),
        }
    }
}
