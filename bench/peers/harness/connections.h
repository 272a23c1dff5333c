/*
 * One connection for each camera, for transports that have connections: the sender calls until somebody
 * answers, the receiver has a thread for each camera that listens, accepts once and receives.
 *
 * Sockets and connections are numbers of the transport's; NO_CONNECTION is none of them.
 */
#ifndef TOKKYU_PEER_CONNECTIONS_H
#define TOKKYU_PEER_CONNECTIONS_H

#include <netinet/in.h>
#include <stdbool.h>

#include "options.h"

#define NO_CONNECTION (-1)

struct carrier {
    /* One attempt at the camera's port of the other end; NO_CONNECTION if nobody is there yet. */
    int (*connect)(unsigned camera);

    /* A listening socket on the camera's port; NO_CONNECTION after an error, which a note tells. */
    int (*listen)(unsigned camera);

    /* Waits for the other end; NO_CONNECTION after an error, which a note tells. */
    int (*accept)(int socket);

    /* Receives samples until the connection ends; `sample` has room for one. */
    void (*receive)(unsigned camera, int connection, unsigned char *sample);
};

/* The port of a camera's connection, below the range that the kernel gives out by itself. */
unsigned port_of(unsigned camera);
struct sockaddr_in endpoint(const char *address, unsigned port);

/* Starts the listeners at a receiver. False after an error, which a note tells. Both arguments stay. */
bool connections_open(const struct carrier *carrier, const struct options *options);

/* The camera's connection, or NO_CONNECTION. */
int connection_of(unsigned camera);

/* `connect` and `met` of a peer (peer.h). */
void connections_connect(unsigned camera);
bool connections_met(void);

#endif
