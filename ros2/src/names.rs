//! ROS 2's names and DDS's: ROS2-1, ROS2-3, ROS2-5, ROS2-6. Those without a word of ROS 2's are `tokkyu_bridge::names`.
//!
//! Pure. Source: <https://design.ros2.org/articles/topic_and_service_names.html>.

use tokkyu_bridge::names::is_word;

pub use tokkyu_bridge::names::{Namespace, TOPIC_MAX_BYTES, is_topic};

/// Longest part of a type's name.
const WORD_MAX_BYTES: usize = 100;

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
    let good = kind == "msg"
        && parts.next().is_none()
        && [package, name].iter().all(|word| is_word(word, WORD_MAX_BYTES));
    good.then(|| format!("{package}::msg::dds_::{name}_"))
}

/// The ROS type that DDS type `dds` is: `pkg::msg::dds_::Type_` is `pkg/msg/Type`; `None` if it is none.
pub fn ros_type(dds: &str) -> Option<String> {
    let (package, name) = dds.strip_suffix('_')?.split_once("::msg::dds_::")?;
    let good = [package, name].iter().all(|word| is_word(word, WORD_MAX_BYTES));
    good.then(|| format!("{package}/msg/{name}"))
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
}
