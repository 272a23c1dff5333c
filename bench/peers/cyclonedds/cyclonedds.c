/*
 * tokkyu-peer-cyclonedds: Cyclone DDS, one topic for each camera or one for commands, one participant at each end.
 *
 * Topics and type are named as ROS 2 names its own, so that what carries ROS 2's topics carries these; between the
 * two programs a name is a name.
 *
 * A receiver takes each sample in the library's own delivery thread, by a listener, as soon as it is whole:
 * no thread has to be woken in between, and with a history of one nothing is overwritten before it is read.
 */
#include <dds/dds.h>
#include <dds/version.h>

#include "configuration.h"
#include "peer.h"
#include "picture.h"

/*
 * Ports from 7400 + 250 * 77: below the range that the kernel gives out by itself, and apart from a robot's
 * domain 0.
 */
#define DOMAIN_ID 77
#define COMMAND "drive/command"
/* The default of the DDS specification for a writer that is held. */
#define MAX_BLOCKING DDS_MSECS(100)

static const struct options *options;
/* By camera: its writer or its reader. */
static dds_entity_t endpoints[MOST_IMAGES + 1];

static bool failed(const char *what, dds_return_t code)
{
    if (code < 0)
        summary_note("%s: %s", what, dds_strretcode(-code));
    return code < 0;
}

static dds_qos_t *qos_of(enum qos condition)
{
    const bool reliable = condition != QOS_BEST_EFFORT_LAST_1;
    const bool all = condition == QOS_RELIABLE_ALL;
    dds_qos_t *qos = dds_create_qos();
    dds_qset_reliability(qos, reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, MAX_BLOCKING);
    dds_qset_history(qos, all ? DDS_HISTORY_KEEP_ALL : DDS_HISTORY_KEEP_LAST,
                     condition == QOS_RELIABLE_LAST_10 ? 10 : 1);
    return qos;
}

static void take_samples(dds_entity_t reader, void *camera)
{
    for (;;) {
        void *loan[1] = {NULL};
        dds_sample_info_t info;
        const dds_return_t taken = dds_take(reader, loan, &info, 1, 1);
        const uint64_t at_ns = now_ns();
        if (failed("dds_take", taken) || taken == 0)
            return;
        const tokkyu_msgs_msg_dds__Picture_ *picture = loan[0];
        if (info.valid_data)
            sample_arrived((unsigned)(uintptr_t)camera, picture->bytes._buffer, picture->bytes._length, at_ns);
        dds_return_loan(reader, loan, taken);
    }
}

static dds_entity_t make_endpoint(dds_entity_t participant, dds_entity_t topic, const dds_qos_t *qos, unsigned camera)
{
    if (options->role == ROLE_SEND)
        return dds_create_writer(participant, topic, qos, NULL);
    dds_listener_t *listener = dds_create_listener((void *)(uintptr_t)camera);
    dds_lset_data_available(listener, take_samples);
    const dds_entity_t reader = dds_create_reader(participant, topic, qos, listener);
    dds_delete_listener(listener);
    return reader;
}

/* ROS 2's topics are DDS topics with rt/ before the name; no part of a name begins with a digit. */
static void name_topic(char *name, size_t size, unsigned camera)
{
    if (options->mode->stream != NULL)
        snprintf(name, size, "rt/%s", options->mode->stream);
    else
        snprintf(name, size, "rt/camera/image%u", camera);
}

static bool open_camera(dds_entity_t participant, const dds_qos_t *qos, unsigned camera)
{
    char name[32];
    name_topic(name, sizeof name, camera);
    const dds_entity_t topic = dds_create_topic(participant, &tokkyu_msgs_msg_dds__Picture__desc, name, qos, NULL);
    if (failed("dds_create_topic", topic))
        return false;
    endpoints[camera] = make_endpoint(participant, topic, qos, camera);
    return !failed("dds_create_writer or dds_create_reader", endpoints[camera]);
}

static dds_entity_t make_participant(void)
{
    char xml[4096];
    if (!configuration_write(options, xml, sizeof xml)) {
        summary_note("the configuration is longer than its buffer");
        return DDS_RETCODE_OUT_OF_RESOURCES;
    }
    const dds_entity_t domain = dds_create_domain(DOMAIN_ID, xml);
    if (failed("dds_create_domain (is --own an address of this machine?)", domain))
        return domain;
    const dds_entity_t participant = dds_create_participant(DOMAIN_ID, NULL, NULL);
    failed("dds_create_participant", participant);
    return participant;
}

static bool open_dds(const struct options *given)
{
    options = given;
    const dds_entity_t participant = make_participant();
    if (participant < 0)
        return false;
    dds_qos_t *qos = qos_of(options->qos);
    bool made = true;
    for (unsigned camera = 1; made && camera <= options->images; camera++)
        made = open_camera(participant, qos, camera);
    dds_delete_qos(qos);
    return made;
}

static bool is_matched(dds_entity_t endpoint)
{
    if (options->role == ROLE_SEND) {
        dds_publication_matched_status_t status;
        return dds_get_publication_matched_status(endpoint, &status) == 0 && status.current_count > 0;
    }
    dds_subscription_matched_status_t status;
    return dds_get_subscription_matched_status(endpoint, &status) == 0 && status.current_count > 0;
}

static bool met(void)
{
    for (unsigned camera = 1; camera <= options->images; camera++)
        if (!is_matched(endpoints[camera]))
            return false;
    return true;
}

/*
 * A full history holds the writer for MAX_BLOCKING and then refuses; nothing is skipped (PEER-10), so it is
 * held again.
 */
static enum offer offer(unsigned camera, const unsigned char *sample, size_t size)
{
    tokkyu_msgs_msg_dds__Picture_ picture = {{(uint32_t)size, (uint32_t)size, (uint8_t *)sample, false}};
    dds_return_t written;
    while ((written = dds_write(endpoints[camera], &picture)) == DDS_RETCODE_TIMEOUT)
        summary_note("dds_write: blocked for 100 ms");
    return failed("dds_write", written) ? OFFER_FAILED : OFFER_GIVEN;
}

static const char *version(void)
{
    return DDS_VERSION;
}

int main(int argc, char **argv)
{
    static const unsigned conditions = QOS_BIT(QOS_RELIABLE_LAST_10) | QOS_BIT(QOS_RELIABLE_LAST_1)
                                     | QOS_BIT(QOS_RELIABLE_ALL) | QOS_BIT(QOS_BEST_EFFORT_LAST_1);
    static const struct mode modes[] = {
        {"dds", conditions, NULL}, {"command", conditions, COMMAND}, {NULL, 0, NULL}};
    static const struct peer peer = {"cyclonedds", modes, version, open_dds, NULL, met, offer};
    return peer_main(&peer, argc, argv);
}
