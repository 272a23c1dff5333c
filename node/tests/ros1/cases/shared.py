"""Our nodes in several processes of this device: they share memory, and go over TCP where they cannot (SPEC, section 7)."""
import glob
import os
import re
import subprocess
import tempfile

from processes import check, until
from suite import test


def numbers(reader):
    return [int(match[1]) for match in reader.find(r"^heard .*?(\d+)\.*$")]


def check_run(got, whose):
    check(got == list(range(got[0], got[0] + len(got))), f"{whose} has lost messages or heard some twice")


def transports(ros, node, topic="chatter"):
    """How a node's links of a topic go, by who is at the other end."""
    links = ros.api(node).getBusInfo("/test")[2]
    return sorted((who, transport) for _, who, _, transport, name, *_ in links if name == ros.name(topic))


def start_with(ros, variable, value, role, **keys):
    """A node of ours with a variable of its own."""
    former = ros.environment
    ros.environment = dict(former, **{variable: value})
    try:
        return ros.start("ours", role, **keys)
    finally:
        ros.environment = former


def sent_by(process):
    """Bytes that all TCP sockets of a process have sent, by the kernel's count."""
    sockets = subprocess.run(["ss", "-Htnpi"], capture_output=True, text=True, check=True).stdout
    mine = re.findall(rf"pid={process.pid},.*\n(.*)", sockets)
    return sum(int(count) for line in mine for count in re.findall(r"bytes_sent:(\d+)", line))


def topics_in_memory(ros):
    return glob.glob(f"/dev/shm/tokkyu-{ros.environment['TOKKYU_PROCESS_GROUP']}/*")


@test
def beside_tcp(ros):
    """One publisher, in the one form and in the other: our subscribers read in memory, roscpp's over TCP, and all get all."""
    for form in ["object", "wire"]:
        topic, writer = form, f"writer_{form}"
        readers = {
            name: ros.start(kind, "subscribe", node=f"{name}_{form}", topic=topic)
            for name, kind in [("one", "ours"), ("two", "ours"), ("far", "roscpp")]}
        ros.start("ours", "publish", node=writer, topic=topic, form=form, wait=3, count=200, hz=500)
        for name, reader in readers.items():
            reader.wait_for("^heard 199$")
            check(numbers(reader) == list(range(200)), f"{name} heard {numbers(reader)} of {form}")
        ways = {ros.name(f"one_{form}"): "SHM", ros.name(f"two_{form}"): "SHM", ros.name(f"far_{form}"): "TCPROS"}
        check(dict(transports(ros, writer, topic)) == ways, f"links go by {transports(ros, writer, topic)}")
        at_reader = [way for _, way in transports(ros, f"one_{form}", topic)]
        check(at_reader == ["SHM"], f"at the subscriber they go by {at_reader}")


@test
def switched_off(ros):
    """At either end, by variable: it goes over TCP. Nodes of another group are as far as those of another device."""
    for variable, value in [("TOKKYU_SHARED_MEMORY", "0"), ("TOKKYU_PROCESS_GROUP", "elsewhere")]:
        for end, role, other in [("writer", "publish", "subscribe"), ("reader", "subscribe", "publish")]:
            topic = f"{end}_{value}"
            start_with(ros, variable, value, role, node=topic, topic=topic)
            ros.start("ours", other, node=f"other_{topic}", topic=topic)
            reader = ros.processes[-2 if role == "subscribe" else -1]
            reader.wait_for("^heard")
            ways = [way for _, way in transports(ros, topic, topic)]
            check(ways == ["TCPROS"], f"with {variable}={value} at the {end} it goes by {ways}")


@test
def no_socket_carries_it(ros):
    """100 pictures of 1 MB: sockets between processes carry what is said about them, and all of them where memory is not shared."""
    sent = {}
    for shared in ["1", "0"]:
        topic, writer = f"pictures_{shared}", f"writer_{shared}"
        reader = ros.start("ours", "subscribe", node=f"reader_{shared}", topic=topic, kind="image", depth=100)
        keys = {"kind": "image", "bytes": 1_000_000, "wait": 1, "count": 100, "hz": 100, "depth": 100}
        process = start_with(ros, "TOKKYU_SHARED_MEMORY", shared, "publish", node=writer, topic=topic, **keys)
        reader.wait_for("^image 99 1000000 right$")
        sent[shared] = sent_by(process)
    check(sent["1"] < 1_000_000 and sent["0"] > 100_000_000, f"sockets have sent {sent} bytes")


@test
def declared_reliable(ros):
    """A subscriber that stops loses nothing: the publisher is told what nobody gets, and goes on once it reads again."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as robot:
        flow = ros.name("chatter").lstrip("/")
        robot.write(f"robot: r\nflows:\n  {flow}: {{class: best_effort, reliability: reliable, history: keep_all}}\n")
        robot.flush()
        reader = start_with(ros, "TOKKYU_ROBOT", robot.name, "subscribe", depth=10)
        beside = ros.start("ours", "subscribe", node="beside", depth=250)
        writer = start_with(ros, "TOKKYU_ROBOT", robot.name, "publish", node="writer", wait=2, count=250, hz=500)
        reader.wait_for("^heard 5$")
        reader.pause()
        writer.wait_for("a reliable subscription is full")
        # As full as it was, and others wait with it.
        reader.go_on()
        writer.wait_for("^published 250$")
        refused = lambda: len(writer.find("a reliable subscription is full"))
        until(lambda: len(numbers(reader)) + refused() == 250, "it hears all that was published")
        until(lambda: numbers(beside) == numbers(reader), "who reads beside it hears the same")
        check(numbers(reader) == sorted(set(numbers(reader))), f"it heard {numbers(reader)}")
        check({way for _, way in transports(ros, "writer")} == {"SHM"}, "they share memory")


@test
def too_many(ros):
    """More subscribers than can borrow: the others get TCPROS, and all get all."""
    readers = [ros.begin("ours", "subscribe", node=f"reader_{at}") for at in range(18)]
    writer = ros.begin("ours", "publish", node="writer", wait=len(readers), count=100, hz=200)
    writer.wait_for("^published 100$", patience_s=60)
    for at, reader in enumerate(readers):
        reader.wait_for("^heard 99$")
        check(numbers(reader) == list(range(100)), f"reader {at} heard {numbers(reader)}")
    ways = [way for _, way in transports(ros, "writer")]
    check((ways.count("SHM"), ways.count("TCPROS")) == (16, 2), f"links go by {ways}")


@test
def latched_after_others(ros):
    """Who comes late gets the last message once, also when nobody read what came before."""
    ros.start("ours", "publish", latch=1, hz=50)
    for round_ in range(3):
        reader = ros.start("ours", "subscribe", node=f"reader_{round_}")
        until(lambda reader=reader: len(numbers(reader)) > 20, "it hears")
        check_run(numbers(reader), f"reader {round_}")
        reader.kill()
        unheard = ros.start("roscpp", "subscribe", node=f"between_{round_}")
        until(lambda unheard=unheard: numbers(unheard)[-1:] > numbers(reader)[-1:], "messages go by")
        last = numbers(unheard)[-1]
        late = ros.start("ours", "subscribe", node=f"late_{round_}")
        late.wait_for("^heard")
        check(numbers(late)[0] >= last, f"it heard {numbers(late)[0]} first, and {last} was said before")
        late.kill()


@test
def subscriber_killed(ros):
    """The publisher goes on, others miss nothing, and what the dead one had comes back."""
    ros.start("ours", "publish", kind="image", hz=30, bytes=500_000, depth=3)
    stays = ros.start("ours", "subscribe", kind="image", node="stays")
    right = lambda reader: [int(match[1]) for match in reader.find(r"^image (\d+) \d+ right$")]
    ends = lambda: sum(len(glob.glob(f"{topic}/end-*")) for topic in topics_in_memory(ros))
    until(lambda: right(stays), "it hears")
    before = ends()
    for round_ in range(4):
        dies = ros.start("ours", "subscribe", kind="image", node=f"dies_{round_}")
        until(lambda dies=dies: right(dies), "it hears")
        check(ends() == before + 1, f"there are {ends()} ends, not {before + 1}")
        dies.kill()
        until(lambda: ends() == before, "what the dead one had is taken back")
    heard = right(stays)[-1]
    until(lambda: right(stays)[-1] > heard + 10, "it hears on")
    check_run(right(stays), "who stays")
    check(not stays.find("wrong$"), "pictures were not what was sent")


@test
def publisher_killed(ros):
    """What it had sent is read to the end, and the next publisher is heard."""
    reader = ros.start("ours", "subscribe")
    writer = ros.start("ours", "publish", node="first", wait=1, count=300, hz=1000, text="first ")
    reader.wait_for("^heard first 10$")
    reader.pause()
    writer.wait_for("^published 300$")
    writer.kill()
    reader.go_on()
    reader.wait_for("^heard first 299$")
    check(numbers(reader) == list(range(300)), f"it heard {numbers(reader)}")
    dead = set(topics_in_memory(ros))
    ros.start("ours", "publish", node="second", text="second ")
    reader.wait_for("^heard second 5$")
    check(dead and not dead & set(topics_in_memory(ros)), "what the dead publisher had is still there")


@test
def reader_that_stops(ros):
    """It delays nobody, and goes on with the newest that its queue has; the gap is in the queue's length."""
    reader = ros.start("ours", "subscribe", depth=10)
    # As many as its queue takes, however late it is.
    beside = ros.start("ours", "subscribe", node="beside", depth=250)
    writer = ros.start("ours", "publish", wait=2, count=250, hz=500, depth=10)
    reader.wait_for("^heard 5$")
    reader.pause()
    writer.wait_for("^published 250$")
    beside.wait_for("^heard 249$")
    check(numbers(beside) == list(range(250)), "who reads beside it has lost messages")
    reader.go_on()
    reader.wait_for("^heard 249$")
    check(numbers(reader)[-10:] == list(range(240, 250)), f"it heard {numbers(reader)[-20:]} at last")
    check(len(numbers(reader)) < 250, "nothing was lost")


@test
def ended_in_order(ros):
    """Nodes that end leave nothing behind."""
    writer = ros.start("ours", "publish", node="writer", hz=100)
    reader = ros.start("ours", "subscribe", node="reader")
    reader.wait_for("^heard")
    check(len(topics_in_memory(ros)) == 1, "the topic is not in memory")
    for node in [reader, writer]:
        ros.tool("rosnode", "kill", ros.name("reader" if node is reader else "writer")).wait_for_end()
        check(node.wait_for_end() == 0, f"it ended with {node.process.returncode}")
    group = ros.environment["TOKKYU_PROCESS_GROUP"]
    left = topics_in_memory(ros) + glob.glob(f"/dev/shm/tokkyu_{group}_*")
    check(not left, f"left are {[os.path.basename(path) for path in left]}")
