/* A camera of the sender: a thread that offers one sample at each tick (PEER-10). */
#ifndef TOKKYU_PEER_CAMERA_H
#define TOKKYU_PEER_CAMERA_H

#include <stdbool.h>

#include "ledger.h"
#include "peer.h"

/* False after an error, which a note tells. The thread ends with the process. */
bool camera_start(const struct peer *peer, const struct options *options, struct ledger *ledger, unsigned camera);

#endif
