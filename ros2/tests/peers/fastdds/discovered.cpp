#include "discovered.hpp"
#include "../face/events.h"
#include "quality.hpp"

using eprosima::fastrtps::rtps::WriterDiscoveryInfo;

void Discovered::on_publisher_discovery(eprosima::fastdds::dds::DomainParticipant *, WriterDiscoveryInfo &&info) {
    std::lock_guard<std::mutex> held(lock_);
    const auto &qos = info.info.m_qos;
    if (info.status == WriterDiscoveryInfo::REMOVED_WRITER) {
        writers_.erase(info.info.key());
        return;
    }
    writers_[info.info.key()] = {
        info.info.typeName().to_string(),
        reliability_name(qos.m_reliability.kind),
        durability_name(qos.m_durability.kind),
        liveliness_name(qos.m_liveliness.kind),
        ms_of(qos.m_deadline.period),
        ms_of(qos.m_lifespan.duration),
        ms_of(qos.m_liveliness.lease_duration),
        {qos.m_userData.begin(), qos.m_userData.end()},
    };
}

void Discovered::tell_of(const Handle &writer) {
    std::lock_guard<std::mutex> held(lock_);
    auto found = writers_.find(writer);
    if (found == writers_.end()) return; // gone again already
    const Writer &w = found->second;
    writer_seen seen{};
    seen.type = w.type.c_str();
    seen.reliability = w.reliability;
    seen.durability = w.durability;
    seen.liveliness = w.liveliness;
    seen.deadline_ms = w.deadline_ms;
    seen.lifespan_ms = w.lifespan_ms;
    seen.lease_ms = w.lease_ms;
    seen.user_data = w.user_data.data();
    seen.user_data_bytes = w.user_data.size();
    say_writer(&seen);
}
