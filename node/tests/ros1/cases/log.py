"""What a node says, on `/rosout` and at `~get_loggers`."""
from processes import check
from suite import test

LEVELS = {"Debug": 1, "Info": 2, "Warn": 4, "Error": 8, "Fatal": 16}


@test(own_master=True)
def rosout_has_what_our_node_says(ros):
    reader = ros.start("rospy", "subscribe", topic="/rosout", kind="log")
    ros.start("ours", "say")
    for word, level in list(LEVELS.items())[1:]:
        reader.wait_for(f"^log {ros.name('say')} {level} this is {word}$")
    reader.wait_for(f"^log {ros.name('say')} 16 ")
    check(not reader.find(f"^log {ros.name('say')} 1 "), "what is not said is published")


@test(own_master=True)
def rosout_in_all_its_fields(ros):
    """`rostopic echo` reads each field of what is said."""
    ros.start("ours", "say")
    text = ros.tool("rostopic", "echo", "-n", "5", "/rosout").output()
    for part in ["stamp:", "level: 4", f'name: "{ros.name("say")}"', 'msg: "this is Warn"', "file: ", "function: ", "line: ", "topics: "]:
        check(part in text, f"{part!r} is not in it:\n      | " + text.replace("\n", "\n      | "))


def set_level(ros, logger, level):
    return ros.tool("rosservice", "call", ros.name("say/set_logger_level"), logger, level)


@test
def set_logger_level(ros):
    node = ros.start("ours", "say")
    node.wait_for("this is Info")
    check(not node.find("this is Debug"), "it says what it must not")
    check(set_level(ros, "ros", "debug").wait_for_end() == 0, "the level is not set")
    node.wait_for("this is Debug")
    check(set_level(ros, "ros", "error").wait_for_end() == 0, "the level is not set")
    after = node.count()
    # What was under way when the level changed may still be said once.
    node.wait_for("this is Error", after)
    after = node.count()
    node.wait_for("this is Fatal", after)
    node.wait_for("this is Error", after + 2)
    late = [line for line in node.lines[after:] if "this is Info" in line or "this is Warn" in line]
    check(not late, f"it still says {late}")


@test
def get_loggers(ros):
    node = ros.start("ours", "say")
    tool = ros.tool("rosservice", "call", ros.name("say/get_loggers"))
    check('name: "ros"' in tool.output() and 'level: "info"' in tool.output(), f"it has {tool.lines}")
    set_level(ros, "ros.mine", "warn").wait_for_end()
    tool = ros.tool("rosservice", "call", ros.name("say/get_loggers"))
    check('name: "ros.mine"' in tool.output() and 'level: "warn"' in tool.output(), f"it has {tool.lines}")
    check(node.is_running(), "it has ended")


@test
def no_such_level(ros):
    node = ros.start("ours", "say")
    tool = set_level(ros, "ros", "loud")
    check(tool.wait_for_end() != 0, "a level that there is not is set")
    node.wait_for("this is Info", node.count())
