// The reader: Cyclone DDS's threads tell of events and ring, the main thread takes samples, however slow.
#include "subscribe.h"
#include "../face/bell.h"
#include "../face/events.h"
#include "../face/rounds.h"
#include "domain.h"
#include "quality.h"
#include "types.h"
#include <stdio.h>

static int64_t ms_of(dds_duration_t duration) { return duration == DDS_INFINITY ? 0 : duration / 1000000; }

static void tell_of_writer(const dds_builtintopic_endpoint_t *endpoint) {
    dds_duration_t deadline = DDS_INFINITY, lifespan = DDS_INFINITY, lease;
    void *user_data = NULL;
    size_t user_data_bytes = 0;
    dds_qget_deadline(endpoint->qos, &deadline);
    dds_qget_lifespan(endpoint->qos, &lifespan);
    dds_qget_userdata(endpoint->qos, &user_data, &user_data_bytes);
    const char *liveliness = liveliness_of(endpoint->qos, &lease);
    say_writer(&(struct writer_seen){
        .type = endpoint->type_name,
        .reliability = reliability_of(endpoint->qos),
        .durability = durability_of(endpoint->qos),
        .liveliness = liveliness,
        .deadline_ms = ms_of(deadline),
        .lifespan_ms = ms_of(lifespan),
        .lease_ms = ms_of(lease),
        .user_data = user_data,
        .user_data_bytes = user_data_bytes,
    });
    dds_free(user_data);
}

static void on_matched(dds_entity_t reader, const dds_subscription_matched_status_t status, void *unused) {
    (void)unused;
    say_matched((int)status.current_count);
    if (status.current_count_change <= 0) return;
    dds_builtintopic_endpoint_t *endpoint = dds_get_matched_publication_data(reader, status.last_publication_handle);
    if (endpoint == NULL) return; // gone again already
    tell_of_writer(endpoint);
    dds_builtintopic_free_endpoint(endpoint);
}

static void on_incompatible(dds_entity_t reader, const dds_requested_incompatible_qos_status_t status, void *unused) {
    (void)reader, (void)unused;
    say_incompatible(policy_name(status.last_policy_id));
}

static void on_deadline(dds_entity_t reader, const dds_requested_deadline_missed_status_t status, void *unused) {
    (void)reader, (void)unused;
    say_deadline_missed(status.total_count);
}

static void on_liveliness(dds_entity_t reader, const dds_liveliness_changed_status_t status, void *unused) {
    (void)reader, (void)unused;
    say_liveliness((int)status.alive_count, (int)status.not_alive_count);
}

static void on_data(dds_entity_t reader, void *unused) {
    (void)reader, (void)unused;
    bell_ring_data();
}

// One sample at a time: what a slow subscriber has not taken yet stays in the reader's history, under its policies.
static enum taken take_one(void *reader, const struct options *options) {
    for (;;) {
        void *sample = NULL;
        dds_sample_info_t info;
        dds_return_t taken = dds_take(*(dds_entity_t *)reader, &sample, &info, 1, 1);
        if (taken == 0) return NOTHING_THERE;
        if (taken < 0) {
            fprintf(stderr, "dds_take: %s\n", dds_strretcode(taken));
            return NOT_TAKEN;
        }
        if (info.valid_data) {
            struct message message = message_of(options->type, sample);
            tell_of_sample(options, &message, info.source_timestamp);
        }
        dds_return_loan(*(dds_entity_t *)reader, &sample, taken);
        if (info.valid_data) return TAKEN;
    }
}

static dds_entity_t reader_of(dds_entity_t participant, dds_entity_t topic, const struct options *options) {
    dds_listener_t *listener = dds_create_listener(NULL);
    dds_lset_subscription_matched(listener, on_matched);
    dds_lset_requested_incompatible_qos(listener, on_incompatible);
    dds_lset_requested_deadline_missed(listener, on_deadline);
    dds_lset_liveliness_changed(listener, on_liveliness);
    dds_lset_data_available(listener, on_data);
    dds_qos_t *qos = quality_of(options);
    dds_entity_t reader = need("dds_create_reader", dds_create_reader(participant, topic, qos, listener));
    dds_delete_qos(qos);
    dds_delete_listener(listener);
    return reader;
}

int subscribe(dds_entity_t participant, dds_entity_t topic, const struct options *options) {
    int64_t received = 0;
    dds_entity_t reader = reader_of(participant, topic, options);
    say_ready();
    bool good = subscribe_rounds(options, take_one, &reader, &received);
    say_end(false, received);
    return good ? 0 : 1;
}
