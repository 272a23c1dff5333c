#pragma once
#include "../face/options.h"
#include <dds/dds.h>

// Subscribes as asked; the program's exit code.
int subscribe(dds_entity_t participant, dds_entity_t topic, const struct options *options);
