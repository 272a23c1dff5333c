// Fast DDS on one network interface alone, without shared memory.
#pragma once
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <string>

// Says what failed and ends the program with exit code 1.
[[noreturn]] void failed(const std::string &call);

// Returns what a call gave, if it gave something.
template <typename T> T *need(const char *call, T *made) {
    if (made == nullptr) failed(call);
    return made;
}

eprosima::fastdds::dds::DomainParticipant *
participant_on(int domain, const std::string &interface, eprosima::fastdds::dds::DomainParticipantListener *listener);
