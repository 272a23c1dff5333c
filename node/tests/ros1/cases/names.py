"""Names: what a program is started with decides who it is and what its topics are called."""
import re

from processes import check, until
from suite import add, test

NAMES = "chatter,/chatter,~chatter,a/b,~,a_1,ns/chatter,/names/chatter,~/x,1a,a b,a//b,a/"

# Arguments, each tried with our node and with roscpp's, which must say the same.
SETS = {
    "plain": [],
    "name": ["__name:=other"],
    "namespace": ["__ns:=/a/b"],
    "relative_namespace": ["__ns:=a"],
    "root_namespace": ["__ns:=/"],
    "name_and_namespace": ["__name:=other", "__ns:=/a"],
    "topic": ["chatter:=talk"],
    "topic_to_global": ["chatter:=/talk"],
    "global_topic": ["/chatter:=/talk"],
    "private": ["~chatter:=talk", "a_1:=~mine"],
    "several": ["chatter:=one", "a/b:=two", "one:=three"],
    "in_namespace": ["__ns:=/q", "chatter:=talk", "/q/a/b:=/elsewhere"],
    "private_parameters": ["_speed:=3", "__ns:=/a", "_chatter:=x"],
    "strange": ["__log:=/dev/null", "nothing", ":=x"],
}


def said(process):
    return [match[0] for match in process.find("^(ready|namespace|resolved) .*$")]


def same_as_roscpp(ros, arguments):
    found = []
    for kind in ["ours", "roscpp"]:
        process = ros.start(kind, "names", *arguments, node="names", names=NAMES)
        found.append(said(process))
        process.kill()
    differ = [f"ours: {one}, roscpp: {other}" for one, other in zip(*found) if one != other]
    check(not differ and len(found[0]) == len(found[1]) == len(NAMES.split(",")) + 2, "\n      | ".join(["they differ:", *differ]))


for name, arguments in SETS.items():
    add("names", f"resolved_as_roscpp_{name}", lambda ros, arguments=arguments: same_as_roscpp(ros, arguments))


@test
def topics_are_renamed(ros):
    """A publisher and a subscriber whose topics have other names meet where both were renamed to."""
    reader = ros.start("ours", "subscribe", "news:=elsewhere/talk", topic="news")
    ros.start("ours", "publish", f"chatter:={ros.name('elsewhere/talk')}", wait=1, count=3)
    reader.wait_for("^heard 2$")
    topic = ros.name("elsewhere/talk")
    check(ros.master.publishers(topic) == [ros.name("publish")] and ros.master.subscribers(topic) == [ros.name("subscribe")],
          "the master knows them by other topics")


@test
def services_are_renamed(ros):
    server = ros.start("ours", "serve", "switch:=lamp")
    client = ros.start("roscpp", "call", service="lamp")
    client.ask("true", "^answered true")
    ours = ros.start("ours", "call", "plug:=lamp", node="ours", service="plug")
    ours.ask("true", "^answered true")
    until(lambda: len(server.find("^asked true$")) == 2, "nobody else has answered")


@test
def namespace_and_name_at_the_master(ros):
    ros.start("ours", "all", "__ns:=/names_a/b", "__name:=other")
    check(ros.master.publishers("/names_a/b/out") == ["/names_a/b/other"], "it publishes as somebody else")
    check(ros.master.subscribers("/names_a/b/in") == ["/names_a/b/other"], "it subscribes as somebody else")
    check(ros.master.who(2, "/names_a/b/other/get_loggers") == ["/names_a/b/other"], "its private service is elsewhere")


@test
def private_parameters(ros):
    """`_PARAM:=VALUE` sets a parameter of the node, with the type that the value looks like, as roscpp does."""
    arguments = ["_whole:=5", "_part:=2.5", "_yes:=true", "_no:=false", "_words:=two words", "_minus:=-7", "_empty:=", "_big:=99999999999",
                 "_dot:=.5", "_e:=1e3", "_a/b:=1", "_hex:=0x10", "_version:=1.2.3", "_yaml:=[1, 2]"]
    found = []
    for kind in ["ours", "roscpp"]:
        node = ros.start(kind, "names", *arguments, node="names", names="x")
        found.append(ros.master.call("getParam", ros.name("names")))
        node.kill()
        ros.master.call("deleteParam", ros.name("names"))
    ours, roscpp = found
    differ = {name: (ours.get(name), roscpp.get(name)) for name in {*ours, *roscpp}
              if ours.get(name) != roscpp.get(name) or type(ours.get(name)) is not type(roscpp.get(name))}
    check(not differ, f"ours and roscpp set: {differ}")


@test
def anonymous(ros):
    """Many of one name run at once, each by a name of its own."""
    names = [ros.start(kind, "subscribe", anonymous=1, node="many").wait_for("^ready (.*)")[1] for kind in ["ours"] * 3 + ["roscpp"]]
    check(len(set(names)) == 4, f"names are {names}")
    for name in names:
        check(re.fullmatch(ros.name(r"many_\d+(_\d+)?"), name), f"{name} is no anonymous name of `many`")
    check(sorted(ros.master.subscribers(ros.name("chatter"))) == sorted(names), "the master knows others")


@test
def anonymous_with_a_name(ros):
    """`__name` says the name, anonymous or not."""
    for kind in ["ours", "roscpp"]:
        name = ros.start(kind, "subscribe", f"__name:=given_{kind}", anonymous=1).wait_for("^ready (.*)")[1]
        check(name == ros.name(f"given_{kind}"), f"{kind} calls itself {name}")


def refused(ros, *arguments, **keys):
    node = ros.begin("ours", "names", *arguments, names="x", **keys)
    check(node.wait_for_end() != 0, "it runs")
    check(not node.find("^ready"), "it runs")


# As roscpp refuses them.
for name, argument in {"two_targets": "a:=b:=c", "a_target_that_begins_with_a_digit": "a:=1b"}.items():
    add("names", f"no_renaming_to_{name}", lambda ros, argument=argument: refused(ros, argument))
add("names", "no_node_with_a_slash", lambda ros: refused(ros, node="a/b"))
add("names", "no_node_that_begins_with_a_digit", lambda ros: refused(ros, node="1a"))
