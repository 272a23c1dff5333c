/*
 * What became of every sample of a run, as far as this end knows: one entry for each camera and tick, allocated
 * before the first tick. Entries are written by one thread each and read by the main thread at any time.
 */
#ifndef TOKKYU_PEER_LEDGER_H
#define TOKKYU_PEER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ledger;

/* NULL without memory. It lives as long as the program. */
struct ledger *ledger_new(unsigned images, unsigned samples);

/* The sender's side: the transport has been given the sample, or in the end was not. Cameras count from 1. */
void ledger_given(struct ledger *ledger, unsigned camera, unsigned sequence);
void ledger_not_given(struct ledger *ledger, unsigned camera, unsigned sequence);
bool ledger_was_given(const struct ledger *ledger, unsigned camera, unsigned sequence);

/* The receiver's side: false if there is no such sample, or if it is there already. */
bool ledger_arrived(struct ledger *ledger, unsigned camera, unsigned sequence, uint64_t at_ns);
/* 0 if it has not arrived. */
uint64_t ledger_arrival_ns(const struct ledger *ledger, unsigned camera, unsigned sequence);
bool ledger_is_complete(const struct ledger *ledger);

#ifdef __cplusplus
}
#endif
#endif
