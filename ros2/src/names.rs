//! ROS 2's names and DDS's: ROS2-1, ROS2-3, ROS2-5, ROS2-6.
//!
//! Pure. Source: <https://design.ros2.org/articles/topic_and_service_names.html>.

/// Longest name of a topic: what robot.yaml allows (CON-9).
pub const TOPIC_MAX_BYTES: usize = 255;

/// What a DDS topic is in ROS 2's eyes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A topic: its name without the leading slash.
    Topic(String),
    /// The request or the reply of a service or an action: its name without the leading slash.
    Service(String),
    /// None of ROS 2's.
    Other,
}

/// What the DDS topic `name` is.
pub fn kind_of(name: &str) -> Kind {
    let strip = |prefix, suffix: &str| name.strip_prefix(prefix)?.strip_suffix(suffix);
    if let Some(topic) = name.strip_prefix("rt/") {
        Kind::Topic(topic.to_owned())
    } else if let Some(service) = strip("rq/", "Request").or_else(|| strip("rr/", "Reply")) {
        Kind::Service(service.to_owned())
    } else {
        Kind::Other
    }
}

/// Name of ROS topic `topic`, which has no leading slash, in DDS.
pub fn dds_topic(topic: &str) -> String {
    format!("rt/{topic}")
}

/// `pkg/msg/Type` as DDS calls it; `None` if it is not of that form.
pub fn dds_type(ros: &str) -> Option<String> {
    let mut parts = ros.split('/');
    let (package, kind, name) = (parts.next()?, parts.next()?, parts.next()?);
    let good = kind == "msg" && parts.next().is_none() && is_word(package) && is_word(name);
    good.then(|| format!("{package}::msg::dds_::{name}_"))
}

/// The ROS type that DDS type `dds` is: `pkg::msg::dds_::Type_` is `pkg/msg/Type`; `None` if it is none.
pub fn ros_type(dds: &str) -> Option<String> {
    let (package, name) = dds.strip_suffix('_')?.split_once("::msg::dds_::")?;
    (is_word(package) && is_word(name)).then(|| format!("{package}/msg/{name}"))
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.len() <= 100 && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether `topic` can be the name of a topic, as robot.yaml understands it (CON-9) without a pattern. What comes from
/// DDS or from the peer may be anything.
pub fn is_topic(topic: &str) -> bool {
    let is_part =
        |part: &str| is_word(part) && !part.starts_with(|c: char| c.is_ascii_digit()) && !part.contains("__");
    topic.len() <= TOPIC_MAX_BYTES && topic.split('/').all(is_part)
}

/// What stands before every topic's name in this end's domain (`--namespace`).
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

    /// `topic` as it is called in this domain.
    pub fn inside(&self, topic: &str) -> String {
        format!("{}{topic}", self.0)
    }

    /// The topic that this domain calls `name`; `None` if `name` is not in the namespace.
    pub fn outside<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_prefix(self.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_and_types_are_called_as_ros_2_calls_them_in_dds_and_back() {
        assert_eq!(dds_topic("camera/front"), "rt/camera/front");
        assert_eq!(kind_of("rt/camera/front"), Kind::Topic("camera/front".into()));
        let dds = dds_type("sensor_msgs/msg/Image").unwrap();
        assert_eq!(dds, "sensor_msgs::msg::dds_::Image_");
        assert_eq!(ros_type(&dds).as_deref(), Some("sensor_msgs/msg/Image"));
    }

    #[test]
    fn services_are_known_by_name_and_everything_else_is_none_of_ros_2() {
        assert_eq!(kind_of("rq/arm/setRequest"), Kind::Service("arm/set".into()));
        assert_eq!(kind_of("rr/arm/setReply"), Kind::Service("arm/set".into()));
        for name in ["ros_discovery_info", "rt", "rq/arm/set", "", "HelloWorld"] {
            assert_eq!(kind_of(name), Kind::Other, "{name}");
        }
    }

    #[test]
    fn what_is_no_message_type_is_refused() {
        for type_name in ["std_srvs/srv/SetBool", "Image", "a/msg/B/c", "a//B", "", "a/msg/", "a/msg/Ü"] {
            assert_eq!(dds_type(type_name), None, "{type_name}");
        }
        for type_name in ["sensor_msgs::msg::Image", "a::srv::dds_::B_", "::msg::dds_::_", ""] {
            assert_eq!(ros_type(type_name), None, "{type_name}");
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
    fn a_namespace_stands_before_the_names_of_one_domain_alone() {
        let namespace = Namespace::new("/rover7").unwrap();
        assert_eq!(namespace.inside("camera/front"), "rover7/camera/front");
        assert_eq!(namespace.outside("rover7/camera/front"), Some("camera/front"));
        assert_eq!(namespace.outside("camera/front"), None);
        assert_eq!(Namespace::default().outside("camera"), Some("camera"));
        assert_eq!(Namespace::new("a b"), None);
    }
}
