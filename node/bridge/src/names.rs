//! Names of topics, types and nodes, as ROS 1 and robot.yaml write them: NODE-90, NODE-91, NODE-97.
//!
//! Pure. What comes from other nodes, the master or the other bridge may be anything.

use tokkyu_bridge::names::is_word;
use tokkyu_contract::yaml::robot::Toward;

pub use tokkyu_bridge::names::{Namespace, is_topic};

/// Longest global name of a node.
const NODE_MAX_BYTES: usize = 512;
/// Longest word of a type's name.
const WORD_MAX_BYTES: usize = 100;

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

/// The global name that flow `topic` has at an end of that namespace.
pub fn global(namespace: &Namespace, topic: &str) -> String {
    format!("/{}", namespace.inside(topic))
}

/// The flow's name of the topic that is called `global` at an end of that namespace; `None` if it is not in it.
pub fn outside<'n>(namespace: &Namespace, global: &'n str) -> Option<&'n str> {
    namespace.outside(global.strip_prefix('/')?)
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
    fn a_global_name_has_a_slash_before_the_namespace_of_its_end() {
        let namespace = Namespace::new("/rover7").unwrap();
        assert_eq!(global(&namespace, "camera/front"), "/rover7/camera/front");
        assert_eq!(outside(&namespace, "/rover7/camera/front"), Some("camera/front"));
        for name in ["/camera/front", "rover7/camera/front"] {
            assert_eq!(outside(&namespace, name), None, "{name}");
        }
        assert_eq!(outside(&Namespace::default(), "/camera"), Some("camera"));
    }
}
