/* What a run tells beside its records: library, settings, what was granted, what went wrong (PEER-22). */
#ifndef TOKKYU_PEER_SUMMARY_H
#define TOKKYU_PEER_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "scheduling.h"

#ifdef __cplusplus
extern "C" {
#endif

struct summary {
    const char *peer;
    const char *version;
    struct scheduling scheduling;
    bool met;
};

/* Adds words to the line of settings. */
void summary_setting(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Adds a note, from any thread. The same text again is counted, and so are texts past the room for them: a
 * library that fails at every call neither fills the memory nor hides how often.
 */
void summary_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Repeats the notes on standard error: for a run that could not be made. */
void summary_say_notes(const char *peer);

void summary_write(FILE *file, const struct summary *summary);

#ifdef __cplusplus
}
#endif
#endif
