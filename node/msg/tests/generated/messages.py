"""Messages of all installed types, filled from a seed and serialised by ROS 1's own genpy: a line "TYPE HEX" each.

Usage: messages.py SEED COUNT. Needs Debian's python3-genpy and the packages' Python messages.
"""
import io
import os
import random
import sys

import genpy
from genpy.message import get_message_class

PACKAGES = ["std_msgs", "geometry_msgs", "sensor_msgs", "rosgraph_msgs"]
RANGES = {"int8": (-128, 127), "byte": (-128, 127), "uint8": (0, 255), "char": (0, 255), "bool": (0, 1)}
for bits in (16, 32, 64):
    RANGES["int%d" % bits] = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    RANGES["uint%d" % bits] = (0, (1 << bits) - 1)


def value(chance, of):
    if of.endswith("]"):
        base, count = of[:-1].rsplit("[", 1)
        items = [value(chance, base) for _ in range(int(count) if count else chance.randrange(4))]
        return bytes(items) if base in ("uint8", "char") else items
    if of in RANGES:
        return chance.randint(*RANGES[of])
    if of in ("float32", "float64"):
        return chance.randint(-1000, 1000) / 8
    if of == "string":
        return "".join(chance.choice("aé字\0\"/ ") for _ in range(chance.randrange(6)))
    if of == "time":
        return genpy.Time(chance.randrange(1 << 32), chance.randrange(10**9))
    if of == "duration":
        return genpy.Duration(chance.randint(-(1 << 31), (1 << 31) - 1), chance.randrange(10**9))
    return fill(chance, get_message_class(of)())


def fill(chance, message):
    for name, of in zip(message.__slots__, message._slot_types):
        setattr(message, name, value(chance, of))
    return message


def main():
    chance = random.Random(int(sys.argv[1]))
    for package in PACKAGES:
        for file in sorted(os.listdir("/usr/share/%s/msg" % package)):
            for _ in range(int(sys.argv[2])):
                out = io.BytesIO()
                fill(chance, get_message_class(package + "/" + file[:-4])()).serialize(out)
                print(package + "/" + file[:-4], out.getvalue().hex())


main()
