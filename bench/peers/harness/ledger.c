/* The table behind ledger.h: 8 bytes an entry, the arrival at a receiver and a mark at a sender. */
#include "ledger.h"

#include <stdatomic.h>
#include <stdlib.h>

#define GIVEN 1

struct ledger {
    unsigned images;
    unsigned samples;
    atomic_uint arrived;
    _Atomic uint64_t entries[];
};

struct ledger *ledger_new(unsigned images, unsigned samples)
{
    struct ledger *ledger = calloc(1, sizeof *ledger + (size_t)images * samples * sizeof ledger->entries[0]);
    if (ledger != NULL) {
        ledger->images = images;
        ledger->samples = samples;
    }
    return ledger;
}

static size_t place(const struct ledger *ledger, unsigned camera, unsigned sequence)
{
    return (size_t)(camera - 1) * ledger->samples + sequence;
}

void ledger_given(struct ledger *ledger, unsigned camera, unsigned sequence)
{
    atomic_store(&ledger->entries[place(ledger, camera, sequence)], GIVEN);
}

void ledger_not_given(struct ledger *ledger, unsigned camera, unsigned sequence)
{
    atomic_store(&ledger->entries[place(ledger, camera, sequence)], 0);
}

bool ledger_was_given(const struct ledger *ledger, unsigned camera, unsigned sequence)
{
    return atomic_load(&ledger->entries[place(ledger, camera, sequence)]) == GIVEN;
}

bool ledger_arrived(struct ledger *ledger, unsigned camera, unsigned sequence, uint64_t at_ns)
{
    if (camera < 1 || camera > ledger->images || sequence >= ledger->samples)
        return false;
    uint64_t nothing = 0;
    if (!atomic_compare_exchange_strong(&ledger->entries[place(ledger, camera, sequence)], &nothing, at_ns))
        return false;
    atomic_fetch_add(&ledger->arrived, 1);
    return true;
}

uint64_t ledger_arrival_ns(const struct ledger *ledger, unsigned camera, unsigned sequence)
{
    return atomic_load(&ledger->entries[place(ledger, camera, sequence)]);
}

bool ledger_is_complete(const struct ledger *ledger)
{
    return atomic_load(&ledger->arrived) == ledger->images * ledger->samples;
}
