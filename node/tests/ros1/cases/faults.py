"""What no good node does: wrong types, lengths that are lies, silence, readers that stop."""
import contextlib
import os
import resource
import socket
import struct
import threading

from processes import check, until
from suite import add, test
from wire import STRING, Connection, FakePublisher, Listener, data_port, header, string, subscribe

MEGABYTE = 1 << 20


def serves_others(ros, topic="out"):
    """The node still serves a subscriber of roscpp, and answers calls."""
    ros.start("roscpp", "subscribe", node="another", topic=topic).wait_for("^heard")
    check(ros.api("all").getPid("/test")[0] == 1, "it answers no more")


def header_refused(ros, **fields):
    """It is answered with an error field, and the connection is closed."""
    ros.start("ours", "all")
    connection = subscribe(ros, "all", "out", **fields)
    said = connection.read_header()
    check(said and said.get("error"), f"it is answered with {said}")
    check(connection.read(1) is None, "the connection is not closed")
    serves_others(ros)


HEADERS = {
    "wrong_md5sum": {"md5sum": "0" * 32}, "wrong_type": {"type": "std_msgs/Int32"}, "wrong_topic": {"topic": "/nobody/publishes"},
    "no_md5sum": {"md5sum": None}, "no_type": {"type": None}, "no_topic": {"topic": None}, "empty_md5sum": {"md5sum": ""},
}
for name, fields in HEADERS.items():
    add("faults", f"header_with_{name}", lambda ros, fields=fields: header_refused(ros, **fields))


def header_accepted(ros, **fields):
    ros.start("ours", "all")
    connection = subscribe(ros, "all", "out", **fields)
    said = connection.read_header()
    check(said and "error" not in said, f"it is answered with {said}")
    check(said["md5sum"] == STRING["md5sum"] and said["type"] == STRING["type"] and said["topic"] == ros.name("out")
          and said["callerid"] == ros.name("all") and said["latching"] == "0" and "string data" in said["message_definition"],
          f"it says {said}")
    check(connection.read_message() is not None, "no message comes")


@test
def header_of_a_latched_topic(ros):
    """It says that it is latched, and what it kept comes first, and once."""
    ros.start("ours", "publish", latch=1, count=2, hz=1000).wait_for("^published 2$")
    for _ in range(2):
        connection = subscribe(ros, "publish", "chatter")
        said = connection.read_header()
        check(said.get("latching") == "1", f"it says {said}")
        check(connection.read_message()[4:] == b"1", "it has kept another one")


add("faults", "header_with_wildcards", lambda ros: header_accepted(ros, md5sum="*", type="*"))
add("faults", "header_with_unknown_fields", lambda ros: header_accepted(ros, colour="blue", **{"a b": "="}))
add("faults", "header_with_tcp_nodelay", lambda ros: header_accepted(ros, tcp_nodelay="1"))
add("faults", "header_without_callerid", lambda ros: header_accepted(ros, callerid=None))
add("faults", "header_of_60_kilobytes", lambda ros: header_accepted(ros, message_definition="x" * 60000))


@test
def header_in_pieces(ros):
    ros.start("ours", "all")
    connection = data_port(ros, "all", "out")
    for byte in header({"callerid": "/test", "topic": ros.name("out"), **STRING}):
        connection.send(bytes([byte]))
    check("error" not in connection.read_header(), "it is refused")
    check(connection.read_message() is not None, "no message comes")


def greeting_refused(ros, data):
    """What is no header ends the connection, and takes no memory."""
    node = ros.start("ours", "all")
    before = node.resident_bytes()
    connection = data_port(ros, "all", "out")
    with contextlib.suppress(OSError):
        connection.send(data)
    connection.rest()
    check(node.resident_bytes() - before < 32 * MEGABYTE, "the node has taken memory for what was only said")
    serves_others(ros)


GREETINGS = {
    "empty_header": struct.pack("<I", 0),
    "header_of_two_gigabytes": struct.pack("<I", 0x7fffffff) + b"x" * 4096,
    "header_of_four_gigabytes": b"\xff" * 4096,
    "header_of_70_kilobytes": header({"callerid": "/test", **STRING, "x": "y" * 70000}),
    "header_of_ten_megabytes": header({"callerid": "/test", **STRING, "x": "y" * 10000000}),
    "field_longer_than_its_header": struct.pack("<II", 8, 1000) + b"a=b.",
    "field_without_value": struct.pack("<II", 9, 5) + b"topic",
    "field_without_name": struct.pack("<II", 6, 2) + b"=x",
    "header_that_is_http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "header_of_zeros": bytes(100000),
}
for name, data in GREETINGS.items():
    add("faults", name, lambda ros, data=data: greeting_refused(ros, data))


def node_of_another_type(ros, kind):
    """A subscriber of another type gets nothing, and does not disturb the right one."""
    ros.start("ours", "publish", hz=50)
    right = ros.start("roscpp", "subscribe", node="right")
    right.wait_for("^heard")
    wrong = ros.start(kind, "subscribe", kind="image", node="wrong")
    before = right.count()
    right.wait_for("^heard", before + 50)
    check(not wrong.find("^image"), "a string was heard as a picture")
    got = [int(match[1]) for match in right.find(r"^heard (\d+)$")]
    check(got == list(range(got[0], got[0] + len(got))), "the right one has lost messages")


for kind in ["roscpp", "rospy", "ours"]:
    add("faults", f"subscriber_of_another_type_{kind}", lambda ros, kind=kind: node_of_another_type(ros, kind))


def publisher_of_another_type(ros, kind):
    """Our subscriber hears nothing of a publisher of another type, says so, and hears the right one."""
    reader = ros.start("ours", "subscribe")
    ros.start(kind, "publish", kind="image", node="wrong", bytes=100)
    reader.wait_for("sensor_msgs/Image|0603" if kind != "ours" else "std_msgs/String")
    ros.start("roscpp", "publish", node="right", text="right ")
    reader.wait_for("^heard right")
    check(len(reader.find("^heard")) == len(reader.find("^heard right")), "a picture was heard as a string")


for kind in ["roscpp", "rospy", "ours"]:
    add("faults", f"publisher_of_another_type_{kind}", lambda ros, kind=kind: publisher_of_another_type(ros, kind))


def publisher_says(ros, greeting, data):
    """A publisher that sends nonsense is left, another one is heard meanwhile, and the first again once it behaves."""
    reader = ros.start("ours", "subscribe")
    ros.start("roscpp", "publish", node="good", text="good ")
    reader.wait_for("^heard good")
    before, is_good, ended = reader.resident_bytes(), threading.Event(), threading.Event()

    def act(connection):
        connection.read_header()
        if is_good.is_set():
            connection.send(fake.greeting() + string("fake"))
            connection.rest()
        else:
            connection.send((fake.greeting() if greeting is None else greeting) + data)
            if greeting is not None or data:
                connection.rest()
            ended.set()

    fake = FakePublisher(ros, ros.name("chatter"), act)
    check(ended.wait(30), "our subscriber does not leave it")
    check(reader.resident_bytes() - before < 64 * MEGABYTE, "our subscriber has taken memory for what was only said")
    reader.wait_for("^heard good", reader.count())
    check(not reader.find("^heard (?!good)"), "it heard what was not said")
    is_good.set()
    fake.unregister()
    fake.register()
    reader.wait_for("^heard fake$")


OTHER = {"callerid": "/fake", "message_definition": "", "latching": "0"}
PUBLISHERS = {
    "sends_a_message_of_two_gigabytes": (None, struct.pack("<I", 0x7fffffff) + b"x" * 4096),
    "sends_a_message_of_four_gigabytes": (None, b"\xff" * 4096),
    "closes_after_its_header": (None, b""),
    "refuses": (header({"error": "go away"}), b""),
    "sends_an_empty_header": (struct.pack("<I", 0), b""),
    "sends_no_md5sum": (header({**OTHER, "type": STRING["type"]}), b""),
    "sends_no_type": (header({**OTHER, "md5sum": STRING["md5sum"]}), b""),
    "has_another_md5sum": (header({**OTHER, **STRING, "md5sum": "1" * 32}), b""),
    "has_another_type": (header({**OTHER, **STRING, "type": "std_msgs/Int32"}), b""),
    "sends_a_header_of_two_gigabytes": (struct.pack("<I", 0x7fffffff) + b"x" * 4096, b""),
    "sends_http": (b"HTTP/1.1 400 Bad request\r\n\r\n", b""),
}
for name, (greeting, data) in PUBLISHERS.items():
    add("faults", f"publisher_{name}", lambda ros, greeting=greeting, data=data: publisher_says(ros, greeting, data))


@test
def publisher_announces_what_never_comes(ros):
    """A length that is allowed and not kept takes no memory, and nobody waits because of it."""
    reader = ros.start("ours", "subscribe")
    ros.start("roscpp", "publish", node="good", hz=50)
    reader.wait_for("^heard")
    before, said = reader.resident_bytes(), threading.Event()

    def act(connection):
        connection.read_header()
        connection.send(fake.greeting() + struct.pack("<I", 900 * MEGABYTE) + b"x" * 100_000)
        said.set()
        connection.rest()

    fake = FakePublisher(ros, ros.name("chatter"), act)
    check(said.wait(30), "our subscriber does not connect")
    heard = reader.count()
    until(lambda: reader.count() >= heard + 100, "it hears others on")
    taken = reader.resident_bytes() - before
    check(taken < 64 * MEGABYTE, f"our subscriber has taken {taken >> 20} MB for what was only said")


@test
def silent_publishers_are_asked_again(ros):
    """One whose slave API does not answer, and one that accepts a subscriber and says nothing: each is given up after 5 s, and asked again."""
    reader = ros.start("ours", "subscribe")
    ros.start("roscpp", "publish", node="good", text="good ")
    asked, is_good = [], threading.Event()

    def act(name):
        def serve(connection):
            connection.read_header()
            asked.append(name)
            if is_good.is_set():
                connection.send(fakes[name].greeting() + string(name))
            connection.rest()
        return serve

    fakes = {name: FakePublisher(ros, ros.name("chatter"), act(name), node=name) for name in ["data", "slave"]}
    answer = fakes["slave"].answer
    fakes["slave"].server.register_function(lambda *_: is_good.wait(60) and answer, "requestTopic")
    fakes["slave"].unregister()
    fakes["slave"].register()
    until(lambda: asked.count("data") >= 2, "the silent publisher is asked again")
    reader.wait_for("^heard good", reader.count())
    is_good.set()
    reader.wait_for("^heard data$")
    reader.wait_for("^heard slave$")


@test
def publisher_sends_what_is_no_message(ros):
    """Messages of the wrong length are left out, and the next right one is heard."""
    def act(connection):
        connection.read_header()
        connection.send(fake.greeting() + struct.pack("<I", 0) + struct.pack("<II", 4, 0xffffffff) + struct.pack("<III", 8, 1, 1)
                        + struct.pack("<II", 8, 2) + b"\xff\xfe.." + string("fake"))
        connection.rest()

    fake = FakePublisher(ros, ros.name("chatter"), act)
    reader = ros.start("ours", "subscribe")
    reader.wait_for("^heard fake$")
    check(len(reader.find("^heard")) == 1, f"it heard {[match[0] for match in reader.find('^heard.*')]}")


ANSWERS = {
    "fails": [0, "no", 0], "is_wrong": [-1, "no", 0], "is_no_triple": "no", "has_no_protocol": [1, "", []], "has_another_protocol": [1, "", ["UDPROS", "h", 1]],
    "has_port_0": [1, "", ["TCPROS", "127.0.0.1", 0]], "has_port_70000": [1, "", ["TCPROS", "127.0.0.1", 70000]],
    "has_no_host": [1, "", ["TCPROS", "", 80]], "has_an_unknown_host": [1, "", ["TCPROS", "no.such.host.invalid", 80]],
    "has_a_closed_port": [1, "", ["TCPROS", "127.0.0.1", 9]],
}


def answer_to_request_topic(ros, answer):
    """A publisher whose node answers nonsense is asked again until it answers well."""
    reader = ros.start("ours", "subscribe")
    ros.start("roscpp", "publish", node="good", text="good ")
    reader.wait_for("^heard good")
    asked = []

    def act(connection):
        connection.read_header()
        connection.send(fake.greeting() + string("fake"))
        connection.rest()

    fake = FakePublisher(ros, ros.name("chatter"), act)
    good, fake.answer = fake.answer, answer
    fake.server.register_function(lambda *_: asked.append(1) or fake.answer, "requestTopic")
    # Named anew, since it may have been asked before it had its bad answer.
    fake.unregister()
    fake.register()
    until(lambda: len(asked) >= 2, "it is asked again")
    reader.wait_for("^heard good", reader.count())
    fake.answer = good
    reader.wait_for("^heard fake$")


for name, answer in ANSWERS.items():
    add("faults", f"answer_to_requestTopic_{name}", lambda ros, answer=answer: answer_to_request_topic(ros, answer))


HTTP = {
    "nothing": b"", "garbage": bytes(range(256)) * 40, "get": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "no_length": b"POST /RPC2 HTTP/1.1\r\nHost: x\r\n\r\n",
    "length_of_four_gigabytes": b"POST / HTTP/1.1\r\nContent-Length: 4294967296\r\n\r\n" + b"x" * 1000,
    "length_below_zero": b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "two_lengths": b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
    "long_head": b"POST / HTTP/1.1\r\nX: " + b"y" * 100000 + b"\r\n\r\n", "many_lines": b"POST / HTTP/1.1\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
    "long_line": b"P" * 1000000, "chunks": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "tls": bytes.fromhex("16030100a5010000a10303") + bytes(160), "other_version": b"POST / HTTP/9.9\r\nContent-Length: 0\r\n\r\n",
}
XML = {
    "empty": "", "no_xml": "hello", "not_closed": "<methodCall><methodName>getPid</methodName>", "doctype": "<!DOCTYPE x [<!ENTITY a 'b'>]><methodCall/>",
    "deep": "<methodCall><methodName>getPid</methodName><params><param>" + "<value><array><data>" * 1000, "answer": "<methodResponse/>",
    "no_number": "<methodCall><methodName>getPid</methodName><params><param><value><int>x</int></value></param></params></methodCall>",
}


def http_port(ros):
    host, port = ros.master.uri_of(ros.name("all")).removeprefix("http://").rstrip("/").split(":")
    connection = Connection.to(host, int(port))
    ros.exits.callback(connection.close)
    return connection


def http_garbage(ros, data):
    """It is refused with a status, if it is still heard, and the connection is closed; the node answers others as ever."""
    node = ros.start("ours", "all")
    before = node.resident_bytes()
    connection = http_port(ros)
    with contextlib.suppress(OSError):
        connection.send(data)
        connection.socket.shutdown(socket.SHUT_WR)
    answer = connection.rest()
    check(answer == b"" or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")), f"it is answered with {answer[:200]}")
    check(ros.api("all").getPid("/test")[2] == node.pid, "it answers no more")
    check(node.resident_bytes() - before < 32 * MEGABYTE, "the node has taken memory for what was only said")


for name, data in HTTP.items():
    add("faults", f"http_{name}", lambda ros, data=data: http_garbage(ros, data))


def xml_garbage(ros, text):
    """A document that is no call is answered with a fault, or a status."""
    node = ros.start("ours", "all")
    connection = http_port(ros)
    connection.send(f"POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
    answer = connection.rest()
    check(b"<fault>" in answer or answer.startswith(b"HTTP/1.1 4"), f"it is answered with {answer[:200]}")
    check(ros.api("all").getPid("/test")[2] == node.pid, "it answers no more")


for name, text in XML.items():
    add("faults", f"xml_{name}", lambda ros, text=text: xml_garbage(ros, text))


@test
def silent_connections_are_ended(ros):
    """Who connects and does not say what for is let go after 5 s; who is a subscriber by then is not."""
    ros.start("ours", "all")
    good = subscribe(ros, "all", "out")
    good.read_header()
    silent = [data_port(ros, "all", "out") for _ in range(3)]
    silent[1].send(b"\x50\0")
    silent[2].send(header({"callerid": "/test", "topic": ros.name("out"), **STRING})[:-1])
    for number, connection in enumerate(silent):
        check(connection.read(1) is None, f"silent connection {number} was answered")
    check(good.read_message() is not None, "the subscriber was let go too")
    serves_others(ros)


def too_many_connections(ros, count, files=None):
    """The node goes on for those that it has, does not burn the processor, and has room again once the silent ones are let go."""
    node = ros.start("ours", "all")
    good = subscribe(ros, "all", "out")
    good.read_header()
    if files:
        resource.prlimit(node.pid, resource.RLIMIT_NOFILE, (files, files))
    before = node.cpu_s()
    for _ in range(count):
        data_port_again(ros, good)
    late = data_port_again(ros, good)
    late.send(header({"callerid": "/late", "topic": ros.name("out"), **STRING}))
    for _ in range(30):
        check(good.read_message() is not None, "the subscriber that was there is let go")
    said = late.read_header()
    check(said and "error" not in said, f"who comes later is not served: {said}")
    used = node.cpu_s() - before
    check(used < 1.5, f"it took {used:.1f} s of the processor to wait for room")
    serves_others(ros)


add("faults", "more_connections_than_it_takes", lambda ros: too_many_connections(ros, 1200))
add("faults", "more_connections_than_the_system_allows", lambda ros: too_many_connections(ros, 95, files=100))


def data_port_again(ros, connection):
    """One more connection to where another one leads."""
    another = Connection.to(*connection.socket.getpeername())
    ros.exits.callback(another.close)
    return another


def numbers_of(node):
    """Threads that look names up, and files that are open."""
    names = []
    for task in os.listdir(f"/proc/{node.pid}/task"):
        # It may be gone by now.
        with contextlib.suppress(OSError), open(f"/proc/{node.pid}/task/{task}/comm", encoding="ascii") as file:
            names.append(file.read().strip())
    return names.count("tokkyu-resolve"), len(os.listdir(f"/proc/{node.pid}/fd"))


@test
def a_thousand_publishers_that_are_named(ros):
    """Names that the system reads as 127.0.0.1 by itself: they take neither threads nor connections without bound, and others are served."""
    node = ros.start("ours", "all")
    silent = [Listener(lambda connection: connection.rest()) for _ in range(10)]
    for listener in silent:
        ros.exits.callback(listener.close)
    hosts = [f"127.0x{'0' * first}.0x{'0' * second}.1" for first in range(1, 11) for second in range(1, 11)]
    names = "".join(f"<value>http://{host}:{listener.port}/</value>" for host in hosts for listener in silent)
    body = ("<?xml version='1.0'?><methodCall><methodName>publisherUpdate</methodName><params><param><value>/master</value></param><param><value>"
            f"{ros.name('in')}</value></param><param><value><array><data>{names}</data></array></value></param></params></methodCall>")
    call = f"POST / HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    good, most = subscribe(ros, "all", "out"), [0, 0]
    good.read_header()
    for _ in range(3):
        connection = http_port(ros)
        connection.send(call)
        check(b"200 OK" in connection.read(15), "the names are refused")
        for _ in range(10):
            check(good.read_message() is not None, "the subscriber that was there is let go")
            most = [max(pair) for pair in zip(most, numbers_of(node))]
        check(ros.api("all").getPid("/test")[2] == node.pid, "it answers no more")
    check(most[0] <= 4, f"{most[0]} threads look names up")
    check(300 < most[1] < 600, f"{most[1]} files are open")
    serves_others(ros)
    ros.api("all").publisherUpdate("/master", ros.name("in"), [])
    ros.start("roscpp", "publish", topic="in")
    node.wait_for("^heard")


def images_of(process):
    return [int(match[1]) for match in process.find(r"^image (\d+) \d+ right$")]


@test
def readers_that_stop(ros):
    """Subscribers that do not read delay nobody and take no more memory than their queues; once they read again they get newer messages."""
    size, depth = 200_000, 20
    writer = ros.start("ours", "publish", kind="image", bytes=size, hz=100, depth=depth)
    good = ros.start("roscpp", "subscribe", kind="image", node="good")
    stopped = {kind: ros.start(kind, "subscribe", kind="image", node=f"stopped_{kind}", depth=5) for kind in ["roscpp", "rospy"]}
    for reader in [good, *stopped.values()]:
        reader.wait_for("^image")
    # It says what it wants, and reads nothing.
    deaf = subscribe(ros, "publish", "chatter", type="*", md5sum="*")
    before = writer.resident_bytes()
    for reader in stopped.values():
        reader.pause()
    last = {kind: images_of(reader)[-1] for kind, reader in stopped.items()}
    start = len(images_of(good))
    until(lambda: len(images_of(good)) - start >= 400, "the good subscriber hears on", 60)
    got = images_of(good)[start:]
    check(got == sorted(set(got)) and got[-1] - got[0] < len(got) * 1.2, f"of {got[-1] - got[0] + 1} pictures the good one got {len(got)}")
    taken = writer.resident_bytes() - before
    check(taken < 24 * MEGABYTE, f"the publisher has taken {taken >> 20} MB for those who do not read")
    newest = images_of(good)[-1]
    for kind, reader in stopped.items():
        reader.go_on()
        until(lambda reader=reader: images_of(reader)[-1] > newest, f"{kind} hears what is new")
        got = images_of(reader)
        check(got == sorted(set(got)), f"{kind} hears in another order")
        check(got[-1] - last[kind] > len([image for image in got if image > last[kind]]), f"{kind} was sent all that it had not read")
    deaf.close()
    check(writer.is_running(), "the publisher has ended")


@test
def our_reader_that_stops(ros):
    """Our subscriber that stood still goes on with newer messages, whole and in order."""
    ros.start("roscpp", "publish", kind="image", bytes=200_000, hz=100, depth=10)
    good = ros.start("roscpp", "subscribe", kind="image", node="good")
    reader = ros.start("ours", "subscribe", kind="image", node="stopped", depth=5)
    for one in [good, reader]:
        one.wait_for("^image")
    reader.pause()
    last, start = images_of(reader)[-1], len(images_of(good))
    until(lambda: len(images_of(good)) - start >= 300, "the good subscriber hears on", 60)
    newest = images_of(good)[-1]
    reader.go_on()
    until(lambda: images_of(reader)[-1] > newest, "it hears what is new")
    got = images_of(reader)
    check(got == sorted(set(got)) and not reader.find("wrong$"), "it hears in another order, or other bytes")
    check(got[-1] - last > len([image for image in got if image > last]), "nothing was left out")


@test
def slow_callback(ros):
    """A program that is stopped while its network's thread has much to read keeps the newest of its queue."""
    reader = ros.start("ours", "subscribe", depth=3)
    writer = ros.start("ours", "publish", wait=1, count=300, hz=1000)
    reader.wait_for("^heard")
    reader.pause()
    writer.wait_for("^published 300$")
    reader.go_on()
    reader.wait_for("^heard 299$")
    got = [int(match[1]) for match in reader.find(r"^heard (\d+)$")]
    check(got == sorted(set(got)), "it hears in another order")
