/*
 * What Fast DDS is told: `default` what it needs to meet the other end, `tuned` what README.md argues
 * (PEER-3).
 */
#ifndef TOKKYU_PEER_FASTDDS_CONFIGURATION_HPP
#define TOKKYU_PEER_FASTDDS_CONFIGURATION_HPP

#include <fastdds/dds/domain/qos/DomainParticipantQos.hpp>
#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>
#include <fastdds/dds/subscriber/qos/DataReaderQos.hpp>

#include "options.h"

/*
 * Ports from 7400 + 250 * 77: below the range that the kernel gives out by itself, and apart from a robot's
 * domain 0.
 */
constexpr unsigned DOMAIN_ID = 77;

eprosima::fastdds::dds::DomainParticipantQos participant_qos(const struct options &options);
eprosima::fastdds::dds::DataWriterQos writer_qos(const struct options &options);
eprosima::fastdds::dds::DataReaderQos reader_qos(const struct options &options);

/* Adds to the summary what `tuned` sets. */
void tell_settings(const struct options &options);

#endif
