//! Names of topics as robot.yaml, both ends and the link write them: CON-9, ROS2-6, ROS2-25, NODE-90, NODE-95.
//!
//! Pure. What comes from the middleware or from the other bridge may be anything.

/// Longest name of a topic: what robot.yaml allows (CON-9).
pub const TOPIC_MAX_BYTES: usize = 255;
/// Longest name of a topic that crosses: the link's topic is `NAME@GENERATION`, and has 255 bytes at most (LNK-30).
pub const CARRIED_MAX_BYTES: usize = 255 - "@4294967295".len();

/// Whether `topic` can be the name of a topic, as robot.yaml understands it (CON-9) without a pattern.
pub fn is_topic(topic: &str) -> bool {
    let is_part = |part: &str| {
        is_word(part, TOPIC_MAX_BYTES)
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && !part.contains("__")
    };
    topic.len() <= TOPIC_MAX_BYTES && topic.split('/').all(is_part)
}

/// Whether `word` is letters, digits and `_`, at least one and at most `longest`.
pub fn is_word(word: &str, longest: usize) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !word.is_empty() && word.len() <= longest && word.chars().all(is_letter)
}

/// Name of the link's topic for a generation of a topic; `@` is in no topic's name. Generation 0 has the topic's own.
pub fn link_topic(name: &str, generation: u32) -> String {
    match generation {
        0 => name.to_owned(),
        generation => format!("{name}@{generation}"),
    }
}

/// The name, which may be none of a topic, and the generation of which [`link_topic`] makes `text`; `None` if it makes it
/// of none.
pub fn of_link_topic(text: &str) -> Option<(&str, u32)> {
    let Some((name, digits)) = text.split_once('@') else { return Some((text, 0)) };
    let generation: u32 = digits.parse().ok()?;
    // One spelling for each: no sign, no zeros before it.
    (generation > 0 && generation.to_string() == digits).then_some((name, generation))
}

/// What stands before every topic's name at this end (`--namespace`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespace(String);

impl Namespace {
    /// `None` if `name`, with or without a leading slash, cannot be a namespace. An empty one is none.
    pub fn new(name: &str) -> Option<Namespace> {
        let name = name.strip_prefix('/').unwrap_or(name);
        match name {
            "" => Some(Namespace::default()),
            name if is_topic(name) => Some(Namespace(format!("{name}/"))),
            _ => None,
        }
    }

    /// Flow `topic` as it is called at this end, without leading slash.
    pub fn inside(&self, topic: &str) -> String {
        format!("{}{topic}", self.0)
    }

    /// The flow's name of the topic that this end calls `name`, without leading slash; `None` if that is not in the
    /// namespace.
    pub fn outside<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_prefix(self.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_robot_yaml_could_not_hold_is_no_topic() {
        for name in ["camera/front_2", &"a".repeat(TOPIC_MAX_BYTES)] {
            assert!(is_topic(name), "{name}");
        }
        for name in
            ["", "/a", "a/", "a//b", "2a", "a__b", "a/*", "a b", "ä", &"a".repeat(TOPIC_MAX_BYTES + 1)]
        {
            assert!(!is_topic(name), "{name}");
        }
    }

    #[test]
    fn a_word_is_not_empty_and_not_too_long() {
        assert!(is_word("Image_2", 7) && is_word("2", 1));
        assert!(!is_word("", 7) && !is_word("Image_22", 7) && !is_word("a/b", 7) && !is_word("ü", 7));
    }

    #[test]
    fn each_generation_of_a_topic_has_a_name_of_its_own_which_is_known_again() {
        for (generation, text) in
            [(0, "camera/front"), (2, "camera/front@2"), (u32::MAX, "camera/front@4294967295")]
        {
            assert_eq!(link_topic("camera/front", generation), text);
            assert_eq!(of_link_topic(text), Some(("camera/front", generation)));
        }
        for text in ["a@", "a@0", "a@09", "a@+9", "a@9@9", "a@4294967296", "a@x"] {
            assert_eq!(of_link_topic(text), None, "{text}");
        }
        let longest = link_topic(&"a".repeat(CARRIED_MAX_BYTES), u32::MAX);
        assert_eq!(longest.len(), 255);
    }

    #[test]
    fn a_namespace_stands_before_the_names_of_one_end_alone() {
        for name in ["rover7", "/rover7"] {
            let namespace = Namespace::new(name).unwrap();
            assert_eq!(namespace.inside("camera/front"), "rover7/camera/front");
            assert_eq!(namespace.outside("rover7/camera/front"), Some("camera/front"));
            assert_eq!(namespace.outside("camera/front"), None);
        }
        assert_eq!(Namespace::default().outside("camera"), Some("camera"));
        assert_eq!(Namespace::new(""), Some(Namespace::default()));
        assert_eq!(Namespace::new("a b"), None);
    }
}
