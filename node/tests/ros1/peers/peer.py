#!/usr/bin/python3
"""A node in the tests against ROS 1, of rospy: roles `publish`, `subscribe`, `serve`, `call` and `all` of README.md.

    peer.py ROLE KEY=VALUE... [FROM:=TO...]
"""
import sys
import threading
import time

import rospy
from rosgraph_msgs.msg import Log
from sensor_msgs.msg import Image
from std_msgs.msg import String
from std_srvs.srv import SetBool, SetBoolResponse

LONGEST = 16 << 20
PATTERN = bytes(range(251)) * (LONGEST // 251 + 2)


# Each publisher's messages come in a thread of their own.
TELLING = threading.Lock()


def tell(line):
    with TELLING:
        print(line, flush=True)


def pattern(number, size):
    """What a picture's bytes are: those of another one begin elsewhere."""
    return PATTERN[number % 251:number % 251 + size]


def make_image(number, keys):
    size = int(keys.get("bytes", 0))
    image = Image(height=1, width=size, step=size, encoding="mono8", data=pattern(number, size))
    image.header.stamp.secs = number
    return image


def make_string(number, keys):
    return String(f"{keys.get('text', '')}{number}".ljust(int(keys.get("bytes", 0)), "."))


def publish(keys):
    kind, make = (Image, make_image) if keys.get("kind") == "image" else (String, make_string)
    publisher = rospy.Publisher(keys.get("topic", "chatter"), kind, queue_size=int(keys.get("depth", 1000)),
                                latch=keys.get("latch") == "1")
    ready()
    while not rospy.is_shutdown() and publisher.get_num_connections() < int(keys.get("wait", 0)):
        time.sleep(0.005)
    tell("begins")
    count, number, following = int(keys.get("count", 0)), 0, time.monotonic()
    while not rospy.is_shutdown() and (count == 0 or number < count):
        publisher.publish(make(number, keys))
        number += 1
        following += 1 / float(keys.get("hz", 20))
        time.sleep(max(0, following - time.monotonic()))
    tell(f"published {number}")
    rospy.spin()


def on_image(image):
    number = image.header.stamp.secs
    is_right = image.data == pattern(number, image.width)
    tell(f"image {number} {len(image.data)} {'right' if is_right else 'wrong'}")


def on_any(message):
    header = message._connection_header
    tell(f"heard {header['type']} {len(message._buff)}")


def on_log(log):
    tell(f"log {log.name} {log.level} {log.msg}")


def subscribe(keys):
    kinds = {"string": (String, lambda message: tell(f"heard {message.data}")), "image": (Image, on_image),
             "any": (rospy.AnyMsg, on_any), "log": (Log, on_log)}
    kind, callback = kinds[keys.get("kind", "string")]
    depth = int(keys.get("depth", 0)) or None
    rospy.Subscriber(keys.get("topic", "chatter"), kind, callback, queue_size=depth, buff_size=LONGEST)
    ready()
    rospy.spin()


def offer(keys):
    def answer(request):
        tell(f"asked {str(request.data).lower()}")
        if not request.data:
            raise rospy.ServiceException(keys.get("reason", "the lamp is broken"))
        return SetBoolResponse(True, "it is on")

    rospy.Service(keys.get("service", "switch"), SetBool, answer)


def serve(keys):
    offer(keys)
    ready()
    rospy.spin()


def everything(keys):
    """Something of everything, for who asks what a node has."""
    publisher = rospy.Publisher("out", String, queue_size=100)
    rospy.Subscriber("in", String, lambda message: tell(f"heard {message.data}"))
    offer(keys)
    ready()
    number = 0
    while not rospy.is_shutdown():
        publisher.publish(str(number))
        number += 1
        time.sleep(0.1)


def call(keys):
    service = keys.get("service", "switch")
    rospy.wait_for_service(service, 30)
    proxy = rospy.ServiceProxy(service, SetBool, persistent=keys.get("persistent") == "1")
    ready()
    for line in sys.stdin:
        try:
            answer = proxy(line.strip() == "true")
            tell(f"answered {str(answer.success).lower()} {answer.message}")
        except rospy.ServiceException as error:
            tell(f"failed {error}")


def ready():
    tell(f"ready {rospy.get_name()}")


def main():
    role = sys.argv[1]
    keys = dict(argument.split("=", 1) for argument in sys.argv[2:] if ":=" not in argument)
    rospy.init_node(keys.get("node", role), anonymous=keys.get("anonymous") == "1")
    {"publish": publish, "subscribe": subscribe, "serve": serve, "call": call, "all": everything}[role](keys)
    tell("ended")


main()
