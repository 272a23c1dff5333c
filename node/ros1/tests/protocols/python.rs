//! Python's XML-RPC and ROS 1's own Python as oracles, over many documents, headers and names.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::tree::{Tree, hex, text, trees};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value as Json, json};
use tokkyu_ros1::Progress;
use tokkyu_ros1::names::{Names, Remappings, is_remapping, validate, validate_node};
use tokkyu_ros1::tcpros::{HeaderWriter, MAX_HEADER, read_header};
use tokkyu_ros1::xmlrpc::{Answer, Call, Value, Writer, read_answer, read_call};

/// What the oracle says to each of these. `None`, and a line that says why: it is not here.
fn ask(requests: &[Json]) -> Option<Vec<Json>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protocols/oracle.py");
    let mut command = Command::new("/usr/bin/python3");
    command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut python = match command.spawn() {
        Ok(python) => python,
        Err(error) => {
            println!("skipped: /usr/bin/python3: {error}; apt-get install python3");
            return None;
        }
    };
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let mut stdin = python.stdin.take().expect("a pipe");
    // In a thread: both pipes may be full. Where the oracle ended early, its exit status says so.
    let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = python.wait_with_output().expect("an end");
    let _ = writing.join().expect("no panic");
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("ModuleNotFoundError") {
        println!("skipped: no rosgraph; apt-get install python3-rosgraph python3-roslib");
        return None;
    }
    assert!(output.status.success(), "{errors}");
    let lines = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let answers: Vec<_> =
        lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(answers.len(), requests.len());
    Some(answers)
}

/// So many of a kind, the same each time.
fn some<S: Strategy>(count: usize, strategy: S) -> Vec<S::Value> {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    (0..count).map(|_| strategy.new_tree(&mut runner).expect("a value").current()).collect()
}

/// What we read in a document, told as the oracle tells it.
fn ours(document: &str) -> Result<Json, String> {
    let told = |values: Vec<Tree>| values.iter().map(Tree::json).collect::<Vec<_>>();
    let as_call =
        |call: Call<'_>| json!({"method": call.method.to_string(), "values": told(Tree::all(call.params))});
    let as_answer = |answer| match answer {
        Answer::Value(value) => json!({"method": null, "values": told(vec![Tree::of(value)])}),
        Answer::Fault { code, text } => {
            json!({"fault": told(vec![Tree::of(Value::Int(code)), Tree::of(Value::Str(text))])})
        }
    };
    read_call(document.as_bytes()).map(as_call).or_else(|as_call| {
        let answer = read_answer(document.as_bytes()).map(as_answer);
        answer.map_err(|as_answer| format!("{as_call}; {as_answer}"))
    })
}

/// A document, and what the oracle reads in it.
fn documents(seed: u32, count: u32) -> Option<Vec<(String, Json)>> {
    let made = ask(&[json!({"do": "make", "seed": seed, "count": count})])?.remove(0);
    let pair = |one: &Json| (one["document"].as_str().expect("text").to_owned(), one["read"].clone());
    Some(made.as_array().expect("documents").iter().map(pair).collect())
}

/// NODE-41.
#[test]
fn what_python_writes_is_read_as_python_reads_it() {
    let Some(documents) = documents(1, 3000) else { return };
    for (document, theirs) in documents {
        assert_eq!(ours(&document).as_ref(), Ok(&theirs), "{document}");
    }
}

/// NODE-41: nothing that is read is read otherwise than by Python.
#[test]
fn a_document_that_was_damaged_is_not_read_as_something_else() {
    let words = "< > / & &lt; &#65; ]]> <![CDATA[ <!-- --> ?> <value> </value> <value/> <int> a 0 1 + - . = &amp; a='b' a=\"b\"";
    let pieces: Vec<_> = words.split(' ').chain([" ", "\r", "\n", "\u{1}", "\u{e9}", ""]).collect();
    let Some(documents) = documents(2, 1500) else { return };
    let edit = (any::<prop::sample::Index>(), 0_usize..4, prop::sample::select(pieces));
    let edits = some(documents.len() * 10, edit);
    let damage =
        |((document, _), (place, length, piece)): (&(String, Json), &(prop::sample::Index, usize, &str))| {
            let mut chars: Vec<_> = document.chars().collect();
            let begin = place.index(chars.len());
            let end = (begin + length).min(chars.len());
            chars.splice(begin..end, piece.chars());
            chars.into_iter().collect::<String>()
        };
    let damaged: Vec<_> = documents.iter().cycle().zip(&edits).map(damage).collect();
    let requests: Vec<_> =
        damaged.iter().map(|document| json!({"do": "read", "document": document})).collect();
    let Some(answers) = ask(&requests) else { return };
    let (mut same, mut refused) = (0, 0);
    for (document, theirs) in damaged.iter().zip(answers) {
        match ours(document) {
            Ok(ours) if ours == theirs => same += 1,
            // White space around a boolean, which roscpp reads.
            Ok(_) if theirs["refused"] == "TypeError('bad boolean value')" => refused += 1,
            Ok(ours) => panic!("{document}\nours: {ours}\nPython: {theirs}"),
            Err(_) => refused += 1,
        }
    }
    println!("{same} read the same, {refused} refused");
    assert!(same > 500 && refused > 500, "{same} read the same, {refused} refused");
}

/// NODE-42.
#[test]
fn what_we_write_is_read_by_python_as_it_was_meant() {
    let mut requests = Vec::new();
    let mut meant = Vec::new();
    for (method, values) in some(1000, (text(), prop::collection::vec(trees(), 0..4))) {
        let mut document = String::new();
        Writer::call(&mut document, &method, |out| values.iter().try_for_each(|value| value.write(out)))
            .unwrap();
        requests.push(json!({"do": "read", "document": document}));
        meant.push(json!({"method": method, "values": values.iter().map(Tree::json).collect::<Vec<_>>()}));
    }
    for (code, said, value) in some(500, (-1..=1, text(), trees())) {
        let mut document = String::new();
        Writer::triple(&mut document, code, &said, |out| value.write(out)).unwrap();
        requests.push(json!({"do": "read", "document": document}));
        let triple = Tree::Array(vec![Tree::Int(code), Tree::Str(said.clone()), value]);
        meant.push(json!({"method": null, "values": [triple.json()]}));
        let mut document = String::new();
        Writer::fault(&mut document, code, &said).unwrap();
        requests.push(json!({"do": "read", "document": document}));
        meant.push(json!({"fault": [Tree::Int(code).json(), Tree::Str(said).json()]}));
    }
    let Some(answers) = ask(&requests) else { return };
    for ((request, meant), theirs) in requests.iter().zip(meant).zip(answers) {
        assert_eq!(theirs, meant, "{request}");
    }
}

/// NODE-44.
#[test]
fn headers_are_those_of_rosgraph() {
    // rosgraph takes the white space off names.
    let field = ("[a-z_]{1,8}|[!-<>-~\u{a1}-\u{ff}]{1,3}", text());
    let all: Vec<BTreeMap<_, _>> = some(500, prop::collection::btree_map(field.0, field.1, 0..8));
    let mut ours = Vec::new();
    for fields in &all {
        let mut memory = vec![0; 4096];
        let mut writer = HeaderWriter::new(&mut memory).unwrap();
        fields.iter().for_each(|(name, value)| writer.field(name, value).unwrap());
        ours.push(writer.finish().to_vec());
    }
    let asked = all.iter().zip(&ours);
    let requests: Vec<_> =
        asked.map(|(fields, bytes)| json!({"do": "header", "fields": fields, "hex": hex(bytes)})).collect();
    let Some(answers) = ask(&requests) else { return };
    for ((fields, bytes), theirs) in all.iter().zip(&ours).zip(answers) {
        assert_eq!(theirs["fields"], json!(fields), "what we wrote");
        assert_eq!(theirs["hex"], hex(bytes), "the order is the same, of the names");
        let Ok(Progress::Whole { message, .. }) = read_header(bytes, MAX_HEADER) else { panic!("{bytes:?}") };
        assert!(fields.iter().all(|(name, value)| message.get(name) == Some(value)), "{message:?}");
    }
}

/// What each request about names is to be answered by.
fn about_names(namespace: &str, name: &str, arguments: &[String]) -> Option<Json> {
    let plain = Remappings::default();
    let spelled = Names::new("node", namespace, &plain).unwrap();
    // Of two spellings of one name rospy takes the one that came first first, we the one that came last.
    let mut seen = BTreeMap::new();
    for (from, _) in arguments.iter().filter_map(|argument| argument.split_once(":=")) {
        let global = spelled.resolve(from).unwrap_or_default();
        if *seen.entry(global).or_insert(from) != from {
            return None;
        }
    }
    let remappings = Remappings::parse(arguments.iter().map(|argument| &argument[..])).ok()?;
    let names = Names::new("node", namespace, &remappings).ok()?;
    let base = validate_node(name).is_ok();
    // Valid is also what rospy would warn of: two slashes, which are one when it is resolved.
    let valid = validate(name).is_ok() && !name.contains("//");
    let resolved = names.resolve(name).ok();
    let arguments: Vec<_> = arguments.iter().map(|argument| is_remapping(argument)).collect();
    Some(json!({"resolved": resolved, "valid": [valid, valid], "base": base, "arguments": arguments}))
}

/// NODE-46.
#[test]
fn names_are_resolved_and_renamed_as_rospy_does() {
    let name = || {
        "[~/a-c]?[a-b/_1]{0,5}|[ -~]{1,3}".prop_filter("rospy leaves a slash behind", |name| !name.is_empty())
    };
    let argument = prop_oneof![
        ("[~/]?[ab]", "[~/]?[ab/]{1,3}").prop_map(|(from, to)| format!("{from}:={to}")),
        "(_|__|-)?[ab/]{1,2}:=[ab]",
        "[ab:=]{0,5}",
    ];
    let cases = some(4000, ("(/[ab]){0,2}", name(), prop::collection::vec(argument, 0..4)));
    let (mut requests, mut meant) = (Vec::new(), Vec::new());
    for (namespace, name, arguments) in cases {
        if let Some(ours) = about_names(&namespace, &name, &arguments) {
            let node = format!("{namespace}/node");
            requests.push(json!({"do": "resolve", "arguments": arguments, "node": node, "name": name}));
            meant.push(ours);
        }
    }
    assert!(requests.len() > 2000, "{} of 4000 cases are of use", requests.len());
    let Some(answers) = ask(&requests) else { return };
    for ((request, mut meant), mut theirs) in requests.iter().zip(meant).zip(answers) {
        if meant["resolved"].is_null() {
            // It resolves what is not valid too.
            (meant["resolved"], theirs["resolved"]) = (json!(0), json!(0));
            assert_eq!(theirs["valid"], json!([false, false]), "{request}");
        }
        assert_eq!(theirs, meant, "{request}");
    }
}
