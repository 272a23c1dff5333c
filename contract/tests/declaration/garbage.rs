//! Whatever the text: nothing panics, errors are bounded, and each stands on a line the file has (SPEC.md, CON-2 to
//! CON-5).

use proptest::prelude::*;
use proptest::sample::Index;
use tokkyu_contract::yaml::{Errors, MAX_ERRORS, robot, site};

const ROBOT: &str = include_str!("../../examples/robot.yaml");
const SITE: &str = include_str!("../../examples/site.yaml");

/// Pieces that mean something to YAML or to the readers, so that random texts get past the first character.
const PIECES: &[&str] = &[
    "robot",
    "flows",
    "class",
    "control",
    "match",
    "source",
    "rate",
    "10 Hz",
    "lifespan",
    "0 s",
    ": ",
    ":",
    ", ",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "\n  ",
    "\n    ",
    "\r\n",
    "\r",
    "\t",
    "- ",
    "? ",
    "&a ",
    "*a",
    "!t ",
    "\"",
    "'",
    "|\n",
    ">\n",
    "#",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "<<: ",
    "~",
    "é",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\u{0}",
    "-1",
    "1e9",
];

/// One change to a valid text: a piece put in, some characters taken out, or the rest cut off.
#[derive(Clone, Debug)]
enum Mutation {
    Insert(Index, &'static str),
    Remove(Index, usize),
    Cut(Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    prop_oneof![
        4 => (any::<Index>(), proptest::sample::select(PIECES)).prop_map(|(at, piece)| Mutation::Insert(at, piece)),
        3 => (any::<Index>(), 1usize..12).prop_map(|(at, count)| Mutation::Remove(at, count)),
        1 => any::<Index>().prop_map(Mutation::Cut),
    ]
}

fn mutate(text: &str, mutations: &[Mutation]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for mutation in mutations {
        match mutation {
            Mutation::Insert(at, piece) => {
                let at = at.index(chars.len() + 1);
                chars.splice(at..at, piece.chars());
            }
            Mutation::Remove(at, count) => {
                let at = at.index(chars.len() + 1);
                chars.drain(at..chars.len().min(at + count));
            }
            Mutation::Cut(at) => chars.truncate(at.index(chars.len() + 1)),
        }
    }
    chars.into_iter().collect()
}

/// Errors there are, not too many, ordered, each on a line of `text`, and each printed on one line.
fn errors_are_sound(text: &str, errors: &Errors) -> Result<(), TestCaseError> {
    let ends = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = ends.lines().collect();
    prop_assert!((1..=MAX_ERRORS).contains(&errors.list().len()));
    prop_assert!(errors.list().is_sorted_by_key(|error| error.at));
    for error in errors.list() {
        let at = error.at.expect("a text always has a place");
        let line = lines.get(at.line - 1).copied().unwrap_or("");
        prop_assert!(at.line <= lines.len().max(1), "{} of {} lines", at.line, lines.len());
        prop_assert!((1..=line.chars().count() + 1).contains(&at.column), "{error} in {line:?}");
        prop_assert_eq!(error.to_string().lines().count(), 1);
        prop_assert_eq!(format!("{error:#}").lines().count(), 3);
    }
    Ok(())
}

fn both_readers_stay_sound(text: &str) -> Result<(), TestCaseError> {
    robot::parse("fuzz", text).err().map_or(Ok(()), |errors| errors_are_sound(text, &errors))?;
    site::parse("fuzz", text).err().map_or(Ok(()), |errors| errors_are_sound(text, &errors))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic_and_errors_stand_in_the_file(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        both_readers_stay_sound(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn random_yaml_never_panics_and_errors_stand_in_the_file(
        pieces in prop::collection::vec(proptest::sample::select(PIECES), 0..60),
    ) {
        both_readers_stay_sound(&pieces.concat())?;
    }

    #[test]
    fn a_changed_robot_is_read_or_refused_with_places(changes in prop::collection::vec(mutation(), 1..6)) {
        both_readers_stay_sound(&mutate(ROBOT, &changes))?;
    }

    #[test]
    fn a_changed_site_is_read_or_refused_with_places(changes in prop::collection::vec(mutation(), 1..6)) {
        both_readers_stay_sound(&mutate(SITE, &changes))?;
    }
}
