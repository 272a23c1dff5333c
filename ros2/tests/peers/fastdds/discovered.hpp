// What discovery says of each writer in the domain. Fast DDS 2.9 cannot be asked for a matched writer's policies
// (get_matched_publication_data is not implemented), so they are kept from when the writer was discovered.
#pragma once
#include <cstdint>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <map>
#include <mutex>
#include <vector>

class Discovered : public eprosima::fastdds::dds::DomainParticipantListener {
public:
    using Handle = eprosima::fastrtps::rtps::InstanceHandle_t;

    void on_publisher_discovery(eprosima::fastdds::dds::DomainParticipant *,
                                eprosima::fastrtps::rtps::WriterDiscoveryInfo &&info) override;
    // Prints the writer's line.
    void tell_of(const Handle &writer);

private:
    struct Writer {
        std::string type;
        const char *reliability, *durability, *liveliness;
        int64_t deadline_ms, lifespan_ms, lease_ms;
        std::vector<uint8_t> user_data;
    };

    std::mutex lock_;
    std::map<Handle, Writer> writers_;
};
