#pragma once
#include "../face/options.h"
#include "discovered.hpp"
#include <fastdds/dds/domain/DomainParticipant.hpp>

// Subscribes as asked; the program's exit code.
int subscribe(eprosima::fastdds::dds::DomainParticipant *participant, eprosima::fastdds::dds::Topic *topic,
              const options &options, Discovered &discovered);
