/* The options of an SRT socket: mode, and what `tuned` adds (PEER-3). */
#ifndef TOKKYU_PEER_SRT_SETTINGS_H
#define TOKKYU_PEER_SRT_SETTINGS_H

#include <stdbool.h>

#include <srt/srt.h>

#include "options.h"

bool is_live(const struct options *options);

/* Whether a sample is sent in pieces (pieces.h): live rate control takes no longer messages. */
bool is_cut(const struct options *options);

/* Sets them before the socket is bound. False after an error, which a note tells. */
bool settings_apply(SRTSOCKET socket, const struct options *options);

/* Adds to the summary what is set. */
void settings_tell(const struct options *options);

#endif
