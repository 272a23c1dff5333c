/*
 * The settings of both variants. Sizes and times of `tuned` follow from the wire's packets, its round trip
 * and its rate; the argument for each stands in README.md.
 */
#include "configuration.hpp"

#include <algorithm>
#include <memory>

#include <fastdds/rtps/flowcontrol/FlowControllerDescriptor.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>

#include "socket_limit.h"
#include "summary.h"

using namespace eprosima::fastdds::dds;
using eprosima::fastdds::rtps::FlowControllerDescriptor;
using eprosima::fastdds::rtps::UDPv4TransportDescriptor;
using eprosima::fastrtps::Duration_t;
using eprosima::fastrtps::rtps::IPLocator;
using eprosima::fastrtps::rtps::Locator_t;

namespace {

/* An Ethernet packet of 1500 bytes less the headers of IP and UDP. */
constexpr std::uint32_t DATAGRAM_BYTES = 1472;
constexpr std::uint32_t SOCKET_BUFFER_BYTES = 4 << 20;
constexpr const char *FLOW_CONTROLLER = "bottleneck";
constexpr std::uint64_t FLOW_PERIOD_MS = 1;

Duration_t micros(std::uint64_t us)
{
    return Duration_t(static_cast<std::int32_t>(us / 1000000), static_cast<std::uint32_t>(us % 1000000 * 1000));
}

/* The ports of the RTPS specification, for participant 0 at the sender and 1 at the receiver. */
Locator_t locator(const char *address, enum role role, unsigned offset)
{
    Locator_t result;
    IPLocator::setIPv4(result, address);
    result.kind = LOCATOR_KIND_UDPv4;
    result.port = 7400 + 250 * DOMAIN_ID + offset + (role == ROLE_SEND ? 0 : 2);
    return result;
}

/* The wire has no multicast: both ends have fixed ports, and name each other's. */
void set_addresses(WireProtocolConfigQos &wire, const struct options &options)
{
    constexpr unsigned METATRAFFIC = 10, USER = 11;
    const enum role other = options.role == ROLE_SEND ? ROLE_RECEIVE : ROLE_SEND;
    wire.participant_id = options.role == ROLE_SEND ? 0 : 1;
    wire.builtin.metatrafficUnicastLocatorList.push_back(locator(options.own, options.role, METATRAFFIC));
    wire.builtin.initialPeersList.push_back(locator(options.other, other, METATRAFFIC));
    wire.default_unicast_locator_list.push_back(locator(options.own, options.role, USER));
}

/*
 * The limit counts RTPS messages; UDP, IP and Ethernet add 4.5 % to one of full size. So this is just the
 * bottleneck.
 */
std::int32_t bytes_per_period(const struct options &options)
{
    return static_cast<std::int32_t>(options.rate_kbit * FLOW_PERIOD_MS * 95 / 8 / 100);
}

/* A bit more than the round trip: a resend has arrived before the reader is asked again what it misses. */
std::uint64_t heartbeat_us(const struct options &options)
{
    return std::max<std::uint64_t>(1000, options.rtt_us * 6 / 5);
}

std::shared_ptr<FlowControllerDescriptor> flow_controller(const struct options &options)
{
    auto controller = std::make_shared<FlowControllerDescriptor>();
    controller->name = FLOW_CONTROLLER;
    controller->period_ms = FLOW_PERIOD_MS;
    controller->max_bytes_per_period = bytes_per_period(options);
    return controller;
}

template <class Qos> void set_condition(Qos &qos, enum qos condition)
{
    const bool reliable = condition != QOS_BEST_EFFORT_LAST_1;
    qos.reliability().kind = reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
    qos.history().kind = condition == QOS_RELIABLE_ALL ? KEEP_ALL_HISTORY_QOS : KEEP_LAST_HISTORY_QOS;
    qos.history().depth = condition == QOS_RELIABLE_LAST_10 ? 10 : 1;
    qos.data_sharing().off();
}

} // namespace

DomainParticipantQos participant_qos(const struct options &options)
{
    DomainParticipantQos qos;
    auto udp = std::make_shared<UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.emplace_back(options.own);
    if (options.tuned) {
        udp->maxMessageSize = DATAGRAM_BYTES;
        udp->sendBufferSize = SOCKET_BUFFER_BYTES;
        udp->receiveBufferSize = SOCKET_BUFFER_BYTES;
        if (options.rate_kbit > 0)
            qos.flow_controllers().push_back(flow_controller(options));
    }
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    set_addresses(qos.wire_protocol(), options);
    return qos;
}

DataWriterQos writer_qos(const struct options &options)
{
    DataWriterQos qos;
    set_condition(qos, options.qos);
    if (!options.tuned)
        return qos;
    auto &reliable = qos.reliable_writer_qos();
    reliable.times.heartbeatPeriod = micros(heartbeat_us(options));
    reliable.times.nackResponseDelay = micros(0);
    reliable.disable_heartbeat_piggyback = true;
    qos.publish_mode().kind = ASYNCHRONOUS_PUBLISH_MODE;
    if (options.rate_kbit > 0)
        qos.publish_mode().flow_controller_name = FLOW_CONTROLLER;
    return qos;
}

DataReaderQos reader_qos(const struct options &options)
{
    DataReaderQos qos;
    set_condition(qos, options.qos);
    if (options.tuned)
        qos.reliable_reader_qos().times.heartbeatResponseDelay = micros(0);
    return qos;
}

void tell_settings(const struct options &options)
{
    if (!options.tuned)
        return;
    summary_setting("maxMessageSize=%u sendBufferSize=receiveBufferSize=%u ASYNCHRONOUS_PUBLISH_MODE",
                    DATAGRAM_BYTES, SOCKET_BUFFER_BYTES);
    summary_setting("heartbeatPeriod=%lluus nackResponseDelay=0 heartbeatResponseDelay=0 disable_heartbeat_piggyback=1",
                    static_cast<unsigned long long>(heartbeat_us(options)));
    if (options.rate_kbit > 0)
        summary_setting("flow_controller=%dB/%llums", bytes_per_period(options),
                        static_cast<unsigned long long>(FLOW_PERIOD_MS));
    socket_limit_note(SOCKET_BUFFER_BYTES);
}
