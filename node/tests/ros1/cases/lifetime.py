"""Nodes and masters come and go, and come back."""
import contextlib
import os
import re
import signal
import socket
import time

from processes import check, until
from suite import add, test
from wire import STRING, Connection, Listener, address_of_topic, header


def listened_at(process):
    """Addresses and ports that a program listens at."""
    inodes = set()
    for number in os.listdir(f"/proc/{process.pid}/fd"):
        with contextlib.suppress(OSError):
            inodes.add(os.readlink(f"/proc/{process.pid}/fd/{number}"))
    found = []
    for name in ["tcp", "tcp6"]:
        with open(f"/proc/{process.pid}/net/{name}", encoding="ascii") as file:
            for line in list(file)[1:]:
                fields = line.split()
                # TCP_LISTEN, and whose it is.
                if fields[3] == "0A" and f"socket:[{fields[9]}]" in inodes:
                    found.append(fields[1].split(":")[0])
    return found


@test
def a_node_that_nobody_says_an_address_for(ros):
    """With a master on this machine it listens on loopback alone, and nodes of this machine reach it."""
    ros.environment.pop("ROS_IP")
    node = ros.start("ours", "all")
    at = listened_at(node)
    check(at == ["0100007F"] * 2, f"it listens at {at}")
    check(ros.master.uri_of(ros.name("all")).startswith("http://127.0.0.1:"), "it says another address of itself")
    ros.start("roscpp", "subscribe", topic="out").wait_for("^heard")
    ros.start("rospy", "publish", topic="in")
    node.wait_for("^heard")


def hears_on(process, pattern="^heard"):
    """It hears something that is said from now on, twice: the first may have been on its way."""
    for _ in range(2):
        process.wait_for(pattern, process.count())


def number(match):
    return int(re.search(r"\d+$", match)[0])


def without_gap(process, what):
    got = [number(match[1]) for match in process.find("^heard (.*)$")]
    check(got == list(range(got[0], got[0] + len(got))), f"{what} has lost messages or heard some twice")


def knows(ros, *nodes, topic="chatter"):
    """Waits until the master knows these nodes at a topic again."""
    full = {ros.name(node) for node in nodes}

    def is_so():
        at = ros.master.publishers(ros.name(topic)) + ros.master.subscribers(ros.name(topic))
        return full <= set(at)

    until(is_so, f"the master knows {', '.join(nodes)}")


def restart(ros):
    ros.master.kill()
    ros.master.start()


@test(own_master=True)
def master_restarted_for_our_publisher(ros):
    """It registers again by itself; who stayed connected loses nothing, and who comes then is served."""
    ros.start("ours", "publish", hz=50)
    stayed = {kind: ros.start(kind, "subscribe", node=f"stayed_{kind}") for kind in ["ours", "roscpp", "rospy"]}
    for reader in stayed.values():
        reader.wait_for("^heard")
    ros.master.kill()
    for reader in stayed.values():
        hears_on(reader)
    ros.master.start()
    knows(ros, "publish", "stayed_ours")
    check(ros.name("publish") in ros.master.publishers("/rosout"), "/rosout is not registered again")
    for kind in stayed:
        ros.start(kind, "subscribe", node=f"new_{kind}").wait_for("^heard")
    for kind, reader in stayed.items():
        hears_on(reader)
        without_gap(reader, f"the reader of {kind} that stayed")


@test(own_master=True)
def master_restarted_for_our_subscriber(ros):
    """It hears publishers that come after the restart, and one of ours that was there before."""
    reader = ros.start("ours", "subscribe")
    ros.start("ours", "publish", node="before", hz=50, text="before ")
    reader.wait_for("^heard before")
    restart(ros)
    knows(ros, "subscribe", "before")
    for kind in ["ours", "roscpp", "rospy"]:
        ros.start(kind, "publish", node=f"after_{kind}", text=f"after {kind} ")
        reader.wait_for(f"^heard after {kind} ")
    hears_on(reader, "^heard before")


@test(own_master=True)
def master_restarted_under_links_from_others(ros):
    """Publishers of ROS do not register again. Our subscriber that is connected to them goes on to hear them, as one of roscpp does."""
    kinds = ["roscpp", "rospy"]
    for kind in kinds:
        ros.start(kind, "publish", node=f"writer_{kind}", text=f"{kind} ", hz=20)
    readers = [ros.start(kind, "subscribe", node=f"reader_{kind}") for kind in ["ours", "roscpp"]]
    for reader in readers:
        for kind in kinds:
            reader.wait_for(f"^heard {kind}")
    restart(ros)
    knows(ros, "reader_ours")
    before = len(readers[0].find("^heard roscpp"))
    # 7 s: longer than a new master is given to hear of publishers (NODE-53).
    for reader in readers:
        for kind in kinds:
            until(lambda reader=reader, kind=kind: len(reader.find(f"^heard {kind}")) >= before + 140, f"{reader.title} hears {kind} on")


@test(own_master=True)
def master_restarted_for_services(ros):
    server = ros.start("ours", "serve")
    client = ros.start("ours", "call")
    client.ask("true", "^answered true")
    restart(ros)
    until(lambda: ros.name("serve") in ros.master.who(2, ros.name("switch")), "the service is registered again")
    until(lambda: ros.name("serve") in ros.master.who(2, ros.name("serve/get_loggers")), "its loggers are registered again")
    client.ask("true", "^answered true")
    ros.start("roscpp", "call", node="new").ask("true", "^answered true")
    until(lambda: len(server.find("^asked true$")) == 3, "nobody else has answered")


@test(own_master=True)
def master_restarted_twice(ros):
    ros.start("ours", "publish")
    for round_ in range(2):
        restart(ros)
        knows(ros, "publish")
        ros.start("rospy", "subscribe", node=f"reader{round_}").wait_for("^heard")


@test(own_master=True)
def master_that_stopped_and_goes_on(ros):
    """A master that only stood still has lost nothing, and our node does not think that it has."""
    writer = ros.start("ours", "publish", hz=50)
    reader = ros.start("roscpp", "subscribe")
    reader.wait_for("^heard")
    ros.master.process.pause()
    hears_on(reader)
    ros.master.process.go_on()
    ros.start("rospy", "subscribe", node="late").wait_for("^heard")
    without_gap(reader, "the subscriber")
    check(writer.is_running(), "the publisher has ended")


@test(own_master=True)
def master_that_comes_later(ros):
    """A node that is there before its master waits for it."""
    ros.master.kill()
    nodes = [ros.begin("ours", "subscribe"), ros.begin("ours", "publish", wait=1)]
    for node in nodes:
        node.wait_for("no master at")
    ros.master.start()
    nodes[0].wait_for("^heard")
    ros.start("roscpp", "subscribe", node="another").wait_for("^heard")


def killed_publisher(ros, publisher, subscriber):
    """A publisher is killed and comes back, by its old name at another port: the subscriber finds it."""
    reader = ros.start(subscriber, "subscribe")
    for round_ in range(3):
        writer = ros.start(publisher, "publish", text=f"round {round_}: ")
        reader.wait_for(f"^heard round {round_}: ")
        writer.kill()
    check(reader.is_running(), "the subscriber has ended")


for pair in [("roscpp", "ours"), ("rospy", "ours"), ("ours", "roscpp"), ("ours", "rospy"), ("ours", "ours")]:
    add("lifetime", "killed_publisher_{}_is_found_again_by_{}".format(*pair), lambda ros, pair=pair: killed_publisher(ros, *pair))


def killed_subscriber(ros, publisher, subscriber):
    """A subscriber is killed: others go on, and a new one takes its place."""
    writer = ros.start(publisher, "publish", hz=50)
    other = ros.start("roscpp", "subscribe", node="other")
    other.wait_for("^heard")
    for _ in range(3):
        reader = ros.start(subscriber, "subscribe")
        reader.wait_for("^heard")
        reader.kill()
    hears_on(other)
    without_gap(other, "the other subscriber")
    check(writer.is_running(), "the publisher has ended")


for pair in [("ours", "roscpp"), ("ours", "rospy"), ("ours", "ours"), ("roscpp", "ours"), ("rospy", "ours")]:
    add("lifetime", "killed_subscriber_{1}_of_{0}_is_replaced".format(*pair), lambda ros, pair=pair: killed_subscriber(ros, *pair))


@test
def links_of_killed_subscribers_are_freed(ros):
    """What a subscriber had is free once it is gone, or a topic would have no room left after a while."""
    ros.start("ours", "all")
    for _ in range(100):
        connection = Connection.to(*address_of_topic(ros.api("all"), ros.name("out")))
        connection.send(header({"callerid": "/test", "topic": ros.name("out"), **STRING}))
        said = connection.read_header()
        check(said and "error" not in said, f"it is refused: {said}")
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
    until(lambda: not ros.api("all").getBusInfo("/test")[2], "all links are gone")


def same_name(ros, first, second):
    """Who comes by the name of another takes its place: the first one is told to end, and does."""
    reader = ros.start("roscpp", "subscribe")
    old = ros.start(first, "publish", node="twin", text="old ")
    reader.wait_for("^heard old")
    new = ros.start(second, "publish", node="twin", text="new ")
    check(old.wait_for_end() == 0, f"the first one ended with {old.process.returncode}{old.last_words()}")
    reader.wait_for("^heard new")
    check(new.is_running(), "the second one has ended too")
    # The farewell of the first must not take away what the second has.
    check(ros.master.publishers(ros.name("chatter")) == [ros.name("twin")], "the master does not know the second one")
    ros.start("ours", "subscribe", node="late").wait_for("^heard new")


for pair in [("ours", "ours"), ("ours", "roscpp"), ("ours", "rospy"), ("roscpp", "ours"), ("rospy", "ours")]:
    add("lifetime", "{}_ends_when_{}_has_its_name".format(*pair), lambda ros, pair=pair: same_name(ros, *pair))


def comes_and_goes(ros, kind):
    """A node that gives its topics up and takes them again is linked anew each time, and nothing of them is left at the end."""
    reader = ros.start("roscpp", "subscribe", node="reader", topic="out")
    ros.start("roscpp", "publish", node="writer", topic="in")
    node = ros.start(kind, "again", rounds=4)
    node.wait_for("^done$")
    reader.wait_for("^heard round 3$")
    rounds = [match[1] for match in reader.find("^heard round (.)$")]
    check(rounds == ["0", "1", "2", "3"], f"the reader heard rounds {rounds}")
    until(lambda: not ros.master.publishers(ros.name("out")) and not ros.master.subscribers(ros.name("in")), "the master has forgotten both")
    until(lambda: not ros.api("again").getBusInfo("/test")[2], "there are no links left")


for kind in ["ours", "roscpp"]:
    add("lifetime", f"comes_and_goes_{kind}", lambda ros, kind=kind: comes_and_goes(ros, kind))


@test(own_master=True)
def master_that_answers_nonsense(ros):
    """What is no master at its port is asked again, not all the time, until there is a real one."""
    node = ros.start("ours", "publish", hz=50)
    came = []

    def act(connection):
        connection.socket.recv(65536)
        connection.send([b"", b"hello\r\n", b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", b"\0" * 100][len(came) % 4])
        came.append(time.monotonic())

    ros.master.kill()
    listener = Listener(act, ros.master.port)
    ros.exits.callback(listener.close)
    until(lambda: len(came) >= 5, "it is asked again")
    check(len(came) < 20 or came[19] - came[0] > 1, f"it is asked {len(came)} times at once")
    listener.close()
    ros.master.start()
    knows(ros, "publish")
    ros.start("roscpp", "subscribe").wait_for("^heard")
    check(node.is_running(), "it has ended")


def shut_down_in(ros, role, **keys):
    """It ends whatever it is doing, and takes its leave of the master."""
    node = ros.begin("ours", role, **keys)
    name = ros.name(role)
    until(lambda: ros.master.call("lookupNode", name), "it is there")
    ros.api(role).shutdown("/test", "enough")
    check(node.wait_for_end() == 0, f"it ended with {node.process.returncode}")
    at = [entry for kind in ros.master.call("getSystemState") for entry, nodes in kind if name in nodes]
    check(not at, f"the master still has it at {at}")


for role in ["publish", "subscribe", "serve", "clock", "say"]:
    add("lifetime", f"shut_down_in_{role}", lambda ros, role=role: shut_down_in(ros, role))
add("lifetime", "shut_down_while_it_waits_for_a_subscriber", lambda ros: shut_down_in(ros, "publish", wait=1))


def interrupted(ros, kind, number_):
    """Ctrl-C, and what a supervisor sends."""
    node = ros.start(kind, "all")
    node.signal(number_)
    node.wait_for_end()
    return [entry for part in ros.master.call("getSystemState") for entry, nodes in part if ros.name("all") in nodes]


@test
def interrupted_it_takes_its_leave(ros):
    """As a node of roscpp does on Ctrl-C: the master does not go on to name it."""
    check(not interrupted(ros, "roscpp", signal.SIGINT), "roscpp is still at the master")
    at = interrupted(ros, "ours", signal.SIGINT)
    check(not at, f"after SIGINT the master still has ours at {at}")
