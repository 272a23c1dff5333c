#include "quality.h"
#include <string.h>

static dds_duration_t duration(int64_t ms) { return ms == 0 ? DDS_INFINITY : DDS_MSECS(ms); }

static void set_kept(dds_qos_t *qos, const struct options *o) {
    dds_history_kind_t kind = o->keep_all ? DDS_HISTORY_KEEP_ALL : DDS_HISTORY_KEEP_LAST;
    dds_qset_history(qos, kind, o->keep_all ? DDS_LENGTH_UNLIMITED : o->depth);
    dds_qset_durability(qos, o->transient_local ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
    // What a late joiner gets, Cyclone DDS takes from the durability service and not from the history.
    if (o->transient_local)
        dds_qset_durability_service(qos, 0, kind, o->keep_all ? DDS_LENGTH_UNLIMITED : o->depth, DDS_LENGTH_UNLIMITED,
                                    DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
}

dds_qos_t *quality_of(const struct options *o) {
    dds_qos_t *qos = dds_create_qos();
    set_kept(qos, o);
    dds_qset_reliability(qos, o->reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, DDS_MSECS(100));
    dds_qset_deadline(qos, duration(o->deadline_ms));
    dds_qset_liveliness(qos, o->manual_liveliness ? DDS_LIVELINESS_MANUAL_BY_TOPIC : DDS_LIVELINESS_AUTOMATIC,
                        duration(o->lease_ms));
    dds_data_representation_id_t plain = DDS_DATA_REPRESENTATION_XCDR1;
    dds_qset_data_representation(qos, 1, &plain);
    if (o->limit != 0) dds_qset_resource_limits(qos, o->limit, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
    if (!o->publish) return qos;
    dds_qset_lifespan(qos, duration(o->lifespan_ms));
    // A publisher that ends disposes of nothing: a topic without key has nothing to dispose of.
    dds_qset_writer_data_lifecycle(qos, false);
    if (o->user_data != NULL) dds_qset_userdata(qos, o->user_data, strlen(o->user_data));
    return qos;
}

const char *policy_name(uint32_t policy) {
    switch (policy) {
    case DDS_DURABILITY_QOS_POLICY_ID: return "DURABILITY";
    case DDS_DEADLINE_QOS_POLICY_ID: return "DEADLINE";
    case DDS_LIVELINESS_QOS_POLICY_ID: return "LIVELINESS";
    case DDS_RELIABILITY_QOS_POLICY_ID: return "RELIABILITY";
    case DDS_DATA_REPRESENTATION_QOS_POLICY_ID: return "DATA_REPRESENTATION";
    case DDS_TYPE_CONSISTENCY_ENFORCEMENT_QOS_POLICY_ID: return "TYPE_CONSISTENCY_ENFORCEMENT";
    case DDS_PARTITION_QOS_POLICY_ID: return "PARTITION";
    default: return "OTHER";
    }
}

const char *reliability_of(const dds_qos_t *qos) {
    dds_reliability_kind_t kind = DDS_RELIABILITY_BEST_EFFORT;
    dds_qget_reliability(qos, &kind, NULL);
    return kind == DDS_RELIABILITY_RELIABLE ? "reliable" : "best_effort";
}

const char *durability_of(const dds_qos_t *qos) {
    dds_durability_kind_t kind = DDS_DURABILITY_VOLATILE;
    dds_qget_durability(qos, &kind);
    switch (kind) {
    case DDS_DURABILITY_VOLATILE: return "volatile";
    case DDS_DURABILITY_TRANSIENT_LOCAL: return "transient_local";
    case DDS_DURABILITY_TRANSIENT: return "transient";
    default: return "persistent";
    }
}

const char *liveliness_of(const dds_qos_t *qos, dds_duration_t *lease) {
    dds_liveliness_kind_t kind = DDS_LIVELINESS_AUTOMATIC;
    *lease = DDS_INFINITY;
    dds_qget_liveliness(qos, &kind, lease);
    switch (kind) {
    case DDS_LIVELINESS_AUTOMATIC: return "automatic";
    case DDS_LIVELINESS_MANUAL_BY_PARTICIPANT: return "manual_by_participant";
    default: return "manual_by_topic";
    }
}
