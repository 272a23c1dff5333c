"""ROS's tools at our node: rostopic, rosnode, rosservice, rosparam."""
import os
import shutil

from processes import Skipped, check, until
from suite import add, test


def out(ros, *command):
    """What a tool that ends by itself has printed."""
    return ros.tool(*command).output().strip()


def holds(text, *parts):
    for part in parts:
        check(part in text, f"{part!r} is not in what it printed:\n      | " + text.replace("\n", "\n      | "))


@test
def rostopic_echo(ros):
    ros.start("ours", "all")
    text = out(ros, "rostopic", "echo", "-n", "3", ros.name("out"))
    numbers = [int(line.split('"')[1]) for line in text.splitlines() if line.startswith("data:")]
    check(len(numbers) == 3 and numbers == list(range(numbers[0], numbers[0] + 3)), f"it heard {numbers}")


@test
def rostopic_echo_of_a_latched_topic(ros):
    ros.start("ours", "publish", latch=1, count=1, text="kept ")
    holds(out(ros, "rostopic", "echo", "-n", "1", ros.name("chatter")), 'data: "kept 0"')


@test
def rostopic_hz(ros):
    ros.start("ours", "all")
    tool = ros.tool("rostopic", "hz", ros.name("out"))
    # It says one each second; the first may have been of messages that had waited.
    until(lambda: any(5 < float(match[1]) < 20 for match in tool.find(r"average rate: ([\d.]+)")), "10 Hz are measured as such")


@test
def rostopic_bw(ros):
    ros.start("ours", "publish", bytes=1000, hz=50)
    tool = ros.tool("rostopic", "bw", ros.name("chatter"))
    found = tool.wait_for(r"mean: ([\d.]+)KB min: ([\d.]+)KB max: ([\d.]+)KB")
    check([float(number) for number in found.groups()] == [1.0, 1.0, 1.0], f"1004 bytes are measured as {found[0]}")


@test
def rostopic_info(ros):
    ros.start("ours", "all")
    ros.start("roscpp", "subscribe", topic="out")
    uri = ros.master.uri_of(ros.name("all"))
    text = out(ros, "rostopic", "info", ros.name("out"))
    holds(text, "Type: std_msgs/String", f" * {ros.name('all')} ({uri})", f" * {ros.name('subscribe')} (")
    holds(out(ros, "rostopic", "info", ros.name("in")), "Publishers: None", f" * {ros.name('all')} ({uri})")


@test
def rostopic_list_type_find(ros):
    ros.start("ours", "all")
    holds(out(ros, "rostopic", "list"), ros.name("in"), ros.name("out"), "/rosout")
    check(out(ros, "rostopic", "type", ros.name("out")) == "std_msgs/String", "it has another type")
    holds(out(ros, "rostopic", "find", "std_msgs/String"), ros.name("out"))


@test
def rostopic_pub(ros):
    reader = ros.start("ours", "all")
    tool = ros.tool("rostopic", "pub", "-r", "20", ros.name("in"), "std_msgs/String", "data: 'hello'")
    reader.wait_for("^heard hello$")
    check(tool.is_running(), "rostopic pub has ended")


@test
def rostopic_pub_latched(ros):
    """It publishes once, and keeps it for who comes later."""
    first = ros.start("ours", "subscribe", node="first")
    ros.tool("rostopic", "pub", "-l", ros.name("chatter"), "std_msgs/String", "data: 'hello'")
    first.wait_for("^heard hello$")
    ros.start("ours", "subscribe", node="second").wait_for("^heard hello$")


@test
def rosbag(ros):
    """It records what our node publishes, whatever type that is, and our node hears what it plays."""
    if not shutil.which("rosbag"):
        raise Skipped("there is no rosbag")
    bag = f"{ros.folder}/{os.getpid()}.bag"
    ros.start("ours", "all")
    reader = ros.start("ours", "subscribe")
    tool = ros.tool("rosbag", "record", "-O", bag, "-l", "5", ros.name("out"))
    check(tool.wait_for_end() == 0, f"record has failed{tool.last_words()}")
    holds(out(ros, "rosbag", "info", bag), "5 msgs", "std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1")
    ros.tool("rosbag", "play", "-d", "1", bag, f"{ros.name('out')}:={ros.name('chatter')}")
    until(lambda: len(reader.find(r"^heard \d+$")) == 5, "it hears what was recorded")


@test
def rosnode_list_and_ping(ros):
    ros.start("ours", "all")
    check(ros.name("all") in out(ros, "rosnode", "list").split(), "it is not listed")
    tool = ros.tool("rosnode", "ping", "-c", "2", ros.name("all"))
    holds(tool.output(), "xmlrpc reply from http://127.0.0.1:")
    check(tool.process.returncode == 0, "ping has failed")


@test
def rosnode_info(ros):
    node = ros.start("ours", "all")
    ros.start("roscpp", "subscribe", node="reader", topic="out").wait_for("^heard")
    ros.start("roscpp", "publish", node="writer", topic="in", wait=1).wait_for("^begins$")
    node.wait_for("^heard")
    text = out(ros, "rosnode", "info", ros.name("all"))
    holds(text, f" * {ros.name('out')} [std_msgs/String]", f" * {ros.name('in')} [std_msgs/String]", " * /rosout [rosgraph_msgs/Log]")
    holds(text, f" * {ros.name('switch')}", f" * {ros.name('all/get_loggers')}", f" * {ros.name('all/set_logger_level')}")
    holds(text, f"Pid: {node.pid}", f" * topic: {ros.name('out')}\n    * to: {ros.name('reader')}\n    * direction: outbound")
    holds(text, f" * topic: {ros.name('in')}\n    * to: {ros.name('writer')} (", "    * direction: inbound", "    * transport: TCPROS")


@test
def rosnode_kill(ros):
    node = ros.start("ours", "all")
    ros.start("roscpp", "subscribe", topic="out").wait_for("^heard")
    holds(out(ros, "rosnode", "kill", ros.name("all")), "killed")
    check(node.wait_for_end() == 0, f"it ended with {node.process.returncode}")
    check(node.lines[-1] == "ended", f"its last words are {node.lines[-1]}")
    # It has taken its leave: nothing of it is left at the master.
    for kind in ros.master.call("getSystemState"):
        for name, nodes in kind:
            check(ros.name("all") not in nodes, f"the master still has it at {name}")


@test
def rosservice_lists(ros):
    ros.start("ours", "all")
    service = ros.name("switch")
    check(service in out(ros, "rosservice", "list").split(), "it is not listed")
    check(out(ros, "rosservice", "type", service) == "std_srvs/SetBool", "it has another type")
    check(out(ros, "rosservice", "args", service) == "data", "it has other arguments")
    text = out(ros, "rosservice", "info", service)
    holds(text, f"Node: {ros.name('all')}", "URI: rosrpc://127.0.0.1:", "Type: std_srvs/SetBool", "Args: data")


@test
def rosservice_call(ros):
    ros.start("ours", "all")
    holds(out(ros, "rosservice", "call", ros.name("switch"), "true"), "success: True", 'message: "it is on"')
    tool = ros.tool("rosservice", "call", ros.name("switch"), "false")
    holds(tool.output(), "the lamp is broken")
    check(tool.process.returncode != 0, "a call that fails ends with 0")


@test
def rosparam_reads_what_our_node_sets(ros):
    sets = ["set=whole:int:-5", "set=part:double:2.5", "set=words:string:two words", "set=yes:bool:true",
            "set=list:ints:1,2,3", "set=tree:map:leaf.7", "set=~own:string:mine", "set=/tools_global:int:9"]
    node = ros.begin("ours", "param", *sets)
    node.wait_for("^done$")
    found = {name: out(ros, "rosparam", "get", ros.name(name)) for name in ["whole", "part", "words", "yes", "list", "tree", "tree/leaf"]}
    check(found == {"whole": "-5", "part": "2.5", "words": "two words", "yes": "true", "list": "- 1\n- 2\n- 3", "tree": "leaf: 7",
                    "tree/leaf": "7"}, f"it reads {found}")
    check(out(ros, "rosparam", "get", ros.name("param/own")) == "mine", "a private parameter is not where it must be")
    check(out(ros, "rosparam", "get", "/tools_global") == "9", "a global parameter is not where it must be")


@test
def our_node_reads_what_rosparam_sets(ros):
    values = {"whole": "-5", "part": "2.5", "words": "'two words'", "yes": "true", "list": "[1, x, 2.5]", "tree": "{a: {b: 7}, c: d}",
              "empty": "''", "big": "1.0e+300"}
    for name, value in values.items():
        out(ros, "rosparam", "set", ros.name(name), value)
    gets = [f"get={name}" for name in [*values, "tree/a/b", "nothing"]]
    node = ros.begin("ours", "param", *gets, "has=whole", "has=nothing", "search=whole", "search=nothing", "delete=whole", "delete=whole")
    node.wait_for("^done$")
    found = dict(match.groups() for match in node.find("^get (.*) = (.*)$"))
    expected = {"whole": "int -5", "part": "double 2.5", "words": "string two words", "yes": "bool true",
                "list": "[int 1, string x, double 2.5]", "tree": "{a: {b: int 7}, c: string d}", "empty": "string ",
                "tree/a/b": "int 7", "nothing": "nothing"}
    check(float(found.pop("big").removeprefix("double ")) == 1e300, "a big number is another one")
    check(found == expected, f"it reads {found}")
    rest = [match[0] for match in node.find("^(has|search|delete) .*$")]
    check(rest == ["has whole = true", "has nothing = false", f"search whole = {ros.name('whole')}", "search nothing = nothing",
                   "delete whole = true", "delete whole = false"], f"it says {rest}")
    until(lambda: ros.name("whole") not in ros.master.call("getParamNames"), "the parameter is gone")


def same_as_roscpp(ros, *operations):
    """Our node says of parameters what roscpp says."""
    said = []
    for kind in ["ours", "roscpp"]:
        node = ros.begin(kind, "param", *operations, node="p")
        node.wait_for("^done$")
        said.append([match[0] for match in node.find("^(get|has|search|delete) .*$")])
        node.kill()
        ros.master.call("deleteParam", ros.namespace)
    check(said[0] == said[1], f"ours says {said[0]}, roscpp {said[1]}")


ALIKE = {
    "values": ["set=a:int:1", "set=a:string:x", "get=a", "set=b:double:0.5", "get=b", "set=c:bool:false", "get=c", "set=d:string:", "get=d"],
    "trees": ["set=t:map:x.1", "set=t/y:int:2", "get=t", "get=t/x", "has=t/y", "delete=t/x", "get=t", "delete=t", "get=t", "get=t/y"],
    "searches": ["set=a:int:1", "set=~b:int:2", "search=a", "search=b", "search=none", "search=a/none", "get=~b"],
    "names": ["set=a/b/:int:1", "get=a//b", "has=a", "get=a/b", "set=u:string:grün & <b> ü]]>", "get=u"],
}
for name, operations in ALIKE.items():
    add("tools", f"parameters_as_roscpp_{name}", lambda ros, operations=operations: same_as_roscpp(ros, *operations))


def cached(node, name, expected):
    """The node says that a parameter has that value, once it was told."""
    until(lambda: node.ask(name, f"^cached {name} = (.*)$")[1] == expected, f"{name} is {expected} for {node.title}")


def cached_parameters(ros, kind):
    """The master is asked once, and its changes are known; what a stranger says of others is not."""
    node = ros.start(kind, "cached")
    out(ros, "rosparam", "set", ros.name("tree/leaf"), "1")
    for name, value in {"tree/leaf": "int 1", "tree": "{leaf: int 1}", "none": "nothing"}.items():
        cached(node, name, value)
    out(ros, "rosparam", "set", ros.name("tree/leaf"), "2")
    for name, value in {"tree/leaf": "int 2", "tree": "{leaf: int 2}"}.items():
        cached(node, name, value)
    ros.master.call("setParam", ros.name("none"), "some")
    cached(node, "none", "string some")
    ros.master.call("setParam", ros.name("tree"), {"other": 3})
    cached(node, "tree", "{other: int 3}")
    # roscpp takes the master's word for one that is not set, an empty namespace, for a value.
    cached(node, "tree/leaf", "{}" if kind == "roscpp" else "nothing")
    ros.master.call("setParam", ros.name("real"), 4)
    code, text, _ = ros.api("cached").paramUpdate("/stranger", ros.name("real"), 5)
    check(code == 1, f"a parameter that nobody watches is answered with {code} {text}")
    check(node.ask("real", "^cached real = (.*)$")[1] == "int 4", "it believes a stranger")


for kind in ["ours", "roscpp"]:
    add("tools", f"cached_parameters_{kind}", lambda ros, kind=kind: cached_parameters(ros, kind))


@test
def strangers_parameters_take_no_memory(ros):
    """Values of parameters that nobody watches are not kept."""
    node = ros.start("ours", "cached")
    api, value = ros.api("cached"), "x" * 60_000
    api.paramUpdate("/stranger", "/stranger/first", value)
    before = node.resident_bytes()
    for number in range(1000):
        api.paramUpdate("/stranger", f"/stranger/{number}", value)
    grown = node.resident_bytes() - before
    check(grown < 16 << 20, f"it has kept {grown >> 20} MB of 60 MB that strangers said")
