"""Programs and masters that a test starts: what they print is waited for, and none of them outlives the test."""
import contextlib
import os
import re
import signal
import socket
import subprocess
import threading
import time
import xmlrpc.client

# Far more than anything takes: a limit for what never happens, not a measure.
PATIENCE_S = 30
# Between two looks at a condition.
LOOK_S = 0.02


class Failed(Exception):
    """Something is not as it must be."""


class Skipped(Exception):
    """It cannot be tried here."""


def check(condition, what):
    if not condition:
        raise Failed(what)


def until(condition, what, patience_s=PATIENCE_S):
    """Waits for `condition()` to be true, and returns what it gave."""
    end = time.monotonic() + patience_s
    while True:
        with contextlib.suppress(OSError, xmlrpc.client.Error):
            if value := condition():
                return value
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {patience_s} s")
        time.sleep(LOOK_S)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A program with all that it has printed, both streams in one."""

    def __init__(self, title, command, environment):
        self.title = title
        # Killed with us, should we be killed ourselves.
        command = ["setpriv", "--pdeathsig", "KILL", *command]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, text=True, errors="replace")
        self.pid = self.process.pid
        self.lines = []
        self.grew = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.grew:
                self.lines.append(line.rstrip("\n"))
                self.grew.notify_all()

    def _match(self, pattern, after):
        for line in self.lines[after:]:
            if match := re.search(pattern, line):
                return match
        return None

    def wait_for(self, pattern, after=0, patience_s=PATIENCE_S):
        """The first line, of those from number `after` on, that `pattern` is found in."""
        end = time.monotonic() + patience_s
        with self.grew:
            while True:
                if match := self._match(pattern, after):
                    return match
                left = end - time.monotonic()
                if left <= 0 or not self.reader.is_alive():
                    break
                self.grew.wait(min(left, 0.5))
            if match := self._match(pattern, after):
                return match
        raise Failed(f"{self.title} has not printed /{pattern}/{self.last_words()}")

    def find(self, pattern):
        """All matches so far, in their order."""
        with self.grew:
            return [match for line in self.lines if (match := re.search(pattern, line))]

    def count(self):
        with self.grew:
            return len(self.lines)

    def last_words(self, most=12):
        with self.grew:
            lines = self.lines[-most:]
        ended = f" (it has ended with {self.process.returncode})" if self.process.poll() is not None else ""
        return ended + "".join(f"\n      | {line}" for line in lines)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line, pattern):
        """Says a line, and waits for the answer to it."""
        before = self.count()
        self.say(line)
        return self.wait_for(pattern, before)

    def is_running(self):
        return self.process.poll() is None

    def wait_for_end(self, patience_s=PATIENCE_S):
        """The exit status, once the program has ended and all that it printed is read."""
        try:
            status = self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.title} has not ended within {patience_s} s{self.last_words()}") from None
        self.reader.join(PATIENCE_S)
        return status

    def output(self):
        self.wait_for_end()
        return "\n".join(self.lines)

    def signal(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def pause(self):
        self.signal(signal.SIGSTOP)

    def go_on(self):
        self.signal(signal.SIGCONT)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join(PATIENCE_S)
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.stdout.close()

    def resident_bytes(self):
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cpu_s(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Master:
    """`rosmaster`, or what takes its place, which may be killed and started again at the same port."""

    CALLER = "/test"
    PROGRAM = "rosmaster"

    def __init__(self, environment, starts=True):
        self.port = free_port()
        self.uri = f"http://127.0.0.1:{self.port}"
        self.environment = dict(environment, ROS_MASTER_URI=self.uri)
        self.process = None
        if starts:
            self.start()

    def start(self):
        self.process = Process("master", [self.PROGRAM, "--core", "-p", str(self.port)], self.environment)
        until(lambda: self.call("getPid"), "the master answers")

    def kill(self):
        if self.process:
            self.process.kill()
            self.process = None

    def call(self, method, *arguments, caller=CALLER):
        """The value that the master answers with."""
        code, text, value = getattr(xmlrpc.client.ServerProxy(self.uri), method)(caller, *arguments)
        if code != 1:
            raise xmlrpc.client.Error(f"{method}: {text}")
        return value

    def uri_of(self, node):
        return until(lambda: self.call("lookupNode", node), f"the master knows {node}")

    def who(self, index, name):
        """Nodes at a topic or service: index 0 its publishers, 1 its subscribers, 2 who offers it."""
        return next((nodes for other, nodes in self.call("getSystemState")[index] if other == name), [])

    def publishers(self, topic):
        return self.who(0, topic)

    def subscribers(self, topic):
        return self.who(1, topic)

    def wait_for_subscribers(self, topic, count):
        until(lambda: len(self.subscribers(topic)) >= count, f"{count} subscribers of {topic} at the master")


class Programs:
    """What each kind of node is started with."""

    def __init__(self, ours, roscpp, rospy):
        self.commands = {"ours": ours, "roscpp": roscpp, "rospy": rospy}

    def command(self, kind):
        return self.commands[kind]


class Ros:
    """What a test works with: a master, a namespace of its own, and programs that end with the test."""

    def __init__(self, programs, environment, master, namespace, folder):
        self.programs = programs
        self.master = master
        self.namespace = namespace
        self.folder = folder
        self.environment = dict(environment, ROS_MASTER_URI=master.uri, ROS_NAMESPACE=namespace)
        self.processes = []
        self.exits = contextlib.ExitStack()

    def name(self, relative):
        """A name of this test's namespace, as others see it."""
        return f"{self.namespace}/{relative}"

    def api(self, node):
        """The slave API of a node of this namespace."""
        return xmlrpc.client.ServerProxy(self.master.uri_of(self.name(node)))

    def _keep(self, process):
        self.processes.append(process)
        return process

    def begin(self, kind, role, /, *arguments, **keys):
        """Starts a node, and does not wait for it."""
        keys = [f"{key}={value}" for key, value in keys.items()]
        command = [*self.programs.command(kind), role, *keys, *arguments]
        return self._keep(Process(f"{kind} {role}", command, self.environment))

    def start(self, kind, role, /, *arguments, **keys):
        """Starts a node, and waits until it is there."""
        process = self.begin(kind, role, *arguments, **keys)
        process.wait_for("^ready ")
        return process

    def tool(self, *command):
        """Starts one of ROS's tools."""
        return self._keep(Process(" ".join(command[:2]), list(command), self.environment))

    def close(self):
        for process in self.processes:
            process.kill()
        self.exits.close()
