"""TCPROS by hand: ends that say what no node would say."""
import contextlib
import socket
import struct
import threading
import xmlrpc.client
import xmlrpc.server

from processes import PATIENCE_S, Failed, check

STRING = {"type": "std_msgs/String", "md5sum": "992ce8a1687cec8c8bd883ec73ca41d1"}
CLOCK = {"type": "rosgraph_msgs/Clock", "md5sum": "a9c97c1d230cfc112e270351a944ee47"}
SET_BOOL = {"type": "std_srvs/SetBool", "md5sum": "09fb03525b03e7ea1fd3992bafd87e16"}


def header(fields):
    """A connection header; fields that are None are left out."""
    parts = [f"{name}={value}".encode() for name, value in fields.items() if value is not None]
    body = b"".join(struct.pack("<I", len(part)) + part for part in parts)
    return struct.pack("<I", len(body)) + body


def string(text):
    """A message of std_msgs/String, with its length in front."""
    data = text.encode()
    return struct.pack("<II", len(data) + 4, len(data)) + data


def clock(seconds):
    whole = int(seconds)
    return struct.pack("<III", 8, whole, round((seconds - whole) * 1e9))


class Connection:
    """One end of a TCP connection."""

    def __init__(self, sock):
        self.socket = sock
        sock.settimeout(PATIENCE_S)

    @classmethod
    def to(cls, host, port, receive_bytes=None):
        """Connects. `receive_bytes`: so much may come before it is read, about; what the system likes if nothing is said."""
        sock = socket.socket()
        if receive_bytes:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        sock.settimeout(PATIENCE_S)
        sock.connect((host, port))
        return cls(sock)

    def send(self, data):
        self.socket.sendall(data)

    def read(self, count):
        """So many bytes; nothing: the other end has closed."""
        data = b""
        while len(data) < count:
            try:
                more = self.socket.recv(count - len(data))
            except ConnectionError:
                return None
            except socket.timeout:
                raise Failed(f"only {len(data)} of {count} bytes came") from None
            if not more:
                return None
            data += more
        return data

    def read_message(self):
        head = self.read(4)
        return None if head is None else self.read(struct.unpack("<I", head)[0])

    def read_header(self):
        """The fields of a header; nothing: the other end has closed."""
        body = self.read_message()
        if body is None:
            return None
        fields = {}
        while body:
            length = struct.unpack("<I", body[:4])[0]
            name, _, value = body[4:4 + length].partition(b"=")
            fields[name.decode()] = value.decode()
            body = body[4 + length:]
        return fields

    def rest(self):
        """What comes until the other end closes."""
        data = b""
        with contextlib.suppress(ConnectionError):
            while more := self.socket.recv(65536):
                data += more
        return data

    def close(self):
        self.socket.close()


def address_of_topic(api, topic):
    code, text, protocol = api.requestTopic("/test", topic, [["TCPROS"]])
    check(code == 1 and protocol[0] == "TCPROS", f"requestTopic: {code} {text}")
    return protocol[1], protocol[2]


def subscribe(ros, node, topic, receive_bytes=None, /, **fields):
    """A connection to a publisher, with our header sent: STRING unless `fields` say otherwise; None leaves a field out."""
    connection = Connection.to(*address_of_topic(ros.api(node), ros.name(topic)), receive_bytes)
    ros.exits.callback(connection.close)
    connection.send(header({"callerid": "/test", "topic": ros.name(topic), **STRING, **fields}))
    return connection


def data_port(ros, node, topic):
    """A connection to a node's TCPROS port, with nothing said."""
    connection = Connection.to(*address_of_topic(ros.api(node), ros.name(topic)))
    ros.exits.callback(connection.close)
    return connection


class Listener:
    """Does the same with each connection that comes, each in a thread of its own."""

    def __init__(self, on_connection, port=0):
        self.on_connection = on_connection
        self.socket = socket.create_server(("127.0.0.1", port))
        self.socket.settimeout(None)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self.socket.accept()
                threading.Thread(target=self._serve, args=(Connection(sock),), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError, Failed):
            self.on_connection(connection)
        connection.close()

    def close(self):
        # It wakes who waits for connections, which closing alone does not.
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class QuietHandler(xmlrpc.server.SimpleXMLRPCRequestHandler):
    def log_message(self, *_):
        pass


class FakePublisher:
    """A publisher's node that does as it is told: with each connection what `on_connection` does, to `requestTopic` what `answer` is."""

    def __init__(self, ros, topic, on_connection, node="fake", kind=None):
        self.ros, self.topic, self.node = ros, topic, ros.name(node)
        self.kind = kind or STRING
        self.data = Listener(on_connection)
        self.answer = [1, "", ["TCPROS", "127.0.0.1", self.data.port]]
        self.server = xmlrpc.server.SimpleXMLRPCServer(("127.0.0.1", 0), QuietHandler, logRequests=False)
        self.server.register_function(lambda *_: self.answer, "requestTopic")
        self.server.register_function(lambda *_: [1, "", 0], "publisherUpdate")
        self.uri = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        ros.exits.callback(self.close)
        self.register()

    def greeting(self):
        return header({"callerid": self.node, "latching": "0", "topic": self.topic, "message_definition": "", **self.kind})

    def register(self):
        self.ros.master.call("registerPublisher", self.topic, self.kind["type"], self.uri, caller=self.node)

    def unregister(self):
        self.ros.master.call("unregisterPublisher", self.topic, self.uri, caller=self.node)

    def close(self):
        # Unregistered, or the master would name it to those who come later.
        with contextlib.suppress(OSError, xmlrpc.client.Error):
            self.unregister()
        self.server.shutdown()
        self.server.server_close()
        self.data.close()


class ClockSource(FakePublisher):
    """Simulated time, which stands still until it is set."""

    def __init__(self, ros):
        self.connections = []
        self.grew = threading.Condition()
        super().__init__(ros, "/clock", self._on_connection, kind=CLOCK)

    def _on_connection(self, connection):
        connection.read_header()
        connection.send(self.greeting())
        with self.grew:
            self.connections.append(connection)
            self.grew.notify_all()
        connection.rest()

    def wait_for_subscribers(self, count):
        with self.grew:
            check(self.grew.wait_for(lambda: len(self.connections) >= count, PATIENCE_S), "nobody subscribes to /clock")

    def set(self, seconds):
        for connection in self.connections:
            connection.send(clock(seconds))
