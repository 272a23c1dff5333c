"""Prints what comes at /rosout, a line each."""
import os

import rospy
from rosgraph_msgs.msg import Log


def show(log):
    print(log.level, log.name, log.msg, os.path.basename(log.file), log.function, log.line, sep=" | ", flush=True)


rospy.init_node("listener", disable_rosout=True)
rospy.Subscriber("/rosout", Log, show)
rospy.spin()
