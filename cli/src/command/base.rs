//! The robot's base, where `vehicle.output` of robot.yaml names one: its topics are opened, and become the motors.
//!
//! To be called before anything else opens a UDP socket: DDS keeps the sockets that are made meanwhile to this host
//! (ROS2-43).

use std::sync::Arc;

use tokkyu_contract::Class;
use tokkyu_contract::yaml::output::{Output, Ros};
use tokkyu_drive::program::{EndOptions, ExitCode};
use tokkyu_drive::vehicle::{Motors, NoMotors, ToldSpeed, TopicMotors, TopicsOpened};
use tokkyu_link::carrier::clock;

use crate::exit::Failure;

/// The motors of the robot of `end`; nothing where it declares no output.
///
/// # Errors
/// The topics cannot be opened here: a vehicle whose base is not there is not driven.
pub fn open(end: &EndOptions) -> Result<Option<TopicMotors>, Failure> {
    let robot = &end.robot;
    let Some(output) = &robot.vehicle.output else { return Ok(None) };
    let opened = match output.ros {
        Ros::Two { domain } => open_ros2(output, domain, end.fifo(Class::Control))?,
        Ros::One => open_ros1(output, end.fifo(Class::Control))?,
    };
    Ok(TopicMotors::new(robot, opened))
}

/// The same as any program takes them: motors that show nothing where nothing is declared.
pub fn boxed(motors: Option<&TopicMotors>) -> Box<dyn Motors> {
    match motors {
        Some(motors) => Box::new(motors.clone()),
        None => Box::new(NoMotors),
    }
}

/// Where the speed that a base tells is kept, and who puts it there.
fn told_speed() -> (Arc<ToldSpeed>, impl Fn(f32) + Send + Sync + 'static) {
    let speed = Arc::new(ToldSpeed::default());
    let hears = Arc::clone(&speed);
    (speed, move |mps| hears.on_speed(clock::now(), mps))
}

/// At the master of the environment.
fn open_ros1(output: &Output, fifo_priority: Option<u8>) -> Result<TopicsOpened, Failure> {
    use tokkyu_node_motors::{Motors, MotorsError};

    let (speed, on_speed) = told_speed();
    let motors = Motors::open(output, None, fifo_priority, on_speed).map_err(|error| match error {
        MotorsError::Elsewhere(_) => Failure::usage(error),
        error => Failure::new(ExitCode::NotPossible, error),
    })?;
    let way = format!("ROS 1 master {}", motors.master_uri());
    Ok(TopicsOpened { topics: Box::new(motors), speed, way })
}

#[cfg(feature = "bridge")]
fn open_ros2(
    output: &Output,
    domain: Option<u32>,
    fifo_priority: Option<u8>,
) -> Result<TopicsOpened, Failure> {
    let domain = domain.map_or_else(environments_domain, Ok)?;
    let (speed, on_speed) = told_speed();
    let motors = tokkyu_ros2::motors::Motors::open(output, domain, fifo_priority, on_speed)
        .map_err(|error| Failure::new(ExitCode::NotPossible, error))?;
    Ok(TopicsOpened { topics: Box::new(motors), speed, way: format!("ROS 2 domain {domain}") })
}

#[cfg(feature = "bridge")]
fn environments_domain() -> Result<u32, Failure> {
    let Some(word) = std::env::var_os("ROS_DOMAIN_ID").filter(|word| !word.is_empty()) else { return Ok(0) };
    let domain = word.to_str().and_then(|word| word.parse().ok());
    domain.filter(|domain| *domain <= tokkyu_ros2::dds::DOMAIN_MAX).ok_or_else(|| {
        let word = word.display();
        Failure::usage(format_args!(
            "ROS_DOMAIN_ID is {word:?}, not a whole number from 0 to {}; or give vehicle.output.ros2.domain in robot.yaml",
            tokkyu_ros2::dds::DOMAIN_MAX
        ))
    })
}

#[cfg(not(feature = "bridge"))]
fn open_ros2(_: &Output, _: Option<u32>, _: Option<u8>) -> Result<TopicsOpened, Failure> {
    let what = "vehicle.output.ros2 in robot.yaml: this tokkyu is built without DDS";
    Err(Failure::new(ExitCode::NotPossible, format_args!("{what}; build it with the feature bridge")))
}
