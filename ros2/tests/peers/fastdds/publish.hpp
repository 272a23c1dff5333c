#pragma once
#include "../face/options.h"
#include <fastdds/dds/domain/DomainParticipant.hpp>

// Publishes as asked; the program's exit code.
int publish(eprosima::fastdds::dds::DomainParticipant *participant, eprosima::fastdds::dds::Topic *topic,
            const options &options);
