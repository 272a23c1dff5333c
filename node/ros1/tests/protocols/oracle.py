"""What Python's XML-RPC and ROS 1's own Python make of things: a line of JSON in, a line of JSON out.

{"do": "make", "seed", "count"}       documents, spelled in many ways, each with what xmlrpc.client reads in it
{"do": "read", "document"}            what xmlrpc.client reads in it
{"do": "header", "fields", "hex"}     the header of these fields; the fields of that header
{"do": "resolve", "arguments", "node", "name"}

The last two need Debian's python3-rosgraph and python3-roslib.
"""
import base64
import json
import random
import struct
import sys
import xmlrpc.client

HOSTILE = ["", " ", "\t", "\n", "\r\n", "\r", "&", "<", ">", "]]>", "]", "<![CDATA[", "&amp;", "&#13;", "<!--", "-->", "<?", "?>", '"', "'",
           "</value>", "a", "a b", "\u00e9", "\u65e5\u672c", "\U0001f600", "\x7f", "\x85", "\u2028", "\ufffd", "0", "-1", "nil"]


def told(value):
    """A value with its type."""
    if value is None:
        return ["nil"]
    if isinstance(value, bool):
        return ["bool", value]
    if isinstance(value, int):
        return ["int", value]
    if isinstance(value, float):
        return ["double", struct.pack(">d", value).hex()]
    if isinstance(value, str):
        return ["string", value]
    if isinstance(value, xmlrpc.client.DateTime):
        return ["time", value.value]
    if isinstance(value, xmlrpc.client.Binary):
        return ["base64", value.data.hex()]
    if isinstance(value, list):
        return ["array", [told(item) for item in value]]
    return ["struct", {name: told(item) for name, item in value.items()}]


def read(document):
    try:
        values, method = xmlrpc.client.loads(document.encode("utf-8"))
        return {"method": method, "values": [told(value) for value in values]}
    except xmlrpc.client.Fault as fault:
        return {"fault": [told(fault.faultCode), told(fault.faultString)]}
    except Exception as error:
        return {"refused": repr(error)}


class Spelling:
    """Documents as others write them: any entity, CDATA, comments, white space, attributes, types or none."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def one(self, *of):
        return self.chance.choice(of)

    def gap(self):
        return self.one("", "", "", " ", "\n", "\r\n  ", "<!-- <value> & -->", "<?x y?>", "\t")

    def open(self, name):
        return "<" + name + self.one("", "", "", " ", " a='>'", ' b="&lt;\'" c = \'1\'\n') + ">"

    def close(self, name):
        return "</" + name + self.one("", "", "", " ", "\n") + ">"

    def element(self, name, inside):
        if inside == "" and self.chance.random() < 0.5:
            return "<" + name + self.one("/>", " />", " a='b'/>")
        return self.open(name) + inside + self.close(name)

    def text(self, text):
        out = []
        for c in text:
            way = self.chance.randrange(8)
            if way == 0:
                out.append("&#%s%d;" % (self.one("", "0"), ord(c)))
            elif way == 1:
                out.append("&#x%s;" % self.one("%x", "%X", "%05x") % ord(c))
            elif way == 2 and c != "]":
                out.append("<![CDATA[" + c + "]]>")
            elif way == 3:
                out.append(self.one("<!-- - > & -->", "<?p <q> ?>", "<![CDATA[]]>"))
                out.append(xmlrpc.client.escape(c))
            else:
                out.append({"'": self.one("'", "&apos;"), '"': self.one('"', "&quot;")}.get(c, xmlrpc.client.escape(c)))
        return "".join(out)

    def hostile(self):
        return "".join(self.one(*HOSTILE) for _ in range(self.chance.randrange(4)))

    def number(self, text):
        # The reader under test has 64 bytes of room for a number that is spelled otherwise than in digits.
        return self.one("", "", " ", "\n") + (self.text(text) if len(text) < 60 else text) + self.one("", "", "\t", "\r\n")

    def value(self, depth):
        kind = self.one("int", "long", "double", "bool", "string", "string", "untyped", "time", "base64", "nil", "array", "struct")
        if kind == "untyped":
            return self.element("value", self.text(self.hostile()))
        return self.element("value", self.gap() + getattr(self, kind)(depth) + self.gap())

    def int(self, _):
        number = self.one(0, -1, 2**31 - 1, -2**31, self.chance.randrange(-1000, 1000))
        return self.element(self.one("int", "i4"), self.number(self.one("", "", "+" if number >= 0 else "") + str(number)))

    def long(self, _):
        return self.element("i8", self.number(str(self.one(2**63 - 1, -2**63, self.chance.randrange(-2**40, 2**40)))))

    def double(self, _):
        number = self.one(0.0, -0.0, 1e300, 5e-324, self.chance.random(), self.chance.uniform(-1e6, 1e6), 1.0 / 3, float("inf"), 1e16)
        return self.element("double", self.number(self.one(repr(number), "%f" % number, "%.17g" % number)))

    def bool(self, _):
        return self.element("boolean", self.text(self.one("0", "1")))

    def string(self, _):
        return self.element("string", self.text(self.hostile()))

    def time(self, _):
        return self.element("dateTime.iso8601", self.text("19980717T14:08:%02d" % self.chance.randrange(60)))

    def base64(self, _):
        data = self.chance.randbytes(self.chance.randrange(80))
        return self.element("base64", self.text(base64.encodebytes(data).decode()))

    def nil(self, _):
        return self.element("nil", "")

    def array(self, depth):
        items = "".join(self.gap() + self.value(depth - 1) for _ in range(self.chance.randrange(4) if depth else 0))
        return self.element("array", self.gap() + self.element("data", items + self.gap()) + self.gap())

    def struct(self, depth):
        return self.element("struct", "".join(self.member(depth) for _ in range(self.chance.randrange(4) if depth else 0)) + self.gap())

    def member(self, depth):
        name = self.element("name", self.text(self.hostile()))
        return self.gap() + self.element("member", self.gap() + name + self.gap() + self.value(depth - 1) + self.gap())

    def document(self):
        start = self.one("", "<?xml version='1.0'?>", '<?xml version="1.0" encoding="UTF-8"?>\n', "\ufeff<?xml version='1.0' standalone='yes' ?>")
        kind = self.chance.randrange(4)
        if kind == 0:
            return start + self.gap() + self.element("methodResponse", self.gap() + self.fault() + self.gap()) + self.gap()
        count = 1 if kind == 1 else self.chance.randrange(4)
        params = "".join(self.gap() + self.element("param", self.gap() + self.value(4) + self.gap()) for _ in range(count))
        params = self.gap() + self.element("params", params + self.gap()) + self.gap()
        if kind == 1:
            return start + self.gap() + self.element("methodResponse", params) + self.gap()
        name = self.gap() + self.element("methodName", self.text(self.hostile()))
        return start + self.gap() + self.element("methodCall", name + params) + self.gap()

    def fault(self):
        code = self.element("value", self.int(0))
        text = self.element("value", self.one(self.text(self.hostile()), self.string(0)))
        members = [("faultCode", code), ("faultString", text)]
        self.chance.shuffle(members)
        members = "".join(self.element("member", self.element("name", name) + value) for name, value in members)
        return self.element("fault", self.element("value", self.element("struct", members)))


def plain(chance, depth=3):
    """A value for xmlrpc.client's own writer."""
    kind = chance.randrange(8 if depth else 6)
    if kind == 6:
        return [plain(chance, depth - 1) for _ in range(chance.randrange(4))]
    if kind == 7:
        return {"".join(chance.choices(HOSTILE, k=2)): plain(chance, depth - 1) for _ in range(chance.randrange(4))}
    return [chance.randrange(-2**31, 2**31), chance.uniform(-1e9, 1e9), chance.random() < 0.5, "".join(chance.choices(HOSTILE, k=3)),
            xmlrpc.client.Binary(chance.randbytes(chance.randrange(100))), None][kind]


def dumped(chance):
    way, values = chance.randrange(3), tuple(plain(chance) for _ in range(chance.randrange(3)))
    if way == 0:
        return xmlrpc.client.dumps(xmlrpc.client.Fault(chance.randrange(100), "".join(chance.choices(HOSTILE, k=3))))
    if way == 1:
        return xmlrpc.client.dumps((plain(chance),), methodresponse=True, allow_none=True)
    return xmlrpc.client.dumps(values, "a.method", allow_none=True)


def make(seed, count):
    documents = []
    for number in range(count):
        seed_of_one = seed * 1000003 + number
        document = dumped(random.Random(seed_of_one)) if number % 2 else Spelling(seed_of_one).document()
        documents.append({"document": document, "read": read(document)})
    return documents


def header(fields, hex):
    from rosgraph import network
    return {"hex": network.encode_ros_handshake_header(fields).hex(), "fields": network.decode_ros_handshake_header(bytes.fromhex(hex))}


def resolve(arguments, node, name):
    import rosgraph.names
    import roslib.names
    # As rospy's initialize_mappings.
    mappings = [pair for pair in rosgraph.names.load_mappings(arguments).items() if not pair[0].startswith("__")]
    resolved = {rosgraph.names.resolve_name(key, node): rosgraph.names.resolve_name(value, node) for key, value in mappings}
    return {
        "resolved": rosgraph.names.resolve_name(name, node, resolved),
        "valid": [rosgraph.names.is_legal_name(name), roslib.names.is_legal_name(name)],
        "base": rosgraph.names.is_legal_base_name(name),
        "arguments": [rosgraph.names.is_legal_remap(argument) for argument in arguments],
    }


DO = {"make": make, "read": read, "header": header, "resolve": resolve}

for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(DO[request.pop("do")](**request)), flush=True)
