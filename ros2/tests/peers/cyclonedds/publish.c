// The writer: its events come from Cyclone DDS's threads, its samples are written by the main thread.
#include "publish.h"
#include "../face/bell.h"
#include "../face/events.h"
#include "../face/rounds.h"
#include "domain.h"
#include "quality.h"
#include "types.h"
#include <stdio.h>

static void on_matched(dds_entity_t writer, const dds_publication_matched_status_t status, void *unused) {
    (void)writer, (void)unused;
    say_matched((int)status.current_count);
    bell_ring_readers((int)status.current_count);
}

static void on_incompatible(dds_entity_t writer, const dds_offered_incompatible_qos_status_t status, void *unused) {
    (void)writer, (void)unused;
    say_incompatible(policy_name(status.last_policy_id));
}

static void on_deadline(dds_entity_t writer, const dds_offered_deadline_missed_status_t status, void *unused) {
    (void)writer, (void)unused;
    say_deadline_missed(status.total_count);
}

static enum written write_one(void *writer, const struct message *message) {
    union sample sample = sample_of(message);
    dds_return_t returned = dds_write(*(dds_entity_t *)writer, &sample);
    if (returned == DDS_RETCODE_OK) return WRITTEN;
    if (returned == DDS_RETCODE_TIMEOUT) return WOULD_BLOCK;
    fprintf(stderr, "dds_write: %s\n", dds_strretcode(returned));
    return NOT_WRITTEN;
}

static bool acknowledged(void *writer, int patience_ms) {
    return dds_wait_for_acks(*(dds_entity_t *)writer, DDS_MSECS(patience_ms)) == DDS_RETCODE_OK;
}

static dds_entity_t writer_of(dds_entity_t participant, dds_entity_t topic, const struct options *options) {
    dds_listener_t *listener = dds_create_listener(NULL);
    dds_lset_publication_matched(listener, on_matched);
    dds_lset_offered_incompatible_qos(listener, on_incompatible);
    dds_lset_offered_deadline_missed(listener, on_deadline);
    dds_qos_t *qos = quality_of(options);
    dds_entity_t writer = need("dds_create_writer", dds_create_writer(participant, topic, qos, listener));
    dds_delete_qos(qos);
    dds_delete_listener(listener);
    return writer;
}

int publish(dds_entity_t participant, dds_entity_t topic, const struct options *options) {
    int64_t sent = 0;
    dds_entity_t writer = writer_of(participant, topic, options);
    say_ready();
    bool good = publish_rounds(options, write_one, acknowledged, &writer, &sent);
    say_end(true, sent);
    return good ? 0 : 1;
}
