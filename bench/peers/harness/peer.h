/*
 * What a peer is to the harness: a few calls into its library. All that peers have in common, from the
 * command line to the files at the end, is `peer_main`.
 */
#ifndef TOKKYU_PEER_PEER_H
#define TOKKYU_PEER_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"
#include "summary.h"
#include "ticks.h"

#ifdef __cplusplus
extern "C" {
#endif

enum offer {
    OFFER_GIVEN,   /* the transport has the sample */
    OFFER_SKIPPED, /* it never got it, and will not (PEER-2) */
    OFFER_FAILED,  /* the library refused it; a note says why */
};

struct peer {
    const char *name;
    const struct mode *modes;
    const char *(*version)(void);

    /*
     * Makes sockets or participants of this end and, at a receiver, starts whatever calls `sample_arrived`.
     * Must not wait for the other end. False after an error that a note tells. `options` outlives the peer.
     */
    bool (*open)(const struct options *options);

    /*
     * A sender's camera thread waits here until its connection is there. May be NULL: discovery needs no
     * thread.
     */
    void (*connect)(unsigned camera);

    /* Whether this end is connected to the other for every camera, now. */
    bool (*met)(void);

    /* Gives one sample to the transport, in the camera's own thread; may block as the transport does. */
    enum offer (*offer)(unsigned camera, const unsigned char *sample, size_t size);
};

/*
 * The whole program. Returns only for usage errors and ends the process otherwise, whatever the library still
 * does.
 */
int peer_main(const struct peer *peer, int argc, char **argv);

/*
 * A receiver's threads call this with each sample. `at_ns` is `now_ns()`, read as soon as all of it was in
 * the application's hands (PEER-13). `camera` is what the connection or topic says. What is wrong with the
 * sample becomes a note.
 */
void sample_arrived(unsigned camera, const unsigned char *bytes, size_t size, uint64_t at_ns);

#ifdef __cplusplus
}
#endif
#endif
