// ros2-peer-cyclonedds: speaks the types of ROS 2 as rmw_cyclonedds does. ../README.md says how it is called.
#include "../face/bell.h"
#include "../face/content.h"
#include "domain.h"
#include "publish.h"
#include "subscribe.h"
#include "types.h"

int main(int argc, char **argv) {
    struct options options = options_of(argc, argv);
    bell_hang();
    content_seed(options.seed);
    char name[256];
    dds_topic_name(&options, name, sizeof name);
    dds_entity_t participant = participant_on(options.domain, options.interface);
    dds_entity_t topic =
        need("dds_create_topic", dds_create_topic(participant, descriptor_of(options.type), name, NULL, NULL));
    int code = (options.publish ? publish : subscribe)(participant, topic, &options);
    dds_delete(DDS_CYCLONEDDS_HANDLE);
    return code;
}
