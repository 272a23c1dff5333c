"""The slave API, called by Python's client; what our node answers has the shape of what roscpp's does."""
import http.client
import socket
import struct
import xmlrpc.client

from processes import PATIENCE_S, check, until
from suite import add, test
from wire import Connection


def shape(value):
    """Types alone; of a list each shape once in a row, so that its length does not matter."""
    if not isinstance(value, list):
        return type(value).__name__
    # Whether anybody reads `/rosout` is no matter here.
    shapes = [shape(item) for item in value if not (isinstance(item, list) and item[:1] == ["/rosout"])]
    return [item for at, item in enumerate(shapes) if at == 0 or item != shapes[at - 1]]


def busy_node(ros, kind):
    """A node with a subscriber, a publisher and something sent and received."""
    node = ros.start(kind, "all", node=kind)
    ros.start("roscpp", "subscribe", node=f"reader_{kind}", topic="out").wait_for("^heard")
    if not ros.master.publishers(ros.name("in")):
        ros.start("roscpp", "publish", node="writer", topic="in")
    node.wait_for("^heard")
    return ros.api(kind)


def same_shape(ros, like, method, *arguments):
    """Our node's answer has the shape of that kind's."""
    answers = {kind: getattr(busy_node(ros, kind), method)("/test", *arguments) for kind in ["ours", like]}
    if method == "getBusStats":
        # Those of services differ in each: the wiki calls them proposed.
        answers = {kind: answer[:2] + answer[2][:2] for kind, answer in answers.items()}
    shapes = {kind: shape(answer) for kind, answer in answers.items()}
    check(shapes["ours"] == shapes[like], "".join(f"\n      | {kind}: {shapes[kind]} {answers[kind]}" for kind in answers))
    return answers


# Calls that are answered by both; roscpp has no `getMasterUri`, and its `getBusStats` is no triple.
CALLS = {
    "getPid": ("roscpp",), "getMasterUri": ("rospy",), "getSubscriptions": ("roscpp",), "getPublications": ("roscpp",),
    "getBusStats": ("rospy",), "getBusInfo": ("roscpp",), "paramUpdate": ("roscpp", "/nobody/watches", 5),
    "publisherUpdate": ("roscpp", "/nobody/subscribes", ["http://127.0.0.1:9/"]),
}
for method, (like, *arguments) in CALLS.items():
    add("api", f"shape_of_{method}",
        lambda ros, method=method, like=like, arguments=arguments: same_shape(ros, like, method, *arguments))


@test
def requestTopic(ros):
    answers = same_shape(ros, "roscpp", "requestTopic", ros.name("out"), [["TCPROS"]])
    check(answers["ours"][2][:2] == answers["roscpp"][2][:2] == ["TCPROS", "127.0.0.1"], f"they answer {answers}")
    api = ros.api("ours")
    for protocols in [[["UDPROS", "x"], ["TCPROS"]], [["TCPROS", 1, 2]], [[], ["TCPROS"]], ["TCPROS", ["TCPROS"]]]:
        check(api.requestTopic("/test", ros.name("out"), protocols)[0] == 1, f"{protocols} is refused")
    for protocols in [[], [["UDPROS"]], [[]], [["tcpros"]]]:
        check(api.requestTopic("/test", ros.name("out"), protocols)[0] == 0, f"{protocols} is accepted")
    check(api.requestTopic("/test", "/nobody/publishes", [["TCPROS"]])[0] == 0, "a topic that is not published is accepted")


@test
def contents(ros):
    """What is answered is so."""
    api = busy_node(ros, "ours")
    node = next(process for process in ros.processes if process.title == "ours all")
    check(api.getPid("/test")[2] == node.pid, "it has another pid")
    check(api.getMasterUri("/test")[2].rstrip("/") == ros.master.uri, "it has another master")
    published = api.getPublications("/test")[2]
    check(sorted(published) == sorted([[ros.name("out"), "std_msgs/String"], ["/rosout", "rosgraph_msgs/Log"]]), f"it publishes {published}")
    check(api.getSubscriptions("/test")[2] == [[ros.name("in"), "std_msgs/String"]], f"it subscribes {api.getSubscriptions('/test')[2]}")
    links = {(direction, topic): who for _, who, direction, _, topic, *_ in api.getBusInfo("/test")[2]}
    check(links == {("o", ros.name("out")): ros.name("reader_ours"), ("i", ros.name("in")): ros.master.uri_of(ros.name("writer"))},
          f"it has links {links}")
    sent, received, _ = api.getBusStats("/test")[2]
    _, _, [[_, sent_bytes, sent_messages, *_]] = next(topic for topic in sent if topic[0] == ros.name("out"))
    check(sent_messages > 0 and sent_bytes >= 9 * sent_messages, f"it has sent {sent_messages} messages of {sent_bytes} bytes")
    [[topic, [[_, received_bytes, *_]]]] = received
    check(topic == ros.name("in") and received_bytes > 0, f"it has received {received}")
    until(lambda: api.getBusStats("/test")[2][1][0][1][0][1] > received_bytes, "more is received")


@test
def publisherUpdate(ros):
    """Who is not named any more is let go; who is named is heard."""
    reader = ros.start("ours", "subscribe")
    ros.start("roscpp", "publish", node="one", text="one ")
    ros.start("rospy", "publish", node="two", text="two ")
    reader.wait_for("^heard one")
    reader.wait_for("^heard two")
    api, one, two = ros.api("subscribe"), ros.master.uri_of(ros.name("one")), ros.master.uri_of(ros.name("two"))
    check(api.publisherUpdate("/master", ros.name("chatter"), [one])[0] == 1, "it is refused")
    until(lambda: [link[1] for link in api.getBusInfo("/test")[2]] == [one], "only one is left")
    before = reader.count()
    reader.wait_for("^heard one", before + 5)
    check(not [line for line in reader.lines[before + 5:] if line.startswith("heard two")], "who was let go is heard")
    api.publisherUpdate("/master", ros.name("chatter"), [one, two])
    reader.wait_for("^heard two", reader.count())
    api.publisherUpdate("/master", ros.name("chatter"), [])
    until(lambda: not api.getBusInfo("/test")[2], "nobody is left")


@test
def shutdown(ros):
    for arguments in [["/test"], ["/test", "enough"]]:
        node = ros.start("ours", "all")
        check(ros.api("all").shutdown(*arguments)[:1] == [1], "it is refused")
        check(node.wait_for_end() == 0, f"it ended with {node.process.returncode}")


WRONG = {
    "getPid": [[], [1]], "getMasterUri": [[], [1]], "getSubscriptions": [[], [[]]], "getPublications": [[], [{}]],
    "getBusStats": [[], [True]], "getBusInfo": [[], [1.5]], "shutdown": [[], [1]],
    "publisherUpdate": [[], ["/test"], ["/test", "/a"], ["/test", "/a", "http://127.0.0.1:1/"], ["/test", 1, []], [1, "/a", []]],
    "paramUpdate": [[], ["/test"], ["/test", "/a"], ["/test", 1, 1], [1, "/a", 1]],
    "requestTopic": [[], ["/test"], ["/test", "/a"], ["/test", "/a", "TCPROS"], ["/test", 1, [["TCPROS"]]], [1, "/a", [["TCPROS"]]]],
}


def wrong_arguments(ros, method):
    """They are the caller's mistake: -1 and a word about it, and the node stays."""
    node = ros.start("ours", "all")
    api = ros.api("all")
    for arguments in WRONG[method]:
        answer = getattr(api, method)(*arguments)
        check(isinstance(answer, list) and len(answer) == 3 and answer[0] == -1 and answer[1], f"{arguments} is answered with {answer}")
    check(node.is_running() and api.getPid("/test")[0] == 1, "it has ended")


for method in WRONG:
    add("api", f"wrong_arguments_of_{method}", lambda ros, method=method: wrong_arguments(ros, method))


@test
def unknown_method(ros):
    ros.start("ours", "all")
    for method in ["noSuchMethod", "getpid", "system.multicall", "publisherupdate", ""]:
        try:
            answer = getattr(ros.api("all"), method)("/test")
        except xmlrpc.client.Fault:
            continue
        check(False, f"{method!r} is answered with {answer}")
    check(ros.api("all").getPid("/test")[0] == 1, "it answers no more")


def http_to(ros, node):
    host = ros.master.uri_of(ros.name(node)).removeprefix("http://").rstrip("/")
    connection = http.client.HTTPConnection(host, timeout=PATIENCE_S)
    ros.exits.callback(connection.close)
    return connection


PID = xmlrpc.client.dumps(("/test",), "getPid").encode()


def pid_of(body):
    return xmlrpc.client.loads(body)[0][0][2]


@test
def many_calls_over_one_connection(ros):
    node = ros.start("ours", "all")
    connection = http_to(ros, "all")
    for _ in range(20):
        connection.request("POST", "/RPC2", PID)
        used = connection.sock
        check(pid_of(connection.getresponse().read()) == node.pid, "it has another answer")
        check(connection.sock is used, "the connection was closed after a call")


def request(*lines, version="1.1"):
    return "\r\n".join([f"POST / HTTP/{version}", *lines, f"Content-Length: {len(PID)}", "", ""]).encode() + PID


def raw(ros, data, pieces=None):
    """What comes back until the node closes the connection, of which the last request asks."""
    host, port = ros.master.uri_of(ros.name("all")).removeprefix("http://").rstrip("/").split(":")
    connection = Connection.to(host, int(port))
    ros.exits.callback(connection.close)
    for at in range(0, len(data), pieces or len(data)):
        connection.send(data[at:at + (pieces or len(data))])
    return connection.rest()


@test
def requests_in_a_row_and_in_pieces(ros):
    """Two that come at once are both answered, and one that comes byte by byte; HTTP/1.0 closes."""
    node = ros.start("ours", "all")
    answer = f"<i4>{node.pid}</i4>".encode()
    close = "Connection: close"
    two = raw(ros, request("Host: x") + request("HOST: x", close))
    check(two.replace(b"int>", b"i4>").count(answer) == 2 and two.count(b"HTTP/1.1 200") == 2, f"two requests are answered with {two}")
    slow = raw(ros, request(close), pieces=1)
    check(slow.replace(b"int>", b"i4>").count(answer) == 1, f"a slow request is answered with {slow}")
    old = raw(ros, request(version="1.0"))
    check(old.replace(b"int>", b"i4>").count(answer) == 1, f"HTTP/1.0 is answered with {old}")


@test
def values_in_every_form(ros):
    """A string without a tag, an empty one, entities, `int` and `i4`: all are read."""
    ros.start("ours", "all")
    for value in ["<value>/test</value>", "<value><string>/t&#101;st</string></value>", "<value>\n <string>/te&amp;st</string>\n</value>"]:
        body = f"<?xml version='1.0'?>\n<methodCall> <methodName>getPid</methodName>\n<params><param>{value}</param></params></methodCall>"
        connection = http_to(ros, "all")
        connection.request("POST", "/", body)
        check(xmlrpc.client.loads(connection.getresponse().read())[0][0][0] == 1, f"{value} is not read")


@test
def a_client_that_resets(ros):
    """A connection that ends by a reset in the middle of a call does no harm."""
    node = ros.start("ours", "all")
    host, port = ros.master.uri_of(ros.name("all")).removeprefix("http://").rstrip("/").split(":")
    for _ in range(10):
        with socket.create_connection((host, int(port))) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.sendall(request())
    check(ros.api("all").getPid("/test")[2] == node.pid, "it answers no more")
