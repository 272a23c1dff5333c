"""A board that QEMU stands for, for programs that run images as if they were programs of Linux."""
import os
import socket
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "aarch64-unknown-none-softfloat/release"
# What of the environment the nodes are told.
VARIABLES = ("ROS_MASTER_URI", "ROS_IP", "ROS_NAMESPACE", "ROSCONSOLE_FORMAT")


def image(name, variable):
    """The path of an image: what the variable says, else where cargo builds it. Nothing: there is none."""
    path = os.environ.get(variable) or Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "rtos" / FOLDER / name
    return str(path) if os.path.exists(path) else None


def are_free(first, count):
    sockets = []
    try:
        for port in range(first, first + count):
            sockets.append(socket.socket())
            sockets[-1].bind(("127.0.0.1", port))
        return True
    except (OSError, OverflowError):
        return False
    finally:
        for each in sockets:
            each.close()


def free_ports(count):
    """The first of so many ports, one after the other, that nobody has."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            first = probe.getsockname()[1]
        if are_free(first, count):
            return first


def quoted(word):
    return f'"{word}"' if not word or " " in word else word


def qemu(path, ports, words):
    """The command that runs an image whose nodes have so many ports, with these arguments. Its serial line is the standard streams'."""
    first = free_ports(ports)
    variables = [f"{name}={os.environ[name]}" for name in VARIABLES if os.environ.get(name)]
    line = [*variables, f"PID={os.getpid()}", f"FIRST_PORT={first}", "--", *words]
    forwards = "".join(f",hostfwd=tcp:127.0.0.1:{at}-:{at}" for at in range(first, first + ports))
    return ["qemu-system-aarch64", "-M", "virt,gic-version=3", "-cpu", "cortex-a53", "-smp", "2", "-m", "128M", "-display", "none",
            "-monitor", "none", "-serial", "stdio", "-semihosting-config", "enable=on,target=native",
            "-netdev", f"user,id=n{forwards}", "-device", "virtio-net-device,netdev=n",
            "-append", " ".join(map(quoted, line)), "-kernel", path]
