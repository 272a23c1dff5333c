// Cyclone DDS on one network interface alone.
#pragma once
#include <dds/dds.h>

// Says what failed and ends the program with exit code 1, if a call did.
dds_entity_t need(const char *call, dds_return_t returned);

dds_entity_t participant_on(int domain, const char *interface);
