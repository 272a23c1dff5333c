//! The text below the fields: places, carets, broken YAML, bombs and unreadable files (SPEC.md, CON-2 to CON-6).

use std::path::Path;

use tokkyu_contract::yaml::{MAX_DEPTH, MAX_ERRORS, MAX_FILE_BYTES, Position, robot, site};

fn bad(text: &str) -> Vec<String> {
    let errors = robot::parse("robot.yaml", text).expect_err("must be refused");
    errors.list().iter().map(ToString::to_string).collect()
}

#[test]
fn all_errors_are_told_in_the_order_of_the_file_with_a_caret_under_each() {
    let text = "robot: r\nflows:\n  größe/é: {class: control, ü: 1}\n\ta: 1\n";
    assert_eq!(bad(text).len(), 1, "a tab that indents is broken YAML");
    let text = "robot: r\nflows:\n  a: {ü: x, class: urgent}\n  b: {class: control, rate: 1}\nextra: 1\n";
    let errors = robot::parse("robot.yaml", text).expect_err("must be refused");
    let expected = "\
robot.yaml:3:7: flows.a.ü: unknown field; the fields here are type, rate, size, class, toward, match, reliability, \
history, depth, durability, deadline, lifespan, liveliness, liveliness_lease, source, encoding, width and height
  3 |   a: {ü: x, class: urgent}
    |       ^
robot.yaml:3:20: flows.a.class: unknown value \"urgent\"; use control, realtime, best_effort or background
  3 |   a: {ü: x, class: urgent}
    |                    ^
robot.yaml:4:29: flows.b.rate: \"1\" is not a rate: the unit is missing; add Hz or kHz, as in \"10 Hz\"
  4 |   b: {class: control, rate: 1}
    |                             ^
robot.yaml:5:1: extra: unknown field; the fields here are robot, flows and vehicle
  5 | extra: 1
    | ^";
    assert_eq!(errors.to_string(), expected);
}

#[test]
fn a_value_that_breaks_lines_is_quoted_on_one_line() {
    assert_eq!(
        bad("robot: r\nflows: {\"a\\tb\": {class: \"con\\ntrol\"}}\n"),
        [
            "robot.yaml:2:9: flows.a\\tb: '\\t' cannot be in a flow's name; \
             use a-z, A-Z, 0-9, _ and /, as in \"camera/front\"",
            "robot.yaml:2:25: flows.a\\tb.class: unknown value \"con\\ntrol\"; did you mean \"control\"?"
        ]
    );
}

#[test]
fn a_long_line_is_shown_around_the_error_only() {
    let padding = " ".repeat(400);
    let text = format!("robot: r\nflows: {{a: {{class: control,{padding}rate: 1}}}}\n");
    let errors = robot::parse("robot.yaml", &text).expect_err("must be refused").to_string();
    let shown: Vec<&str> = errors.lines().collect();
    assert!(shown.iter().skip(1).all(|line| line.chars().count() < 130), "{errors}");
    let under_caret = shown[1].chars().nth(shown[2].chars().count() - 1);
    assert_eq!(under_caret, Some('1'), "{errors}");
}

#[test]
fn more_errors_than_the_limit_are_only_mentioned() {
    let unknown: String = (0..100).map(|number| format!("x{number}: 1\n")).collect();
    let errors = robot::parse("robot.yaml", &format!("robot: r\n{unknown}")).expect_err("must be refused");
    assert_eq!(errors.list().len(), MAX_ERRORS);
    assert!(errors.has_more());
    assert!(errors.to_string().ends_with("\nmore errors are not shown; mend these first"));
}

#[test]
fn broken_yaml_is_told_where_it_breaks() {
    let remedy = "look at the brackets, quotes, colons and indentation up to here";
    assert_eq!(
        bad("robot: r\nflows: {a: {class: control}\n"),
        [format!(
            "robot.yaml:2:28: not valid YAML: while parsing a flow mapping, did not find expected ',' or '}}'; {remedy}"
        )],
        "the end of the text is the end of its last line"
    );
    assert_eq!(
        bad("robot: r\nflows: a: b\n"),
        [format!("robot.yaml:2:9: not valid YAML: mapping values are not allowed in this context; {remedy}")]
    );
}

#[test]
fn what_yaml_has_beyond_plain_values_is_refused() {
    assert_eq!(
        bad("robot: &name r\nflows: {a: {class: *name}}\n"),
        ["robot.yaml:2:20: flows.a.class: YAML aliases are not used here; write the value out"]
    );
    assert_eq!(
        bad("robot: !!str r\nflows: {a: {class: control}}\n"),
        ["robot.yaml:1:8: robot: YAML tags are not used here; remove the word that begins with !"]
    );
    assert_eq!(
        bad("robot: r\nflows: {a: {class: control}}\n---\nrobot: s\n"),
        ["robot.yaml:4:1: a second YAML document; keep one document in a file"]
    );
    assert_eq!(
        bad("robot: r\nflows: {[a]: {class: control}, b: {class: control}}\n"),
        ["robot.yaml:2:9: flows: a key that is not plain text; write it as: name: value"]
    );
    assert_eq!(
        bad("robot: r\nflows:\n  a: {class: control}\n  a: {class: control}\n"),
        ["robot.yaml:4:3: flows.a: given twice, first at line 3; remove one of them"]
    );
    assert_eq!(
        bad("robot: r\n# \u{1b}[2J\nflows: {}\n"),
        ["robot.yaml:2:3: control character U+001B; remove it; configuration is plain text"]
    );
}

#[test]
fn an_alias_bomb_is_refused_without_expanding_it() {
    let mut text = String::from("robot: r\nx0: &a0 [l, l]\n");
    for level in 1..60 {
        let below = level - 1;
        text.push_str(&format!("x{level}: &a{level} [*a{below}, *a{below}, *a{below}]\n"));
    }
    let errors = robot::parse("robot.yaml", &text).expect_err("must be refused");
    assert_eq!(errors.list()[0].what, "YAML aliases are not used here");
    assert_eq!((errors.list().len(), errors.has_more()), (MAX_ERRORS, true));
}

#[test]
fn nesting_is_bounded_in_brackets_and_in_blocks() {
    let deep = format!("nested more than {MAX_DEPTH} deep");
    for (open, count) in [("[", 100), ("{a: ", 100), ("- ", 500_000), ("? ", 500_000)] {
        let errors = robot::parse("robot.yaml", &open.repeat(count)).expect_err("must be refused");
        assert!(
            errors.list().iter().any(|error| error.what == deep || error.what.starts_with("not valid YAML")),
            "{open}: {errors}"
        );
    }
    let errors = robot::parse("robot.yaml", &"- ".repeat(MAX_DEPTH + 2)).expect_err("must be refused");
    assert_eq!(errors.list()[0].what, deep);
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_read_as_yaml() {
    let text = format!("robot: r\n{}", "#".repeat(MAX_FILE_BYTES));
    assert_eq!(bad(&text), ["robot.yaml:1:1: the file is larger than 1024 KiB; is it the right file?"]);
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_a_remedy() {
    let missing = robot::load(Path::new("/nonexistent/robot.yaml")).expect_err("there is no such file");
    let text = missing.to_string();
    assert!(text.starts_with("/nonexistent/robot.yaml: cannot be read: "), "{text}");
    assert!(text.ends_with("; give the path of an existing file"), "{text}");
    let folder = site::load(Path::new(env!("CARGO_MANIFEST_DIR"))).expect_err("a folder is not a file");
    assert!(folder.to_string().ends_with("; give the path of a file, not of a folder"), "{folder}");
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    let path = std::env::temp_dir().join(format!("tokkyu-contract-{}.yaml", std::process::id()));
    std::fs::write(&path, b"robot: r\nflows: \xff\n").expect("a file for the test");
    let errors = robot::load(&path).expect_err("not UTF-8");
    std::fs::remove_file(&path).expect("the test's own file");
    let error = &errors.list()[0];
    assert_eq!(error.at, Some(Position { line: 2, column: 8 }));
    assert_eq!(
        (error.what.as_str(), error.remedy.as_str()),
        ("byte 17 of the file is not UTF-8 text", "save the file as UTF-8")
    );
}
