"""Compiles a source with our headers or with roscpp's.

Ours are taken as a user has them: installed, and found by pkg-config. Debian's ROS lies in /usr/include, where a header that is missing from ours would be
found silently: a folder of links to all that is there but ROS takes its place.
"""
import os
import re
import subprocess
from pathlib import Path

from processes import check

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
SYSTEM = Path("/usr/include")
# What belongs to ROS: packages of its own, and any of messages.
OF_ROS = re.compile(r"ros.*|xmlrpcpp|XmlRpc.*|.*_(msgs|srvs)|message_.*|class_loader|pluginlib|nodelet.*|actionlib.*|tf2?(_.*)?|rospack.*")
STRICT = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def install(prefix):
    """What is wrong, if it fails."""
    environment = dict(os.environ, PROFILE="dev")
    done = subprocess.run([str(ROOT / "node/cpp/install"), str(prefix)], env=environment, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else None


def compiler(kind):
    more = os.environ.get("CXXFLAGS", "").split() if kind == "ours" else []
    return [os.environ.get("CXX", "g++"), *STRICT, *more]


def without_ros(folder):
    """Links to what is in /usr/include, ROS left out."""
    farm = Path(folder) / "system"
    if not farm.exists():
        farm.mkdir()
        for entry in SYSTEM.iterdir():
            if not OF_ROS.fullmatch(entry.name):
                (farm / entry.name).symlink_to(entry)
    return farm


def searched():
    """Where the compiler looks for headers by itself."""
    said = subprocess.run([*compiler("ours")[:1], "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=True).stderr
    return re.findall(r"^ (/\S+)$", said.split("search starts here:")[-1], re.MULTILINE)


class Compiling:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.prefix = self.folder / "installed"
        farm = without_ros(folder)
        self.hidden = ["-nostdinc"]
        for path in searched():
            self.hidden += ["-isystem", str(farm if Path(path) == SYSTEM else path)]

    def pkg_config(self, kind, what):
        more = {"PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")} if kind == "ours" else {}
        done = subprocess.run(["pkg-config", what, "roscpp"], env={**os.environ, **more}, capture_output=True, text=True, check=True)
        return done.stdout.split()

    def headers(self, kind):
        return [*(self.hidden if kind == "ours" else []), *self.pkg_config(kind, "--cflags")]

    def program(self, kind, source, extra=(), title=None, libs=()):
        program = self.folder / f"{title or source}_{kind}"
        if not program.exists():
            command = [*compiler(kind), *extra, *self.headers(kind), str(HERE / f"{source}.cpp"), "-o", str(program), *libs, *self.pkg_config(kind, "--libs")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            check(done.returncode == 0, f"{source}.cpp does not compile ({kind}):\n{done.stderr[:4000]}")
        return str(program)

    def wrong(self, source):
        """What the compiler says of a source with our headers; nothing is made of it."""
        command = [*compiler("ours"), "-fsyntax-only", *self.headers("ours"), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""
