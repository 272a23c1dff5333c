"""The reader: the library's threads leave events and ring, the main thread takes samples, however slow."""

import time

from cyclonedds.core import Listener
from cyclonedds.internal import InvalidSample
from cyclonedds.sub import DataReader

from content import Content, bytes_of, n_of
from events import say
from quality import POLICIES, quality_of, writer_line


def listener_of(bell, teller, made):
    """`made` gets the reader once there is one."""

    def tell_of_writer(handle):
        endpoint = made[0].get_matched_publication_data(handle)
        if endpoint is not None:  # not gone again already
            say("writer", **writer_line(endpoint))

    def matched(_, status):
        teller.later(say, "matched", count=status.current_count)
        if status.current_count_change > 0:
            teller.later(tell_of_writer, status.last_publication_handle)

    def incompatible(_, status):
        teller.later(say, "incompatible_qos", policy=POLICIES.get(status.last_policy_id, "OTHER"))

    def deadline(_, status):
        teller.later(say, "deadline_missed", total=status.total_count)

    def liveliness(_, status):
        teller.later(say, "liveliness", alive=status.alive_count, not_alive=status.not_alive_count)

    return Listener(
        on_subscription_matched=matched,
        on_requested_incompatible_qos=incompatible,
        on_requested_deadline_missed=deadline,
        on_liveliness_changed=liveliness,
        on_data_available=lambda _: bell.ring(data=True),
    )


def take_one(reader, content):
    """True if there was one. What a slow subscriber has not taken stays in the reader's history, under its policies."""
    while samples := reader.take(1):
        received_ns = time.time_ns()
        message = samples[0]
        if isinstance(message, InvalidSample):
            continue
        source_ns = message.sample_info.source_timestamp
        say(
            "received",
            n=n_of(message),
            bytes=bytes_of(message),
            same=content.same(message),
            source_ns=source_ns,
            received_ns=received_ns,
        )
        return True
    return False


def rounds(reader, content, options, bell):
    received = 0
    while received != options.count and bell.wait_data():
        while received != options.count and not bell.ended and take_one(reader, content):
            received += 1
            if options.slow_ms:
                bell.wait_until(time.monotonic() + options.slow_ms / 1000)
    return received


def subscribe(participant, topic, options, bell, teller):
    made, content = [], Content(options)
    reader = DataReader(participant, topic, quality_of(options), listener_of(bell, teller, made))
    made.append(reader)
    say("ready")
    teller.may_begin.set()
    return reader, {"received": rounds(reader, content, options, bell)}
