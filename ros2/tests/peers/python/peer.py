"""ros2-peer-python: ROS 2's types on Cyclone DDS from PyPI. ../README.md says how it is called."""

import os
import sys

from options import options_of

options = options_of(sys.argv[1:])

from cyclonedds.core import DDSException
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.topic import Topic

from bell import Bell
from events import Teller, say
from messages import TYPES, extend
from publish import publish
from subscribe import subscribe

# The kernel says of `lo` that it has no multicast, though it has: it must be told, or no peer finds another.
CONFIG = (
    '<Domain Id="any"><General><Interfaces><NetworkInterface name="{}" multicast="true"/></Interfaces></General></Domain>'
)


def run():
    if options.representation != "xcdr1":
        extend()
    bell = Bell()
    teller = Teller()
    domain = Domain(options.domain, CONFIG.format(options.interface))
    participant = DomainParticipant(options.domain)
    topic = Topic(participant, f"{options.prefix}/{options.topic}", TYPES[options.type])
    role = publish if options.role == "publish" else subscribe
    endpoint, counted = role(participant, topic, options, bell, teller)
    teller.finish()
    say("end", **counted)
    # In this order, so that readers and writers say good-bye; the collector would have an order of its own.
    for entity in (endpoint, topic, participant, domain):
        entity.__del__()


code = 0
try:
    run()
except (DDSException, BrokenPipeError) as refused:
    print(refused, file=sys.stderr, flush=True)
    code = 1
# Without the interpreter's own end: a library thread may still be in a listener.
os._exit(code)
