"""The one thing the main thread waits for; DDS's threads and the one that watches standard input ring. Nothing polls."""

import os
import signal
import threading
import time


class Bell:
    """To be made before the library makes threads: all that are made later leave SIGTERM to the one here."""

    def __init__(self):
        self.rung = threading.Condition()
        self.ended = self.data = self.line = False
        self.readers = 0
        signals = {signal.SIGTERM, signal.SIGINT}
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        for watch in (lambda: (signal.sigwait(signals), self.ring(ended=True)), self.watch_stdin):
            threading.Thread(target=watch, daemon=True).start()

    def watch_stdin(self):
        while words := os.read(0, 256):
            if b"\n" in words:
                self.ring(line=True)
        self.ring(ended=True)

    def ring(self, **what):
        with self.rung:
            self.__dict__.update(what)
            self.rung.notify_all()

    def wait(self, came):
        """True if what it waits for came, False if the program is to end."""
        with self.rung:
            self.rung.wait_for(lambda: self.ended or came())
            return not self.ended

    def wait_data(self):
        go_on = self.wait(lambda: self.data)
        self.data = False
        return go_on

    def wait_until(self, monotonic_s):
        with self.rung:
            self.rung.wait_for(lambda: self.ended, max(0.0, monotonic_s - time.monotonic()))
            return not self.ended
