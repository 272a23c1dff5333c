// What Fast DDS is told; README.md says why.
#ifndef TOKKYU_LOCAL_FASTDDS_CONFIGURATION_HPP
#define TOKKYU_LOCAL_FASTDDS_CONFIGURATION_HPP

#include <fastdds/dds/domain/qos/DomainParticipantQos.hpp>
#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>
#include <fastdds/dds/subscriber/qos/DataReaderQos.hpp>

namespace local {

// Ports from 7400 + 250 * 79: below the range that the kernel gives out by itself, and apart from a robot's domain 0.
constexpr unsigned DOMAIN_ID = 79;

enum class End : unsigned { SENDER = 0, RECEIVER = 1 };

eprosima::fastdds::dds::DomainParticipantQos participant_qos(End end);
eprosima::fastdds::dds::DataWriterQos writer_qos();
eprosima::fastdds::dds::DataReaderQos reader_qos();

} // namespace local
#endif
