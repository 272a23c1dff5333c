// What Cyclone DDS is told; README.md says why.
#ifndef TOKKYU_LOCAL_CYCLONEDDS_CONFIGURATION_HPP
#define TOKKYU_LOCAL_CYCLONEDDS_CONFIGURATION_HPP

namespace local {

// Ports from 7400 + 250 * 78: below the range that the kernel gives out by itself, and apart from a robot's domain 0.
constexpr unsigned DOMAIN_ID = 78;

// Element names are those of the library's manual, "Configuration reference", 0.10.
constexpr const char *CONFIGURATION = R"(<CycloneDDS><Domain Id="any">
<General>
  <Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>
  <AllowMulticast>false</AllowMulticast>
  <MaxMessageSize>65500 B</MaxMessageSize>
  <FragmentSize>65000 B</FragmentSize>
</General>
<Discovery>
  <ParticipantIndex>auto</ParticipantIndex>
  <Peers><Peer address="127.0.0.1"/></Peers>
  <SPDPInterval>500 ms</SPDPInterval>
</Discovery>
<Internal>
  <SocketReceiveBufferSize max="32 MB"/>
  <SocketSendBufferSize max="32 MB"/>
  <Watermarks><WhcHigh>64 MB</WhcHigh><WhcHighInit>64 MB</WhcHighInit></Watermarks>
  <NackDelay>1 ms</NackDelay>
  <AutoReschedNackDelay>1 ms</AutoReschedNackDelay>
  <HeartbeatInterval min="1 ms" minsched="2 ms" max="100 ms">10 ms</HeartbeatInterval>
  <RetransmitMergingPeriod>0 s</RetransmitMergingPeriod>
</Internal>
</Domain></CycloneDDS>)";

} // namespace local
#endif
