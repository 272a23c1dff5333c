/* Connections of all cameras; see connections.h. */
#include "connections.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"
#include "ticks.h"

#define BASE_PORT 7450
#define RETRY_NS (50 * NS_PER_MS)

struct listener {
    unsigned camera;
    int socket;
};

static const struct carrier *carrier;
static const struct options *options;
/* By camera. Written by the camera's thread, read by the main thread. */
static atomic_int connections[MOST_IMAGES + 1];

unsigned port_of(unsigned camera)
{
    return BASE_PORT + camera;
}

struct sockaddr_in endpoint(const char *address, unsigned port)
{
    struct sockaddr_in result = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, address, &result.sin_addr);
    return result;
}

int connection_of(unsigned camera)
{
    return atomic_load(&connections[camera]);
}

void connections_connect(unsigned camera)
{
    int connection;
    while ((connection = carrier->connect(camera)) == NO_CONNECTION)
        sleep_until_ns(now_ns() + RETRY_NS);
    atomic_store(&connections[camera], connection);
}

bool connections_met(void)
{
    for (unsigned camera = 1; camera <= options->images; camera++)
        if (connection_of(camera) == NO_CONNECTION)
            return false;
    return true;
}

static void *listen_for_camera(void *argument)
{
    const struct listener *listener = argument;
    unsigned char *sample = malloc(options->size);
    const int connection = carrier->accept(listener->socket);
    if (sample == NULL)
        summary_note("no memory for a sample: lower --images or --size");
    if (sample != NULL && connection != NO_CONNECTION) {
        atomic_store(&connections[listener->camera], connection);
        carrier->receive(listener->camera, connection, sample);
    }
    free(sample);
    return NULL;
}

static bool start_listener(unsigned camera)
{
    static struct listener listeners[MOST_IMAGES + 1];
    listeners[camera] = (struct listener){camera, carrier->listen(camera)};
    if (listeners[camera].socket == NO_CONNECTION)
        return false;
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, listen_for_camera, &listeners[camera]);
    if (error != 0)
        summary_note("no thread for a connection: %s", strerror(error));
    return error == 0;
}

bool connections_open(const struct carrier *given, const struct options *with)
{
    carrier = given;
    options = with;
    for (unsigned camera = 1; camera <= options->images; camera++)
        atomic_store(&connections[camera], NO_CONNECTION);
    for (unsigned camera = 1; options->role == ROLE_RECEIVE && camera <= options->images; camera++)
        if (!start_listener(camera))
            return false;
    return true;
}
