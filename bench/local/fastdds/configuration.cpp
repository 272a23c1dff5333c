// Discovery over loopback, samples over data sharing; see configuration.hpp.
#include "configuration.hpp"

#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>
#include <memory>

using namespace eprosima::fastdds::dds;
using eprosima::fastdds::rtps::UDPv4TransportDescriptor;
using eprosima::fastrtps::rtps::IPLocator;
using eprosima::fastrtps::rtps::Locator_t;

namespace local {
namespace {

constexpr const char *LOOPBACK = "127.0.0.1";

// The ports of the RTPS specification (9.6.1.1), for participants 0 and 1.
Locator_t locator(End end, unsigned offset)
{
    Locator_t result;
    IPLocator::setIPv4(result, LOOPBACK);
    result.kind = LOCATOR_KIND_UDPv4;
    result.port = 7400 + 250 * DOMAIN_ID + offset + 2 * static_cast<unsigned>(end);
    return result;
}

template <class Qos> void set_delivery(Qos &qos)
{
    // Nothing is lost between two histories in one memory, so there is nothing to acknowledge.
    qos.reliability().kind = BEST_EFFORT_RELIABILITY_QOS;
    qos.durability().kind = VOLATILE_DURABILITY_QOS;
    qos.history().kind = KEEP_LAST_HISTORY_QOS;
    qos.history().depth = 1;
    // Not "automatic", which falls back on UDP in silence: ends that cannot share memory do not meet.
    qos.data_sharing().on("");
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_MEMORY_MODE;
}

} // namespace

DomainParticipantQos participant_qos(End end)
{
    constexpr unsigned METATRAFFIC = 10, USER = 11;
    const End other = end == End::SENDER ? End::RECEIVER : End::SENDER;
    DomainParticipantQos qos;
    const auto udp = std::make_shared<UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.emplace_back(LOOPBACK);
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    auto &wire = qos.wire_protocol();
    wire.participant_id = static_cast<int>(end);
    wire.builtin.metatrafficUnicastLocatorList.push_back(locator(end, METATRAFFIC));
    wire.builtin.initialPeersList.push_back(locator(other, METATRAFFIC));
    wire.default_unicast_locator_list.push_back(locator(end, USER));
    return qos;
}

DataWriterQos writer_qos()
{
    DataWriterQos qos;
    set_delivery(qos);
    qos.publish_mode().kind = SYNCHRONOUS_PUBLISH_MODE;
    return qos;
}

DataReaderQos reader_qos()
{
    DataReaderQos qos;
    set_delivery(qos);
    return qos;
}

} // namespace local
