#pragma once
#include "../face/options.h"
#include <dds/dds.h>

// Publishes as asked; the program's exit code.
int publish(dds_entity_t participant, dds_entity_t topic, const struct options *options);
