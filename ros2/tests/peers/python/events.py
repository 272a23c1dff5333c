"""What happened, as lines of JSON on standard output: one object a line, flushed at once, from whatever thread."""

import json
import os
import queue
import threading
import traceback


def say(event, **what):
    # One write is one line, so lines of two threads stay apart.
    line = json.dumps({"event": event, **what}, separators=(",", ":")) + "\n"
    os.write(1, line.encode())


class Teller:
    """Tells of what DDS's threads saw, on a thread of its own.

    A listener may be called before the constructor of its reader has returned, on the very thread that is in it: it may
    neither wait for the reader nor ask it. So it only leaves here what is to be done.
    """

    def __init__(self):
        self.tasks = queue.SimpleQueue()
        self.may_begin = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def later(self, task, *arguments, **named):
        self.tasks.put((task, arguments, named))

    def work(self):
        self.may_begin.wait()
        for task, arguments, named in iter(self.tasks.get, None):
            try:
                task(*arguments, **named)
            except Exception:
                traceback.print_exc()

    def finish(self):
        self.may_begin.set()
        self.tasks.put(None)
        self.thread.join()
