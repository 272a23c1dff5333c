"""The content of message n: a pure function of type, seed, n and size; face/content.c says the same in C, and why so."""

import re

from messages import Header, Image, String, Time, Twist, Vector3

RING = 65521
ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
ENCODINGS = ("rgb8", "bgr8", "mono8", "16UC1", "yuv422")
MASK = 2**64 - 1


def noise(start, place):
    """splitmix64, the number at that place of its sequence."""
    z = (start + (place + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def around(ring, start, length):
    rest = ring[start : start + length]
    return rest + (ring * ((length - len(rest)) // RING + 1))[: length - len(rest)]


class Content:
    def __init__(self, options):
        self.seed = options.seed
        self.size = options.size
        self.make = {
            "std_msgs/msg/String": self.string,
            "sensor_msgs/msg/Image": self.image,
            "geometry_msgs/msg/Twist": self.twist,
        }[options.type]
        words = (noise(self.seed, place).to_bytes(8, "little") for place in range(RING // 8 + 1))
        self.ring = b"".join(words)[:RING]
        self.letters = self.ring.translate(bytes(ALPHABET[byte & 63] for byte in range(256)))

    def field(self, n, which):
        return noise(self.seed, 8192 + n * 16 + which)

    def text(self, begin, start, length):
        return begin + around(self.letters, start, max(0, length - len(begin))).decode()

    def string(self, n):
        return String(self.text(f"n={n} ", self.field(n, 0) % RING, self.size))

    def image(self, n):
        frame = self.text("camera_", self.field(n, 2) % RING, 7 + self.field(n, 3) % 24)
        return Image(
            header_=Header(Time(n, self.field(n, 1) % 1000000000), frame),
            height_=self.field(n, 4) & 0xFFFFFFFF,
            width_=self.field(n, 5) & 0xFFFFFFFF,
            encoding_=ENCODINGS[self.field(n, 6) % 5],
            is_bigendian_=self.field(n, 7) & 1,
            step_=self.field(n, 8) & 0xFFFFFFFF,
            data_=around(self.ring, self.field(n, 0) % RING, self.size),
        )

    def twist(self, n):
        def signed(word):
            return word - 2**64 if word >> 63 else word

        five = [float(signed(self.field(n, which)) >> 11) / 1048576 for which in range(1, 6)]
        return Twist(Vector3(float(n), *five[:2]), Vector3(*five[2:]))

    def same(self, message):
        n = n_of(message)
        if n < 0:
            return False
        # The library gives the data as a list of numbers, whatever it was made from.
        if isinstance(message, Image):
            message.data_ = bytes(message.data_)
        return message == self.make(n)


def n_of(message):
    """The n that is inside a message, or -1 if none is."""
    if isinstance(message, Image):
        return message.header_.stamp_.sec_
    if isinstance(message, Twist):
        x = message.linear_.x_
        return int(x) if 0 <= x < 2**31 else -1
    found = re.match(r"n=(\d{1,18}) ", message.data_)
    return int(found[1]) if found else -1


def bytes_of(message):
    """How long the part is that --size sets the length of; 48 for Twist."""
    return 48 if isinstance(message, Twist) else len(message.data_)
