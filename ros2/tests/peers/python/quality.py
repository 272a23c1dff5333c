"""Quality of service, from the command line, as rmw_cyclonedds sets it from a ROS 2 profile."""

from cyclonedds.core import Policy, Qos
from cyclonedds.util import duration

UNLIMITED = -1
INFINITE = duration(infinite=True)

# By the number that the C library gives a policy in its statuses (dds_qos_policy_id).
POLICIES = {2: "DURABILITY", 4: "DEADLINE", 8: "LIVELINESS", 10: "PARTITION", 11: "RELIABILITY"}
POLICIES |= {24: "TYPE_CONSISTENCY_ENFORCEMENT", 25: "DATA_REPRESENTATION"}


def span(ms):
    return INFINITE if ms is None else duration(milliseconds=ms)


def quality_of(options):
    kept = Policy.History.KeepAll if options.history == "keep_all" else Policy.History.KeepLast(options.depth)
    reliable = options.reliability == "reliable"
    manual = options.liveliness == "manual_by_topic"
    local = options.durability == "transient_local"
    policies = [
        kept,
        Policy.Reliability.Reliable(span(100)) if reliable else Policy.Reliability.BestEffort,
        Policy.Durability.TransientLocal if local else Policy.Durability.Volatile,
        Policy.Deadline(span(options.deadline_ms)),
        (Policy.Liveliness.ManualByTopic if manual else Policy.Liveliness.Automatic)(span(options.lease_ms)),
        Policy.DataRepresentation(
            use_cdrv0_representation=options.representation != "xcdr2",
            use_xcdrv2_representation=options.representation in ("xcdr2", "both"),
        ),
    ]
    if local:
        # What a late joiner gets, Cyclone DDS takes from the durability service and not from the history.
        policies.append(Policy.DurabilityService(0, kept, UNLIMITED, UNLIMITED, UNLIMITED))
    if options.role == "publish":
        policies.append(Policy.Lifespan(span(options.lifespan_ms)))
        policies.append(Policy.WriterDataLifecycle(autodispose=False))
        if options.user_data is not None:
            policies.append(Policy.Userdata(options.user_data.encode()))
    elif options.limit is not None:
        policies.append(Policy.ResourceLimits(options.limit, UNLIMITED, UNLIMITED))
    return Qos(*policies)


def ms_of(nanoseconds):
    return None if nanoseconds >= INFINITE else nanoseconds // 1000000


def writer_line(endpoint):
    """What discovery says of a writer. A policy it says nothing of has the default of the DDS specification."""
    qos = endpoint.qos
    durabilities = {
        Policy.Durability.TransientLocal: "transient_local",
        Policy.Durability.Transient: "transient",
        Policy.Durability.Persistent: "persistent",
    }
    liveliness = qos[Policy.Liveliness] or Policy.Liveliness.Automatic(INFINITE)
    words = {
        Policy.Liveliness.Automatic: "automatic",
        Policy.Liveliness.ManualByParticipant: "manual_by_participant",
        Policy.Liveliness.ManualByTopic: "manual_by_topic",
    }
    deadline, lifespan, user_data = qos[Policy.Deadline], qos[Policy.Lifespan], qos[Policy.Userdata]
    return {
        "type": endpoint.type_name,
        "reliability": "reliable" if isinstance(qos[Policy.Reliability], Policy.Reliability.Reliable) else "best_effort",
        "durability": durabilities.get(qos[Policy.Durability], "volatile"),
        "deadline_ms": ms_of(deadline.deadline) if deadline else None,
        "lifespan_ms": ms_of(lifespan.lifespan) if lifespan else None,
        "liveliness": words[type(liveliness)],
        "lease_ms": ms_of(liveliness.lease_duration),
        "user_data": user_data.data.decode("latin-1") if user_data else "",
    }
