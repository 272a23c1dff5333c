#define _GNU_SOURCE
#include "domain.h"
#include <stdio.h>
#include <stdlib.h>

dds_entity_t need(const char *call, dds_return_t returned) {
    if (returned >= 0) return returned;
    fprintf(stderr, "%s: %s\n", call, dds_strretcode(returned));
    exit(1);
}

dds_entity_t participant_on(int domain, const char *interface) {
    char config[512];
    // The kernel says of `lo` that it has no multicast, though it has: it must be told, or no peer finds another.
    int written = snprintf(config, sizeof config,
                           "<Domain Id=\"any\"><General><Interfaces>"
                           "<NetworkInterface name=\"%s\" multicast=\"true\"/>"
                           "</Interfaces></General></Domain>",
                           interface);
    if (written < 0 || (size_t)written >= sizeof config) need("--interface", DDS_RETCODE_BAD_PARAMETER);
    need("dds_create_domain", dds_create_domain((dds_domainid_t)domain, config));
    return need("dds_create_participant", dds_create_participant((dds_domainid_t)domain, NULL, NULL));
}
