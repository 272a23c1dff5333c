#include "quality.hpp"
#include <algorithm>
#include <cstring>

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::Duration_t;

static Duration_t duration(int64_t ms) {
    if (ms == 0) return eprosima::fastrtps::c_TimeInfinite;
    return Duration_t(static_cast<int32_t>(ms / 1000), static_cast<uint32_t>(ms % 1000 * 1000000));
}

// What writers and readers have alike.
template <typename Qos> static Qos shared_quality(const options &o) {
    Qos qos;
    qos.history().kind = o.keep_all ? KEEP_ALL_HISTORY_QOS : KEEP_LAST_HISTORY_QOS;
    qos.history().depth = o.depth;
    // A history is never longer than these allow, whatever depth says.
    qos.resource_limits().max_samples = std::max(qos.resource_limits().max_samples, o.depth);
    qos.resource_limits().max_samples_per_instance = qos.resource_limits().max_samples;
    qos.reliability().kind = o.reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
    qos.durability().kind = o.transient_local ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
    qos.deadline().period = duration(o.deadline_ms);
    qos.liveliness().kind = o.manual_liveliness ? MANUAL_BY_TOPIC_LIVELINESS_QOS : AUTOMATIC_LIVELINESS_QOS;
    qos.liveliness().lease_duration = duration(o.lease_ms);
    if (o.lease_ms != 0) qos.liveliness().announcement_period = duration(std::max<int64_t>(1, o.lease_ms * 2 / 3));
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    qos.data_sharing().off();
    return qos;
}

DataWriterQos writer_quality(const options &o) {
    auto qos = shared_quality<DataWriterQos>(o);
    qos.reliability().max_blocking_time = duration(100);
    qos.lifespan().duration = duration(o.lifespan_ms);
    qos.publish_mode().kind = SYNCHRONOUS_PUBLISH_MODE;
    if (o.user_data != nullptr) qos.user_data().assign(o.user_data, o.user_data + strlen(o.user_data));
    return qos;
}

DataReaderQos reader_quality(const options &o) {
    auto qos = shared_quality<DataReaderQos>(o);
    if (o.limit == 0) return qos;
    auto &limits = qos.resource_limits();
    limits.max_samples = limits.max_samples_per_instance = o.limit;
    limits.allocated_samples = std::min(limits.allocated_samples, o.limit);
    return qos;
}

const char *policy_name(QosPolicyId_t policy) {
    switch (policy) {
    case DURABILITY_QOS_POLICY_ID: return "DURABILITY";
    case DEADLINE_QOS_POLICY_ID: return "DEADLINE";
    case LIVELINESS_QOS_POLICY_ID: return "LIVELINESS";
    case RELIABILITY_QOS_POLICY_ID: return "RELIABILITY";
    case DATAREPRESENTATION_QOS_POLICY_ID: return "DATA_REPRESENTATION";
    case TYPECONSISTENCYENFORCEMENT_QOS_POLICY_ID: return "TYPE_CONSISTENCY_ENFORCEMENT";
    case PARTITION_QOS_POLICY_ID: return "PARTITION";
    default: return "OTHER";
    }
}

const char *reliability_name(ReliabilityQosPolicyKind kind) {
    return kind == RELIABLE_RELIABILITY_QOS ? "reliable" : "best_effort";
}

const char *durability_name(DurabilityQosPolicyKind kind) {
    switch (kind) {
    case VOLATILE_DURABILITY_QOS: return "volatile";
    case TRANSIENT_LOCAL_DURABILITY_QOS: return "transient_local";
    case TRANSIENT_DURABILITY_QOS: return "transient";
    default: return "persistent";
    }
}

const char *liveliness_name(LivelinessQosPolicyKind kind) {
    switch (kind) {
    case AUTOMATIC_LIVELINESS_QOS: return "automatic";
    case MANUAL_BY_PARTICIPANT_LIVELINESS_QOS: return "manual_by_participant";
    default: return "manual_by_topic";
    }
}

int64_t ms_of(const Duration_t &duration) {
    if (duration == eprosima::fastrtps::c_TimeInfinite) return 0;
    return int64_t{duration.seconds} * 1000 + duration.nanosec / 1000000;
}
