"""Time: the wall's, or a simulation's."""
import time

from processes import check, until
from suite import add, test
from wire import ClockSource


def ticks(process):
    return [float(match[1]) for match in process.find(r"^tick ([\d.]+)$")]


def simulated(ros, *starts):
    """A clock that stands still at 0, and nodes that go by it: each start is a kind, a role and its keys."""
    ros.master.call("setParam", "/use_sim_time", True)
    clock = ClockSource(ros)
    nodes = [ros.start(kind, role, **{"node": f"{role}_{kind}", **keys}) for kind, role, keys in starts]
    clock.wait_for_subscribers(len(nodes))
    return [clock, *nodes]


@test
def wall_time(ros):
    """Without a simulation a node's time is the wall's."""
    before = time.time()
    node = ros.start("ours", "clock", period=0.1)
    until(lambda: len(ticks(node)) >= 3, "its timer calls")
    check(all(before <= tick <= time.time() for tick in ticks(node)), f"it says {ticks(node)}, and it was {before}")


@test(own_master=True)
def simulated_from_the_start(ros):
    """A node that starts in a simulation never goes by the wall, not even at first."""
    _, *nodes = simulated(ros, *[("ours", "clock", {"node": f"n{number}"}) for number in range(5)])
    for node in nodes:
        first = node.wait_for(r"^now ([\d.]+)$")[1]
        check(float(first) == 0, f"its first time is {first}")


def now_follows(ros, kind):
    clock, node = simulated(ros, (kind, "clock", {}))
    # Forward, by a leap, and back.
    for second in [100, 100.25, 5000.5, 20]:
        clock.set(second)
        node.wait_for(rf"^now {second:.9f}$")


for kind in ["ours", "roscpp"]:
    add("time", f"now_of_{kind}_follows_a_simulation", lambda ros, kind=kind: now_follows(ros, kind), own_master=True)


def timer_follows(ros, kind):
    """A timer of 1 s calls once for each simulated second, however fast they pass, and not while time stands still."""
    clock, node = simulated(ros, (kind, "clock", {"period": 1}))

    def walk(first, last):
        for tenth in range(round(first * 10), round(last * 10) + 1):
            clock.set(tenth / 10)
            node.wait_for(rf"^now {tenth / 10:.9f}$")

    def within(first, last):
        return [tick for tick in ticks(node) if first < tick <= last]

    walk(100, 120)
    until(lambda: len(within(105, 120)) >= 14, "the timer calls once a second")
    check(len(within(105, 120)) <= 16, f"it calls more often: {ticks(node)}")
    before = len(ticks(node))
    # Wall time passes, simulated time does not.
    time.sleep(1.5)
    check(len(ticks(node)) <= before + 1, "it calls while time stands still")
    # A leap is no reason to call for all that was leapt over.
    walk(500, 503)
    until(lambda: within(500, 503), "it goes on after a leap")
    check(len(within(499, 503)) <= 6, f"it makes up for what was leapt over: {ticks(node)}")
    walk(50, 55)
    until(lambda: len(within(50, 55)) >= 2, "it goes on when time has gone back")


for kind in ["ours", "roscpp"]:
    add("time", f"timer_of_{kind}_follows_a_simulation", lambda ros, kind=kind: timer_follows(ros, kind), own_master=True)


def sleep_follows(ros, kind):
    clock, node = simulated(ros, (kind, "sleep", {"time": 5}))
    time_of = {}
    for second in [100, 102.5, 104.9]:
        clock.set(second)
        time_of.setdefault("begin", node.wait_for(r"^sleeps ([\d.]+)$")[1])
    check(time_of["begin"] == "100.000000000", f"it sleeps from {time_of['begin']} on")
    check(not node.find("^woke"), "it woke before its time")
    clock.set(105.5)
    if kind == "roscpp":
        # It has missed the last word of a clock that then stood still; simulators go on saying the time.
        until(lambda: node.find("^woke") or clock.set(105.5), "it wakes")
    check(node.wait_for(r"^woke (\w+) ([\d.]+)$").groups() == ("true", "105.500000000"), f"it said {node.lines[-1]}")


for kind in ["ours", "roscpp"]:
    add("time", f"sleep_of_{kind}_follows_a_simulation", lambda ros, kind=kind: sleep_follows(ros, kind), own_master=True)


@test(own_master=True)
def sleep_ends_with_the_node(ros):
    """Who sleeps in a time that stands still wakes when the node ends."""
    clock, node = simulated(ros, ("ours", "sleep", {"time": 5}))
    clock.set(100)
    node.wait_for("^sleeps 100")
    ros.tool("rosnode", "kill", ros.name("sleep_ours"))
    check(node.wait_for_end() == 0 and node.find("^woke false"), f"it said {node.lines[-2:]}")


@test(own_master=True)
def clock_of_roscpp(ros):
    """A simulator that is a node of roscpp moves the time of all."""
    ros.master.call("setParam", "/use_sim_time", True)
    nodes = [ros.start(kind, "clock", node=kind) for kind in ["ours", "roscpp"]]
    ros.start("roscpp", "simulate", **{"from": 1000}, step=0.5, hz=20)
    for node in nodes:
        node.wait_for(r"^tick 100\d\.")
        until(lambda node=node: ticks(node)[-1] - ticks(node)[0] >= 10, "time goes on")
        seconds = [float(match[1]) for match in node.find(r"^now ([\d.]+)$")]
        check(seconds == sorted(seconds), "time does not go forward")


@test(own_master=True)
def log_has_simulated_time(ros):
    clock, _node = simulated(ros, ("ours", "say", {}))
    clock.set(1234.5)
    reader = ros.tool("rostopic", "echo", "/rosout")
    reader.wait_for("secs: 1234$")
    reader.wait_for("nsecs: 500000000$")
