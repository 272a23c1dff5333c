#include "participant.hpp"
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <ifaddrs.h>
#include <memory>
#include <netinet/in.h>

using namespace eprosima::fastdds::dds;
namespace rtps = eprosima::fastdds::rtps;

void failed(const std::string &call) {
    fprintf(stderr, "%s: failed\n", call.c_str());
    exit(1);
}

// Fast DDS 2.9 knows interfaces by their addresses, not by their names.
static std::string address_of(const std::string &interface) {
    ifaddrs *all = nullptr;
    if (getifaddrs(&all) != 0) failed("getifaddrs");
    std::string address;
    for (const ifaddrs *one = all; one != nullptr && address.empty(); one = one->ifa_next) {
        if (interface != one->ifa_name || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        char text[INET_ADDRSTRLEN];
        const auto *in = reinterpret_cast<const sockaddr_in *>(one->ifa_addr);
        address = inet_ntop(AF_INET, &in->sin_addr, text, sizeof text);
    }
    freeifaddrs(all);
    if (address.empty()) failed("--interface " + interface + ": finding its IPv4 address");
    return address;
}

DomainParticipant *participant_on(int domain, const std::string &interface, DomainParticipantListener *listener) {
    auto udp = std::make_shared<rtps::UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.push_back(address_of(interface));
    DomainParticipantQos qos;
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    return need("create_participant", DomainParticipantFactory::get_instance()->create_participant(
                                          static_cast<uint32_t>(domain), qos, listener, StatusMask::none()));
}
