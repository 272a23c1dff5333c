//! Names of topics, types and nodes, as ROS 1 and robot.yaml write them: NODE-90, NODE-91, NODE-97.
//!
//! Pure. What comes from other nodes, the master or the other bridge may be anything.

use tokkyu_contract::yaml::robot::Toward;

/// Longest name of a topic: what robot.yaml allows (CON-9).
const TOPIC_MAX_BYTES: usize = 255;
/// Longest global name of a node.
const NODE_MAX_BYTES: usize = 512;
/// Longest word of a type's name.
const WORD_MAX_BYTES: usize = 100;

/// Whether `topic` can be the name of a topic, as robot.yaml understands it (CON-9) without a pattern.
pub fn is_topic(topic: &str) -> bool {
    let is_part = |part: &str| {
        is_word(part, TOPIC_MAX_BYTES)
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && !part.contains("__")
    };
    topic.len() <= TOPIC_MAX_BYTES && topic.split('/').all(is_part)
}

fn is_word(word: &str, longest: usize) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !word.is_empty() && word.len() <= longest && word.chars().all(is_letter)
}

/// The type `pkg/Type`, which robot.yaml may write `pkg/msg/Type` as well; `None` if it is neither.
pub fn ros1_type(text: &str) -> Option<String> {
    let mut parts = text.split('/');
    let (package, second, third) = (parts.next()?, parts.next()?, parts.next());
    let name = match third {
        Some(name) if second == "msg" => name,
        Some(_) => return None,
        None => second,
    };
    let good = parts.next().is_none() && [package, name].iter().all(|word| is_word(word, WORD_MAX_BYTES));
    good.then(|| format!("{package}/{name}"))
}

/// Whether `text` is an md5sum: 32 hexadecimal digits, and not `*`, which is any.
pub fn is_md5sum(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether `text` is a node's global name.
pub fn is_node(text: &str) -> bool {
    let Some(name) = text.strip_prefix('/') else { return false };
    text.len() <= NODE_MAX_BYTES && name.split('/').all(|part| is_word(part, NODE_MAX_BYTES))
}

/// What the name of a bridge's node begins with; numbers follow, so that many can be nodes of one master.
pub fn bridge_node(end: Toward) -> &'static str {
    match end {
        Toward::Vehicle => "tokkyu_bridge_vehicle",
        Toward::Operator => "tokkyu_bridge_operator",
    }
}

/// Whether the node of that global name is a bridge, of this link or another (NODE-97).
pub fn is_bridge(node: &str) -> bool {
    let own = node.rsplit('/').next().unwrap_or_default();
    [Toward::Vehicle, Toward::Operator].into_iter().any(|end| own.starts_with(bridge_node(end)))
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

    /// The global name that flow `topic` has at this end.
    pub fn global(&self, topic: &str) -> String {
        format!("/{}{topic}", self.0)
    }

    /// The flow's name of the topic that is called `global` at this end; `None` if it is not in the namespace.
    pub fn outside<'n>(&self, global: &'n str) -> Option<&'n str> {
        global.strip_prefix('/')?.strip_prefix(self.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_write_a_type_are_the_same_type_and_others_are_none() {
        for text in ["sensor_msgs/msg/Image", "sensor_msgs/Image"] {
            assert_eq!(ros1_type(text).as_deref(), Some("sensor_msgs/Image"), "{text}");
        }
        for text in ["std_srvs/srv/SetBool", "Image", "a/msg/B/c", "a//B", "", "a/", "*", "a/Ü", "a/b c"] {
            assert_eq!(ros1_type(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_that_robot_yaml_could_not_hold_is_no_topic() {
        assert!(is_topic("camera/front_2"));
        for name in ["", "/a", "a/", "a//b", "2a", "a__b", "a/*", "a b", &"a".repeat(256)] {
            assert!(!is_topic(name), "{name}");
        }
    }

    #[test]
    fn any_md5sum_is_none() {
        assert!(is_md5sum("992ce8a1687cec8c8bd883ec73ca41d1"));
        for text in ["*", "", "992ce8a1687cec8c8bd883ec73ca41d", "992ce8a1687cec8c8bd883ec73ca41dg"] {
            assert!(!is_md5sum(text), "{text}");
        }
    }

    #[test]
    fn bridges_are_known_by_the_last_part_of_their_name() {
        assert!(is_bridge("/tokkyu_bridge_vehicle_7_12") && is_bridge("/lab/tokkyu_bridge_operator_1_2"));
        assert!(!is_bridge("/tokkyu_bridge_vehicle/talker") && !is_bridge("/talker"));
        assert!(is_node("/a/b_1") && !is_node("a") && !is_node("/") && !is_node("/a b"));
    }

    #[test]
    fn a_namespace_stands_before_the_names_of_one_end_alone() {
        let namespace = Namespace::new("/rover7").unwrap();
        assert_eq!(namespace.global("camera/front"), "/rover7/camera/front");
        assert_eq!(namespace.outside("/rover7/camera/front"), Some("camera/front"));
        assert_eq!(namespace.outside("/camera/front"), None);
        assert_eq!(Namespace::default().outside("/camera"), Some("camera"));
        assert_eq!(Namespace::new("a b"), None);
    }
}
