"""The talkers and listeners of examples/chatter, in Rust and in C++: each with each, and with ROS's own tool."""
import os
import signal
from pathlib import Path

from processes import Skipped, check
from suite import add

ROOT = Path(__file__).resolve().parents[4]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
# Where they are built, and by what.
FOLDERS = {"rust": (TARGET / "debug", "cargo build -p tokkyu-example-chatter"), "cpp": (TARGET / "chatter", "./tokkyu test nodes")}
# So many in a row are heard.
WORDS = 5


def start(ros, language, role):
    folder, remedy = FOLDERS[language]
    program = folder / role
    if not program.exists():
        raise Skipped(f"there is no {program}; {remedy} builds it")
    return ros.tool(str(program))


def end(*processes):
    """As from a keyboard: they end in order."""
    for process in processes:
        process.signal(signal.SIGINT)
    for process in processes:
        status = process.wait_for_end()
        check(status == 0, f"{process.title} ended with {status}{process.last_words()}")


def talk(ros, talker, listener):
    """What is said is heard, in order and whole."""
    listener = start(ros, listener, "listener")
    ros.master.wait_for_subscribers(ros.name("chatter"), 1)
    talker = start(ros, talker, "talker")
    first = int(listener.wait_for(r"I heard: \[hello world (\d+)\]$")[1])
    listener.wait_for(rf"I heard: \[hello world {first + WORDS - 1}\]$")
    heard = [int(match[1]) for match in listener.find(r"I heard: \[hello world (\d+)\]$")]
    check(heard == list(range(first, first + len(heard))), f"it heard {heard}")
    talker.wait_for(rf"hello world {first}$")
    end(talker, listener)


def echo(ros, talker):
    talker = start(ros, talker, "talker")
    text = ros.tool("rostopic", "echo", "-n", "1", ros.name("chatter")).output().strip()
    check(text.startswith('data: "hello world '), f"rostopic echo printed {text!r}")
    end(talker)


for talker in FOLDERS:
    for listener in FOLDERS:
        add("chatter", f"from_{talker}_to_{listener}", lambda ros, pair=(talker, listener): talk(ros, *pair))
    add("chatter", f"from_{talker}_to_rostopic_echo", lambda ros, talker=talker: echo(ros, talker))
