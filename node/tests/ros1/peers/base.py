#!/usr/bin/python3
"""A robot's base of rospy, and its tools: it takes commands, tells the speed that it was told, and hears the gate.

    base.py topic=NAME type=PKG/TYPE [odometry=NAME] [node=NAME]

One JSON object a line: `ready`; `command` (`speed`, `turn`: yaw rate or angle, `slow`: acceleration, `frame`, `age_s`: of a type
with a header); `gate` (`word`); `diagnostics` (`level`, `name`, `message`, `values`). Ends when standard input closes, exit
code 0. Of Debian's packages it needs std_msgs and geometry_msgs; the other types are made here, of their fields.
"""
import json
import sys
import threading
import time

import rospy
from genpy.dynamic import generate_dynamic
from geometry_msgs.msg import Twist, TwistStamped
from std_msgs.msg import String

LINE = "=" * 80
HEADER = ("std_msgs/Header", "uint32 seq\ntime stamp\nstring frame_id\n")
VECTOR = ("geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n")
POINT = ("geometry_msgs/Point", VECTOR[1])
TURN = ("geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n")
TWIST = ("geometry_msgs/Twist", "Vector3 linear\nVector3 angular\n")
POSE = ("geometry_msgs/Pose", "Point position\nQuaternion orientation\n")
TWIST_KNOWN = ("geometry_msgs/TwistWithCovariance", "Twist twist\nfloat64[36] covariance\n")
POSE_KNOWN = ("geometry_msgs/PoseWithCovariance", "Pose pose\nfloat64[36] covariance\n")
DRIVE = ("ackermann_msgs/AckermannDrive",
         "".join(f"float32 {name}\n" for name in ["steering_angle", "steering_angle_velocity", "speed", "acceleration", "jerk"]))
VALUE = ("diagnostic_msgs/KeyValue", "string key\nstring value\n")
STATUS = ("diagnostic_msgs/DiagnosticStatus",
          "byte OK=0\nbyte WARN=1\nbyte ERROR=2\nbyte STALE=3\nbyte level\nstring name\nstring message\nstring hardware_id\n"
          "KeyValue[] values\n")


def made(name, fields, *used):
    """The class of a message, made of its text and those of what it uses."""
    texts = [fields] + [f"{LINE}\nMSG: {other}\n{text}" for other, text in used]
    return generate_dynamic(name, "\n".join(texts))[name]


Odometry = made("nav_msgs/Odometry", "Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
                "geometry_msgs/TwistWithCovariance twist\n", HEADER, POSE_KNOWN, POSE, POINT, TURN, TWIST_KNOWN, TWIST, VECTOR)
DiagnosticArray = made("diagnostic_msgs/DiagnosticArray", "Header header\nDiagnosticStatus[] status\n", HEADER, STATUS, VALUE)
COMMANDS = {
    "geometry_msgs/Twist": Twist,
    "geometry_msgs/TwistStamped": TwistStamped,
    "ackermann_msgs/AckermannDrive": made(*DRIVE),
    "ackermann_msgs/AckermannDriveStamped":
        made("ackermann_msgs/AckermannDriveStamped", "Header header\nAckermannDrive drive\n", HEADER, DRIVE),
}

# Each publisher's messages come in a thread of their own.
TELLING = threading.Lock()


def say(event, **fields):
    with TELLING:
        print(json.dumps({"event": event, **fields}), flush=True)


class Base:
    """It goes as fast as it was told last."""

    def __init__(self):
        self.speed = 0.0

    def on_command(self, message):
        header = getattr(message, "header", None)
        told = {"frame": header.frame_id, "age_s": time.time() - header.stamp.to_sec()} if header else {}
        inner = getattr(message, "twist", getattr(message, "drive", message))
        if hasattr(inner, "linear"):
            self.speed, turn, slow = inner.linear.x, inner.angular.z, 0.0
        else:
            self.speed, turn, slow = inner.speed, inner.steering_angle, inner.acceleration
        say("command", speed=self.speed, turn=turn, slow=slow, **told)

    def odometry(self):
        odometry = Odometry()
        odometry.header.stamp = rospy.Time.from_sec(time.time())
        odometry.header.frame_id, odometry.child_frame_id = "odom", "base_link"
        odometry.pose.pose.position.x = 9.0
        odometry.twist.twist.linear.x = self.speed
        return odometry


def on_diagnostics(message):
    for status in message.status:
        values = {value.key: value.value for value in status.values}
        say("diagnostics", level=status.level, name=status.name, message=status.message, values=values)


def main():
    keys = dict(word.split("=", 1) for word in sys.argv[1:] if ":=" not in word)
    rospy.init_node(keys.get("node", "base"), disable_signals=True)
    base, topic = Base(), keys["topic"]
    rospy.Subscriber(topic + "/gate", String, lambda message: say("gate", word=message.data))
    rospy.Subscriber("/diagnostics", DiagnosticArray, on_diagnostics)
    rospy.Subscriber(topic, COMMANDS[keys["type"]], base.on_command, queue_size=1)
    publisher = rospy.Publisher(keys["odometry"], Odometry, queue_size=1) if "odometry" in keys else None
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    say("ready")
    while not over.wait(0.02):
        if publisher:
            publisher.publish(base.odometry())
    rospy.signal_shutdown("its input closed")


main()
