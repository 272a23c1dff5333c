/*
 * A camera: waits for each tick with an absolute time and offers the sample. If the transport holds the
 * thread past the next tick, that sample is offered as soon as the thread is free, with the capture time of
 * its tick: being blocked is part of the latency (PEER-10, PEER-11).
 */
#include "camera.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

struct camera {
    const struct peer *peer;
    const struct options *options;
    struct ledger *ledger;
    unsigned number;
    unsigned char *sample;
};

static void offer(const struct camera *camera, unsigned sequence)
{
    const struct sample_head head = {tick_ns(camera->options, sequence), camera->number, sequence};
    sample_stamp(camera->sample, head);
    /* Marked first: a thread that the library holds until the end has given it the sample. */
    ledger_given(camera->ledger, camera->number, sequence);
    if (camera->peer->offer(camera->number, camera->sample, camera->options->size) != OFFER_GIVEN)
        ledger_not_given(camera->ledger, camera->number, sequence);
}

static void *run(void *argument)
{
    const struct camera *camera = argument;
    if (camera->peer->connect != NULL)
        camera->peer->connect(camera->number);
    struct alarm alarm = alarm_new();
    for (unsigned sequence = 0; sequence < camera->options->samples; sequence++) {
        alarm_wait(&alarm, tick_ns(camera->options, sequence));
        offer(camera, sequence);
    }
    return NULL;
}

bool camera_start(const struct peer *peer, const struct options *options, struct ledger *ledger, unsigned number)
{
    struct camera *camera = malloc(sizeof *camera);
    unsigned char *sample = malloc(options->size);
    if (camera == NULL || sample == NULL) {
        summary_note("no memory for a camera: lower --images or --size");
        free(sample);
        free(camera);
        return false;
    }
    *camera = (struct camera){peer, options, ledger, number, sample};
    sample_fill(sample, options->size);
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, run, camera);
    if (error != 0) {
        summary_note("no thread for a camera: %s", strerror(error));
        free(sample);
        free(camera);
    }
    return error == 0;
}
