/* The configuration that Cyclone DDS would else read from CYCLONEDDS_URI. */
#ifndef TOKKYU_PEER_CYCLONEDDS_CONFIGURATION_H
#define TOKKYU_PEER_CYCLONEDDS_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/*
 * Writes the domain's configuration as XML, and tells the summary what of it is `tuned`. False if it does not
 * fit.
 */
bool configuration_write(const struct options *options, char *xml, size_t size);

#endif
