/* The records file of a run, in the format of measure/SPEC.md, MEA-10 to MEA-12 (PEER-21). */
#ifndef TOKKYU_PEER_RECORDS_H
#define TOKKYU_PEER_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ledger.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes a file that is not there yet; pipes and devices may be there (MEA-16). NULL after an error, which is
 * said on standard error with the flag that gave the name.
 */
FILE *new_file(const char *flag, const char *name);

/*
 * Writes one line for each tick up to `until_ns` (a sender) or each sample that arrived (a receiver), and
 * closes the file. False after an error, which is said on standard error.
 */
bool records_write(FILE *file, const struct options *options, const struct ledger *ledger, uint64_t until_ns);

/* Closes a file of `new_file` and says on standard error what of it could not be written. */
bool close_file(FILE *file, const char *flag, const char *name);

#ifdef __cplusplus
}
#endif
#endif
