// Quality of service, from the command line, as rmw_fastrtps sets it from a ROS 2 profile.
#pragma once
#include "../face/options.h"
#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>
#include <fastdds/dds/subscriber/qos/DataReaderQos.hpp>

eprosima::fastdds::dds::DataWriterQos writer_quality(const options &options);
eprosima::fastdds::dds::DataReaderQos reader_quality(const options &options);

// The name ROS 2 and the DDS specification call a policy by.
const char *policy_name(eprosima::fastdds::dds::QosPolicyId_t policy);

const char *reliability_name(eprosima::fastdds::dds::ReliabilityQosPolicyKind kind);
const char *durability_name(eprosima::fastdds::dds::DurabilityQosPolicyKind kind);
const char *liveliness_name(eprosima::fastdds::dds::LivelinessQosPolicyKind kind);

// 0: infinite.
int64_t ms_of(const eprosima::fastrtps::Duration_t &duration);
