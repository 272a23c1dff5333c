"""What the command line asks for; the same for every peer. ../README.md says what each flag means."""

import argparse

SIZES = {"std_msgs/msg/String": 64, "sensor_msgs/msg/Image": 65536, "geometry_msgs/msg/Twist": 48}
YEAR_MS = 365 * 86400 * 1000


def number(least, most):
    """What argparse is to read a flag with; it ends the program with exit code 2 and names the flag."""

    def read(text):
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is no number from {least} to {most}")
        return value

    read.__name__ = "number"
    return read


def topic_name(text):
    if not text or len(text) > 240 or text.startswith("/"):
        raise argparse.ArgumentTypeError("is a name of up to 240 bytes, not begun by '/'")
    return text


def add_both(role):
    role.add_argument("--topic", type=topic_name, required=True)
    role.add_argument("--prefix", choices=["rt", "rq", "rr"], default="rt")
    role.add_argument("--type", choices=SIZES, required=True)
    role.add_argument("--domain", type=number(0, 232), default=0)
    role.add_argument("--interface", default="lo")
    role.add_argument("--size", type=number(0, 1 << 30))
    role.add_argument("--seed", type=number(0, 2**63 - 1), default=0)


def add_quality(role):
    role.add_argument("--reliability", choices=["reliable", "best_effort"], default="reliable")
    role.add_argument("--durability", choices=["volatile", "transient_local"], default="volatile")
    role.add_argument("--history", choices=["keep_last", "keep_all"], default="keep_last")
    role.add_argument("--depth", type=number(1, 1000000), default=10)
    role.add_argument("--liveliness", choices=["automatic", "manual_by_topic"], default="automatic")
    for flag in ("--deadline-ms", "--lifespan-ms", "--lease-ms"):
        role.add_argument(flag, type=number(1, YEAR_MS))


def add_publish(role):
    role.add_argument("--count", type=number(0, 2**31 - 1), required=True)
    role.add_argument("--period-ms", type=number(0, 3600000), required=True)
    role.add_argument("--wait-readers", type=number(0, 1000), default=0)
    role.add_argument("--wait-line", action="store_true")
    role.add_argument("--stay", action="store_true")
    role.add_argument("--user-data")
    role.add_argument("--representation", choices=["xcdr1", "xcdr2", "untold"], default="xcdr1")


def add_subscribe(role):
    role.add_argument("--count", type=number(0, 2**31 - 1))
    role.add_argument("--slow-ms", type=number(0, 3600000), default=0)
    role.add_argument("--limit", type=number(1, 1000000))
    role.add_argument("--representation", choices=["xcdr1", "xcdr2", "both"], default="xcdr1")


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="ros2-peer-python", allow_abbrev=False)
    roles = parser.add_subparsers(dest="role", required=True)
    for name, add in (("publish", add_publish), ("subscribe", add_subscribe)):
        role = roles.add_parser(name, allow_abbrev=False)
        add_both(role)
        add_quality(role)
        add(role)
    options = parser.parse_args(arguments)
    if options.size is None:
        options.size = SIZES[options.type]
    return options
