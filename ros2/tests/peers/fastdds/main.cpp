// ros2-peer-fastdds: speaks the types of ROS 2 as rmw_fastrtps does. ../README.md says how it is called.
#include "../face/bell.h"
#include "../face/content.h"
#include "discovered.hpp"
#include "participant.hpp"
#include "publish.hpp"
#include "subscribe.hpp"
#include "types.hpp"
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>

using namespace eprosima::fastdds::dds;

int main(int argc, char **argv) {
    options options = options_of(argc, argv);
    bell_hang();
    content_seed(options.seed);
    static Discovered discovered;
    DomainParticipant *participant = participant_on(options.domain, options.interface, &discovered);
    TypeSupport type(new MessageType(options.type));
    type.register_type(participant);
    char name[256];
    dds_topic_name(&options, name, sizeof name);
    Topic *topic =
        need("create_topic", participant->create_topic(name, dds_type_name(options.type), TOPIC_QOS_DEFAULT));
    int code = options.publish ? publish(participant, topic, options)
                               : subscribe(participant, topic, options, discovered);
    participant->delete_contained_entities();
    DomainParticipantFactory::get_instance()->delete_participant(participant);
    return code;
}
