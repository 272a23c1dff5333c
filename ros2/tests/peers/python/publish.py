"""The writer: its events come from the library's threads, its samples are written by the main thread."""

import time

from cyclonedds.core import DDSException, Listener
from cyclonedds.pub import DataWriter

from content import Content, bytes_of
from events import say
from quality import POLICIES, quality_of


def listener_of(bell, teller):
    def matched(_, status):
        teller.later(say, "matched", count=status.current_count)
        bell.ring(readers=status.current_count)

    def incompatible(_, status):
        teller.later(say, "incompatible_qos", policy=POLICIES.get(status.last_policy_id, "OTHER"))

    def deadline(_, status):
        teller.later(say, "deadline_missed", total=status.total_count)

    return Listener(
        on_publication_matched=matched, on_offered_incompatible_qos=incompatible, on_offered_deadline_missed=deadline
    )


def write(writer, message, bell):
    """A reliable writer whose readers are behind blocks for a tenth of a second, then is asked again: so it ends in time."""
    while not bell.ended:
        try:
            writer.write(message)
            return True
        except DDSException as refused:
            if refused.code != DDSException.DDS_RETCODE_TIMEOUT:
                raise
    return False


def acknowledged(writer):
    try:
        return writer.wait_for_acks(100_000_000)
    except AttributeError:
        # cyclonedds 11.0.1 looks its time-out code up in the wrong class.
        return False


def rounds(writer, content, options, bell):
    sent = 0
    go_on = bell.wait(lambda: bell.readers >= options.wait_readers)
    if go_on and options.wait_line:
        go_on = bell.wait(lambda: bell.line)
    begun = time.monotonic()
    while go_on and sent < options.count and bell.wait_until(begun + sent * options.period_ms / 1000):
        message = content.make(sent)
        go_on = write(writer, message, bell)
        if go_on:
            say("sent", n=sent, bytes=bytes_of(message))
            sent += 1
    return sent


def publish(participant, topic, options, bell, teller):
    content = Content(options)
    writer = DataWriter(participant, topic, quality_of(options), listener_of(bell, teller))
    if options.representation == "untold":
        # The library itself keeps to what the QoS says.
        writer._use_version_2 = True
    say("ready")
    teller.may_begin.set()
    sent = rounds(writer, content, options, bell)
    if options.stay:
        bell.wait(lambda: False)
    # A writer that goes takes with it what its readers have not got yet.
    for _ in range(50 if options.reliability == "reliable" else 0):
        if bell.ended or acknowledged(writer):
            break
    return writer, {"sent": sent}
