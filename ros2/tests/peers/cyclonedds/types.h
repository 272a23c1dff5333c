// Between the peer's message and the structs that idlc made from idl/ros2.idl.
#pragma once
#include "../face/content.h"
#include <dds/dds.h>
#include "ros2.h"

union sample {
    std_msgs_msg_dds__String_ string;
    sensor_msgs_msg_dds__Image_ image;
    geometry_msgs_msg_dds__Twist_ twist;
};

const dds_topic_descriptor_t *descriptor_of(enum type type);

// Both lend: the pointers stay those of what was given.
union sample sample_of(const struct message *message);
struct message message_of(enum type type, const union sample *sample);
