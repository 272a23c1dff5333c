"""Services: our node with roscpp, rospy and another one of ours, as server and as client; and by hand."""
import struct

from processes import check, until
from suite import add, test
from wire import SET_BOOL, Connection, Listener, header

# Server, client.
PAIRS = [("ours", "roscpp"), ("ours", "rospy"), ("roscpp", "ours"), ("rospy", "ours"), ("ours", "ours")]
REASON = "the lamp is broken"


def answers(server, client):
    """A call that is answered, one that fails, and one more."""
    client.ask("true", "^answered true it is on$")
    server.wait_for("^asked true$")
    before = client.count()
    client.ask("false", "^failed")
    server.wait_for("^asked false$")
    # roscpp tells clients no reason, and says the one that it was told only in its log.
    if not server.title.startswith("roscpp"):
        client.wait_for(REASON, before)
    client.ask("true", "^answered true it is on$")


def calls(ros, server_kind, client_kind):
    """Each call has a connection of its own."""
    server = ros.start(server_kind, "serve")
    answers(server, ros.start(client_kind, "call"))


def persistent(ros, server_kind, client_kind):
    """All calls go over the first connection: the master, which does not know the service any more, is not asked."""
    server = ros.start(server_kind, "serve")
    client = ros.start(client_kind, "call", persistent=1)
    client.ask("true", "^answered true it is on$")
    forget(ros)
    answers(server, client)


def forget(ros):
    service, node = ros.name("switch"), ros.name("serve")
    uri = ros.master.call("lookupService", service)
    ros.master.call("unregisterService", service, uri, caller=node)
    check(not ros.master.who(2, service), "the master has not forgotten the service")


for pair in PAIRS:
    add("services", "{}_serves_{}".format(*pair), lambda ros, pair=pair: calls(ros, *pair))
for pair in PAIRS:
    add("services", "{}_serves_{}_that_stays_connected".format(*pair), lambda ros, pair=pair: persistent(ros, *pair))


def unknown(ros, client_kind):
    """A call of a service that is gone fails, and the client goes on."""
    server = ros.start("ours", "serve")
    client = ros.start(client_kind, "call")
    client.ask("true", "^answered true")
    forget(ros)
    client.ask("true", "^failed")
    server.kill()
    ros.start("ours", "serve")
    client.ask("true", "^answered true")


for kind in ["ours", "roscpp", "rospy"]:
    add("services", f"gone_and_back_for_{kind}", lambda ros, kind=kind: unknown(ros, kind))


@test
def a_second_server_takes_over(ros):
    """As with roscpp: who offers a service last has it."""
    for kind in ["ours", "roscpp", "ours"]:
        server = ros.start(kind, "serve", node=f"{kind}_{len(ros.processes)}")
        client = ros.start("rospy", "call", node=f"client_{len(ros.processes)}")
        client.ask("true", "^answered true")
        server.wait_for("^asked true$")


def server_connection(ros, **fields):
    """A connection to our server, with our header sent."""
    uri = ros.master.call("lookupService", ros.name("switch"))
    host, port = uri.removeprefix("rosrpc://").rstrip("/").split(":")
    connection = Connection.to(host, int(port))
    ros.exits.callback(connection.close)
    connection.send(header({"callerid": "/test", "service": ros.name("switch"), **SET_BOOL, **fields}))
    return connection


def answer(connection):
    done = connection.read(1)
    return done and (done[0], connection.read_message())


ON = struct.pack("<I", 1) + b"\1"
OFF = struct.pack("<I", 1) + b"\0"
IS_ON = (1, b"\1" + struct.pack("<I", 8) + b"it is on")


@test
def probe(ros):
    """Who only asks what it is learns its type, and nothing is called."""
    server = ros.start("ours", "serve")
    connection = server_connection(ros, md5sum="*", probe="1", type=None)
    fields = connection.read_header()
    check(fields["md5sum"] == SET_BOOL["md5sum"] and fields["type"] == SET_BOOL["type"], f"it says {fields}")
    check(connection.read(1) is None, "the connection is not closed")
    check(not server.find("^asked"), "the service was called")


@test
def one_call_without_persistent(ros):
    ros.start("ours", "serve")
    connection = server_connection(ros)
    check("error" not in connection.read_header(), "it is refused")
    connection.send(ON)
    check(answer(connection) == IS_ON, "it has another answer")
    check(connection.read(1) is None, "the connection is not closed after its one call")


@test
def requests_that_wait_in_line(ros):
    """Requests that are sent before the first is answered are answered in their order."""
    ros.start("ours", "serve")
    connection = server_connection(ros, persistent="1")
    connection.read_header()
    connection.send(ON + OFF + ON + OFF + ON)
    expected = [IS_ON, (0, REASON.encode())]
    for number in range(5):
        check(answer(connection) == expected[number % 2], f"answer {number} is another one's")


@test
def request_in_pieces(ros):
    ros.start("ours", "serve")
    connection = server_connection(ros, persistent="1")
    connection.read_header()
    for byte in ON + ON:
        connection.send(bytes([byte]))
    check([answer(connection), answer(connection)] == [IS_ON, IS_ON], "it has another answer")


def refused(ros, what, **fields):
    """A header that does not fit is answered with an error, and the server stays."""
    server = ros.start("ours", "serve")
    connection = server_connection(ros, **fields)
    said = connection.read_header()
    check(said and said.get("error"), f"it says {said} to {what}")
    check(connection.read(1) is None, "the connection is not closed")
    answers(server, ros.start("roscpp", "call"))


add("services", "wrong_md5sum", lambda ros: refused(ros, "a wrong md5sum", md5sum="0" * 32))
add("services", "no_md5sum", lambda ros: refused(ros, "no md5sum", md5sum=None))
add("services", "not_offered", lambda ros: refused(ros, "another service", service="/nobody/offers/this"))


def bad_request(ros, data):
    """A request that is none ends its connection, and takes no memory."""
    server = ros.start("ours", "serve")
    connection = server_connection(ros, persistent="1")
    connection.read_header()
    before = server.resident_bytes()
    connection.send(data)
    connection.rest()
    check(server.resident_bytes() - before < 64 << 20, "the server has taken memory for what was only said")
    answers(server, ros.start("roscpp", "call"))


add("services", "request_of_two_gigabytes", lambda ros: bad_request(ros, struct.pack("<I", 0x7fffffff) + b"x" * 100))
add("services", "request_of_four_gigabytes", lambda ros: bad_request(ros, b"\xff" * 100))


@test
def request_of_another_length(ros):
    """A request that has bytes left over is not another message: it fails with a reason."""
    server = ros.start("ours", "serve")
    connection = server_connection(ros, persistent="1")
    connection.read_header()
    connection.send(struct.pack("<I", 7) + b"\1......")
    done, reason = answer(connection)
    check(done == 0 and reason, f"it is answered with {done} {reason}")
    check(not server.find("^asked"), "the service was called")
    connection.send(ON)
    check(answer(connection) == IS_ON, "the next one is not answered")


@test
def client_that_leaves(ros):
    """Who goes before it is answered does no harm."""
    server = ros.start("ours", "serve")
    for _ in range(20):
        connection = server_connection(ros, persistent="1")
        connection.read_header()
        connection.send(ON)
        connection.close()
    answers(server, ros.start("roscpp", "call"))
    check(server.is_running(), "the server has ended")


@test
def clients_that_leave_while_the_server_is_busy(ros):
    """What they asked is not done, and takes no memory; nor do they take the place of others."""
    server = ros.start("ours", "serve", wait=1)
    first = server_connection(ros)
    first.read_header()
    first.send(ON)
    server.wait_for("^asked true$")
    before = server.resident_bytes()
    for _ in range(100):
        connection = server_connection(ros)
        connection.read_header()
        connection.send(struct.pack("<I", 4 << 20) + bytes(4 << 20))
        connection.close()
    for _ in range(1100):
        connection = server_connection(ros, persistent="1")
        connection.read_header()
        connection.send(OFF)
        connection.close()
    last = server_connection(ros)
    check("error" not in last.read_header(), "the last client is refused")
    last.send(ON)
    taken = server.resident_bytes() - before
    check(taken < 64 << 20, f"it has kept {taken >> 20} MB of 400 MB that nobody waits for")
    server.say("go on")
    check(answer(first) == IS_ON, "the first client has another answer")
    server.say("go on")
    check(answer(last) == IS_ON, "the last client has another answer")
    asked = until(lambda: (lines := [match[0] for match in server.find("^asked .*$")])[1:] and lines, "both are done")
    check(asked == ["asked true"] * 2, f"it did what nobody waits for: {asked}")


GREETING = header({"callerid": "/fake", "request_type": "", "response_type": "", **SET_BOOL})
# What a server that is none says, and whether it says it in place of a header.
NONSENSE = {
    "closes_at_once": b"",
    "refuses": header({"error": "go away"}),
    "sends_no_header": b"HTTP/1.0 400 Bad request\r\n\r\n",
    "sends_a_header_of_two_gigabytes": struct.pack("<I", 0x7fffffff) + b"x" * 64,
    "closes_instead_of_answering": GREETING,
    "sends_half_an_answer": GREETING + b"\1" + struct.pack("<I", 13) + b"\1",
    "sends_an_answer_of_four_gigabytes": GREETING + b"\1" + b"\xff" * 64,
    "sends_another_message": GREETING + b"\1" + struct.pack("<I", 3) + b"abc",
}


@test
def server_says_nothing(ros):
    """A server that accepts and is silent is given up: its header is due within 5 s."""
    listener = Listener(lambda connection: connection.rest())
    ros.exits.callback(listener.close)
    server = ros.start("ours", "serve")
    client = ros.start("ours", "call")
    uri = f"rosrpc://127.0.0.1:{listener.port}"
    ros.master.call("registerService", ros.name("switch"), uri, "http://127.0.0.1:9/", caller=ros.name("fake"))
    client.ask("true", "^failed")
    check(not server.find("^asked"), "another one was asked")


def nonsense(ros, said):
    """A server that answers nonsense fails the call, and a good one after it is called as ever."""
    service, says = ros.name("switch"), [GREETING + b"\1" + struct.pack("<I", 13) + IS_ON[1]]

    def act(connection):
        asked = connection.read_header()
        if says[0].startswith(GREETING) and not asked.get("probe"):
            connection.send(GREETING)
            connection.read_message()
            connection.send(says[0][len(GREETING):])
        else:
            connection.send(GREETING if asked.get("probe") else says[0])

    listener = Listener(act)
    ros.exits.callback(listener.close)
    uri = f"rosrpc://127.0.0.1:{listener.port}"
    ros.master.call("registerService", service, uri, "http://127.0.0.1:9/", caller=ros.name("fake"))
    client = ros.start("ours", "call")
    before = client.resident_bytes()
    client.ask("true", "^answered true it is on$")
    says[0] = said
    client.ask("true", "^failed")
    check(client.resident_bytes() - before < 64 << 20, "the client has taken memory for what was only said")
    server = ros.start("ours", "serve")
    until(lambda: ros.master.call("lookupService", service) != uri, "the good server has taken over")
    answers(server, client)


for name, said in NONSENSE.items():
    add("services", f"server_{name}", lambda ros, said=said: nonsense(ros, said))
