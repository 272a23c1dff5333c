"""ros2-peer-base: a robot's base, and its tools. It takes commands, tells the speed that it was told, and hears the gate.

  base.py --topic NAME --type PKG/msg/TYPE [--domain N=0] [--interface NAME=lo] [--odometry NAME]

One JSON object a line: `ready`; `command` (`speed`, `turn`: yaw rate or angle, `slow`: acceleration; of a type with a header
also `frame`, `age_s`); `gate` (`word`); `diagnostics` (`level`, `message`, `values`). Ends when standard input closes and on SIGTERM, with exit code 0.
"""

import argparse
import os
import threading
import time
from dataclasses import dataclass

from cyclonedds.core import Listener, Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import array, byte, float32, float64, sequence
from cyclonedds.internal import InvalidSample
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

from bell import Bell
from events import say
from messages import Header, String, Time, Twist, Vector3


@final
@dataclass
class AckermannDrive(IdlStruct, typename="ackermann_msgs::msg::dds_::AckermannDrive_"):
    steering_angle_: float32
    steering_angle_velocity_: float32
    speed_: float32
    acceleration_: float32
    jerk_: float32


@final
@dataclass
class TwistStamped(IdlStruct, typename="geometry_msgs::msg::dds_::TwistStamped_"):
    header_: Header
    twist_: Twist


@final
@dataclass
class AckermannDriveStamped(IdlStruct, typename="ackermann_msgs::msg::dds_::AckermannDriveStamped_"):
    header_: Header
    drive_: AckermannDrive


@final
@dataclass
class KeyValue(IdlStruct, typename="diagnostic_msgs::msg::dds_::KeyValue_"):
    key_: str
    value_: str


@final
@dataclass
class DiagnosticStatus(IdlStruct, typename="diagnostic_msgs::msg::dds_::DiagnosticStatus_"):
    level_: byte
    name_: str
    message_: str
    hardware_id_: str
    values_: sequence[KeyValue]


@final
@dataclass
class DiagnosticArray(IdlStruct, typename="diagnostic_msgs::msg::dds_::DiagnosticArray_"):
    header_: Header
    status_: sequence[DiagnosticStatus]


@final
@dataclass
class Pose(IdlStruct, typename="geometry_msgs::msg::dds_::Pose_"):
    position_: Vector3
    # A quaternion has the same bytes as four numbers.
    orientation_: array[float64, 4]


@final
@dataclass
class PoseWithCovariance(IdlStruct, typename="geometry_msgs::msg::dds_::PoseWithCovariance_"):
    pose_: Pose
    covariance_: array[float64, 36]


@final
@dataclass
class TwistWithCovariance(IdlStruct, typename="geometry_msgs::msg::dds_::TwistWithCovariance_"):
    twist_: Twist
    covariance_: array[float64, 36]


@final
@dataclass
class Odometry(IdlStruct, typename="nav_msgs::msg::dds_::Odometry_"):
    header_: Header
    child_frame_id_: str
    pose_: PoseWithCovariance
    twist_: TwistWithCovariance


COMMANDS = {
    "geometry_msgs/msg/Twist": Twist,
    "geometry_msgs/msg/TwistStamped": TwistStamped,
    "ackermann_msgs/msg/AckermannDrive": AckermannDrive,
    "ackermann_msgs/msg/AckermannDriveStamped": AckermannDriveStamped,
}
# ROS 2's default QoS of a subscriber.
DEFAULT = Qos(
    Policy.Reliability.Reliable(duration(milliseconds=100)),
    Policy.History.KeepLast(10),
    Policy.DataRepresentation(use_cdrv0_representation=True, use_xcdrv2_representation=False),
)
CONFIG = (
    '<Domain Id="any"><General><Interfaces><NetworkInterface name="{}" multicast="true"/></Interfaces></General></Domain>'
)


def odometry_of(speed):
    zero = Vector3(0.0, 0.0, 0.0)
    pose = PoseWithCovariance(Pose(zero, [0.0, 0.0, 0.0, 1.0]), [0.0] * 36)
    twist = TwistWithCovariance(Twist(Vector3(speed, 0.0, 0.0), zero), [9.0] * 36)
    return Odometry(Header(Time(0, 0), "odom"), "base_link", pose, twist)


class Base:
    """It goes as fast as it was told last."""

    def __init__(self):
        self.speed = 0.0

    def on_command(self, message):
        header = getattr(message, "header_", None)
        told = {}
        if header is not None:
            message = getattr(message, "twist_", None) or message.drive_
            told = {"frame": header.frame_id_, "age_s": time.time() - header.stamp_.sec_ - header.stamp_.nanosec_ * 1e-9}
        if isinstance(message, Twist):
            self.speed, turn, slow = message.linear_.x_, message.angular_.z_, 0.0
        else:
            self.speed, turn, slow = message.speed_, message.steering_angle_, message.acceleration_
        say("command", speed=self.speed, turn=turn, slow=slow, **told)

    def on_diagnostics(self, message):
        for status in message.status_:
            values = {value.key_: value.value_ for value in status.values_}
            level = status.level_ if isinstance(status.level_, int) else status.level_[0]
            say("diagnostics", level=level, name=status.name_, message=status.message_, values=values)


def read_on(reader, on_message, bell, arrived):
    while not bell.ended:
        with arrived:
            arrived.wait(0.02)
        for message in reader.take(16):
            if not isinstance(message, InvalidSample):
                on_message(message)


def main():
    parser = argparse.ArgumentParser(prog="ros2-peer-base", allow_abbrev=False)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--type", choices=COMMANDS, required=True)
    parser.add_argument("--domain", type=int, default=0)
    parser.add_argument("--interface", default="lo")
    parser.add_argument("--odometry")
    options = parser.parse_args()
    bell, base = Bell(), Base()
    domain = Domain(options.domain, CONFIG.format(options.interface))
    participant = DomainParticipant(options.domain)
    heard = [
        (options.topic, COMMANDS[options.type], base.on_command),
        (options.topic + "/gate", String, lambda message: say("gate", word=message.data_)),
        ("diagnostics", DiagnosticArray, base.on_diagnostics),
    ]
    threads, readers = [], []
    for name, kind, on_message in heard:
        arrived = threading.Condition()

        def ring(_, arrived=arrived):
            with arrived:
                arrived.notify_all()

        topic = Topic(participant, "rt/" + name, kind)
        reader = DataReader(participant, topic, DEFAULT, Listener(on_data_available=ring))
        readers.append(reader)
        thread = threading.Thread(target=read_on, args=(reader, on_message, bell, arrived))
        threads.append(thread)
    writer = None
    if options.odometry:
        writer = DataWriter(participant, Topic(participant, "rt/" + options.odometry, Odometry), DEFAULT)
    say("ready")
    for thread in threads:
        thread.start()
    while bell.wait_until(time.monotonic() + 0.02):
        if writer is not None:
            writer.write(odometry_of(base.speed))
    for thread in threads:
        thread.join()
    for entity in [*readers, writer, participant, domain]:
        if entity is not None:
            entity.__del__()


main()
# As peer.py: a library thread may still be in a listener.
os._exit(0)
