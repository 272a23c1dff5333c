// Quality of service, from the command line, as rmw_cyclonedds sets it from a ROS 2 profile.
#pragma once
#include "../face/options.h"
#include <dds/dds.h>

dds_qos_t *quality_of(const struct options *options);

// The name ROS 2 and the DDS specification call a policy by.
const char *policy_name(uint32_t policy);

const char *reliability_of(const dds_qos_t *qos);
const char *durability_of(const dds_qos_t *qos);
const char *liveliness_of(const dds_qos_t *qos, dds_duration_t *lease);
