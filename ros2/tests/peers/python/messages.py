"""The three messages as ROS 2 names them in DDS: module `dds_`, and a `_` behind each type and each field."""

from dataclasses import dataclass

from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import appendable, final
from cyclonedds.idl.types import float64, int32, sequence, uint8, uint32


@final
@dataclass
class String(IdlStruct, typename="std_msgs::msg::dds_::String_"):
    data_: str


@final
@dataclass
class Time(IdlStruct, typename="builtin_interfaces::msg::dds_::Time_"):
    sec_: int32
    nanosec_: uint32


@final
@dataclass
class Header(IdlStruct, typename="std_msgs::msg::dds_::Header_"):
    stamp_: Time
    frame_id_: str


@final
@dataclass
class Image(IdlStruct, typename="sensor_msgs::msg::dds_::Image_"):
    header_: Header
    height_: uint32
    width_: uint32
    encoding_: str
    is_bigendian_: uint8
    step_: uint32
    data_: sequence[uint8]


@final
@dataclass
class Vector3(IdlStruct, typename="geometry_msgs::msg::dds_::Vector3_"):
    x_: float64
    y_: float64
    z_: float64


@final
@dataclass
class Twist(IdlStruct, typename="geometry_msgs::msg::dds_::Twist_"):
    linear_: Vector3
    angular_: Vector3


TYPES = {"std_msgs/msg/String": String, "sensor_msgs/msg/Image": Image, "geometry_msgs/msg/Twist": Twist}


def extend():
    """Makes all types appendable, as those of other DDS programs often are. To be called before the first is used."""
    for kind in (String, Time, Header, Image, Vector3, Twist):
        appendable(kind)
