"""Topics: our node with roscpp, rospy and another one of ours, as publisher and as subscriber."""
from processes import Failed, Skipped, check
from suite import add, test
from wire import subscribe

PAIRS = [("ours", "roscpp"), ("ours", "rospy"), ("roscpp", "ours"), ("rospy", "ours"), ("ours", "ours")]
# A full HD picture of three bytes a pixel.
IMAGE_BYTES = 1920 * 1080 * 3


def heard(process):
    return [match[1] for match in process.find("^heard (.*)")]


def numbers(process):
    """Numbers of the strings that were heard, without what fills them up."""
    return [int(text.rstrip(".")) for text in heard(process)]


def check_all(got, count, whose="the subscriber"):
    if got != list(range(count)):
        missing = sorted(set(range(count)) - set(got))
        raise Failed(f"{whose} got {len(got)} of {count} messages, in order: {got == sorted(got)}; missing: {missing[:10]}")


def strings(ros, publisher, subscriber):
    """Each message comes, once and in order."""
    reader = ros.start(subscriber, "subscribe")
    ros.start(publisher, "publish", wait=1, count=50, hz=100)
    reader.wait_for("^heard 49$")
    check_all(numbers(reader), 50)


def images(ros, publisher, subscriber, form):
    """Pictures of 6 MB come as they were sent, byte for byte."""
    reader = ros.start(subscriber, "subscribe", kind="image")
    ros.start(publisher, "publish", kind="image", wait=1, count=24, hz=10, bytes=IMAGE_BYTES, form=form)
    reader.wait_for("^image 23 ", patience_s=60)
    came = reader.find(r"^image (\d+) (\d+) (\w+)$")
    check_all([int(match[1]) for match in came], 24)
    check(all(match[3] == "right" and int(match[2]) == IMAGE_BYTES for match in came), "pictures have other bytes than were sent")


def thousand_hertz(ros, publisher, subscriber):
    """1000 messages of 64 bytes a second: none is lost."""
    reader = ros.start(subscriber, "subscribe", depth=10000)
    writer = ros.start(publisher, "publish", wait=1, count=3000, hz=1000, bytes=64, depth=10000)
    writer.wait_for("^published 3000$", patience_s=60)
    reader.wait_for(r"^heard 2999\.", patience_s=60)
    check_all(numbers(reader), 3000)
    check({len(text) for text in heard(reader)} == {64}, "messages are not as long as they were")


for pair in PAIRS:
    add("pairings", "strings_from_{}_to_{}".format(*pair), lambda ros, pair=pair: strings(ros, *pair))
for pair in PAIRS:
    # Our publisher has two ways, each of which is tried: an object that is written late, and bytes that lie in the slot.
    form = "wire" if pair[1] == "rospy" else "object"
    add("pairings", "images_from_{}_to_{}".format(*pair), lambda ros, pair=pair, form=form: images(ros, *pair, form))
for pair in PAIRS:
    add("pairings", "thousand_hertz_from_{}_to_{}".format(*pair), lambda ros, pair=pair: thousand_hertz(ros, *pair))


@test
def many_publishers_on_one_topic(ros):
    kinds = ["ours", "roscpp", "rospy"]
    readers = {kind: ros.start(kind, "subscribe", node=f"reader_{kind}") for kind in kinds}
    for kind in kinds:
        ros.start(kind, "publish", node=f"writer_{kind}", text=f"{kind} ", wait=3, count=50, hz=50)
    for name, reader in readers.items():
        for kind in kinds:
            reader.wait_for(f"^heard {kind} 49$")
            check_all([int(match[1]) for match in reader.find(rf"^heard {kind} (\d+)$")], 50, f"{name}, of {kind},")


def latched(ros, publisher, subscriber):
    """Who comes late gets the last message of a latched topic, and only that."""
    early = ros.start(subscriber, "subscribe", node="early")
    ros.start(publisher, "publish", latch=1, count=3, wait=1)
    early.wait_for("^heard 2$")
    late = ros.start(subscriber, "subscribe", node="late")
    late.wait_for("^heard")
    check(heard(late) == ["2"], f"the late one heard {heard(late)}")


for pair in PAIRS:
    add("pairings", "latched_from_{}_to_{}".format(*pair), lambda ros, pair=pair: latched(ros, *pair))


def late(ros, publisher, subscriber):
    """Who comes late hears what is said from then on."""
    writer = ros.start(publisher, "publish", hz=50)
    early = ros.start(subscriber, "subscribe", node="early")
    early.wait_for("^heard")
    seen = numbers(early)[-1]
    reader = ros.start(subscriber, "subscribe", node="late")
    reader.wait_for("^heard")
    first = numbers(reader)[0]
    check(first > seen, f"the first that it heard is {first}, and {seen} was heard before it came")
    reader.wait_for(f"^heard {first + 20}$")
    check(numbers(reader)[:20] == list(range(first, first + 20)), "it has not heard all that came then")
    check(writer.is_running(), "the publisher has ended")


for pair in PAIRS[:4]:
    add("pairings", "late_subscriber_from_{}_to_{}".format(*pair), lambda ros, pair=pair: late(ros, *pair))


@test
def any_type(ros):
    """A subscriber of ours that takes any type learns it from the publisher."""
    reader = ros.begin("ours", "subscribe", kind="any")
    reader.wait_for("^(ready|cannot)")
    if reader.find("^cannot"):
        raise Skipped("this program cannot subscribe to any type")
    ros.start("roscpp", "publish", node="writer", count=1, wait=1, text="hello ")
    reader.wait_for("^heard std_msgs/String 11$")


def many_subscribers(ros, count, depth):
    """Each of them has a queue of its own, as deep as was said: all read what was published while they did not."""
    # More than the 4 MB that a socket of Linux takes.
    size = max(20_000, 6_000_000 // depth)
    writer = ros.start("ours", "publish", wait=count, count=depth, hz=1000, depth=depth, bytes=size)
    readers = [subscribe(ros, "publish", "chatter", 65536) for _ in range(count)]
    for at, reader in enumerate(readers):
        said = reader.read_header()
        check(said and "error" not in said, f"subscriber {at + 1} of {count} is refused: {said}")
    writer.wait_for(f"^published {depth}$")
    for at, reader in enumerate(readers):
        got = []
        # The newest is never left out.
        while not got or got[-1] < depth - 1:
            got.append(int(reader.read_message()[4:].rstrip(b".")))
        check(got == list(range(depth)), f"subscriber {at + 1} of {count} has lost {depth - len(got)} messages with a queue of {depth}")


add("pairings", "many_subscribers_with_long_queues", lambda ros: many_subscribers(ros, 10, 1000))
# As `/tf` and `/clock` have.
add("pairings", "many_subscribers_with_short_queues", lambda ros: many_subscribers(ros, 40, 100))
