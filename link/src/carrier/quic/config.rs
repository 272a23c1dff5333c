//! Every value we give `quinn-proto`, and why.
//!
//! Its defaults are for bulk traffic on the web; three of them break a link that loses packets (congestion control,
//! `min_mtu`, acknowledgements). Each value below has a reason, and the dangerous ones a test.

use std::sync::Arc;
use std::time::Duration;

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::{
    AckFrequencyConfig, ClientConfig, EndpointConfig, HashedConnectionIdGenerator, IdleTimeout, ServerConfig,
    TransportConfig, ValidationTokenConfig, VarInt,
};
use ring::hmac;

use super::congestion::Open;
use crate::carrier::error::CarrierError;
use crate::carrier::keys::SecretKey;

/// A vehicle behind a bridge or in a lift comes back: an outage of some seconds must not end the session, a silence
/// of this length does.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// A handshake on a path with a third of its packets lost needs some seconds of retries. Longer would let strangers
/// hold a place longer.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Keeps NAT bindings open and tells within a second that the peer is there, when the core has nothing to send.
const KEEP_ALIVE: Duration = Duration::from_millis(500);
/// A lost handshake packet costs three times this. QUIC's 333 ms would cost a second; 50 ms is above most paths' RTT,
/// and where it is not, a spurious repeat of a small packet does no harm.
const INITIAL_RTT: Duration = Duration::from_millis(50);
/// By default every gap is acknowledged at once: at 5 % loss seven times the packets on the way back. The core has its
/// own feedback; QUIC's is needed for keys and time-outs only.
const ACK_AFTER_PACKETS: u32 = 512;
/// See [`ACK_AFTER_PACKETS`]; bounds how long a packet stays unacknowledged.
const ACK_DELAY: Duration = Duration::from_millis(20);
/// Queued datagrams: never more than two batches of 64 KiB, because priorities live in the core and QUIC's queue knows
/// none. Received ones are taken out after each packet.
const DATAGRAM_BUFFER_BYTES: usize = 1 << 20;
/// One version only, so that no packet starts a negotiation (RFC 9000 §6).
pub(super) const VERSION: u32 = 1;
/// Stateless resets answer packets of sessions from before a restart. Ten a second are enough for that and useless to
/// anyone who would have us send packets to a third party.
const RESET_INTERVAL: Duration = Duration::from_millis(100);
/// Handshakes are accepted, sent to Retry or dropped at once: more than one never waits.
const MAX_INCOMING: usize = 4;

/// Smallest `ip_mtu`: what every IPv6 path carries (RFC 8200 §5).
pub const IP_MTU_MIN: u16 = 1280;
/// Largest `ip_mtu`: jumbo frames.
pub const IP_MTU_MAX: u16 = 9000;
const IPV4_UDP_HEADERS: u16 = 28;
const IPV6_UDP_HEADERS: u16 = 48;

/// UDP payload that every path carries, of IPv4 and IPv6: what a session has where no longer packets pass (LNK-89).
pub(super) const SHORT_UDP_PAYLOAD: u16 = IP_MTU_MIN - IPV6_UDP_HEADERS;

/// UDP payload of a packet of `ip_mtu` bytes. An IPv6 socket may serve IPv4 peers too: the larger header counts.
pub(super) fn udp_payload(ip_mtu: u16, ipv6: bool) -> Result<u16, CarrierError> {
    if !(IP_MTU_MIN..=IP_MTU_MAX).contains(&ip_mtu) {
        return Err(CarrierError::IpMtu { value: ip_mtu, min: IP_MTU_MIN, max: IP_MTU_MAX });
    }
    Ok(ip_mtu - if ipv6 { IPV6_UDP_HEADERS } else { IPV4_UDP_HEADERS })
}

/// What both sides of a connection keep to.
pub(super) fn transport(udp_payload: u16) -> TransportConfig {
    let mut acks = AckFrequencyConfig::default();
    acks.ack_eliciting_threshold(VarInt::from_u32(ACK_AFTER_PACKETS));
    acks.max_ack_delay(Some(ACK_DELAY));
    acks.reordering_threshold(VarInt::from_u32(0));

    let mut config = TransportConfig::default();
    config.congestion_controller_factory(Arc::new(Open));
    // The worst trap: with min_mtu below initial_mtu the black hole detector takes ordinary loss of full packets for a
    // shrunken path within a second, falls to 1200 bytes and refuses every image packet from then on, while small
    // packets go on and the link looks alive. With both equal no loss is suspicious to it.
    config.initial_mtu(udp_payload).min_mtu(udp_payload);
    // One size for the whole session; the core sends shorter packets where the path takes no such ones (LNK-86). The
    // handshake's first packets are padded to it: a path that does not carry it shows at once (LNK-89).
    config.mtu_discovery_config(None);
    config.ack_frequency_config(Some(acks));
    config.initial_rtt(INITIAL_RTT);
    config.max_idle_timeout(Some(idle_timeout())).keep_alive_interval(Some(KEEP_ALIVE));
    config.datagram_send_buffer_size(DATAGRAM_BUFFER_BYTES);
    config.datagram_receive_buffer_size(Some(DATAGRAM_BUFFER_BYTES));
    // Datagrams only: a stream of the peer would be memory it controls.
    config.max_concurrent_bidi_streams(VarInt::from_u32(0)).max_concurrent_uni_streams(VarInt::from_u32(0));
    config
}

fn idle_timeout() -> IdleTimeout {
    IdleTimeout::try_from(IDLE_TIMEOUT).expect("30 s fits QUIC's 62 bits of milliseconds")
}

/// What an end answers and how it names its connections.
///
/// `restart_seed` is set on the side that listens: with keys drawn from it, and not at random, a restarted operator
/// recognises the packets of the session before and may tell the vehicle so with a stateless reset (RFC 9000 §10.3),
/// instead of leaving it to the idle time-out.
pub(super) fn endpoint(
    udp_payload: u16,
    restart_seed: Option<&RestartSeed>,
) -> Result<EndpointConfig, CarrierError> {
    let mut config = EndpointConfig::default();
    config.max_udp_payload_size(udp_payload).map_err(|error| CarrierError::Tls(error.to_string()))?;
    config.supported_versions(vec![VERSION]);
    // Without greasing a packet's second bit is always set: one more bit garbage has to guess.
    config.grease_quic_bit(false);
    config.min_reset_interval(RESET_INTERVAL);
    if let Some(seed) = restart_seed {
        let connection_ids = seed.connection_ids;
        config.cid_generator(move || Box::new(HashedConnectionIdGenerator::from_key(connection_ids)));
        config.reset_key(Arc::new(seed.reset.clone()));
    }
    Ok(config)
}

/// Keys that are the same after a restart: drawn from the machine's private key and the address it listens at.
///
/// The address is part of it because two processes of one machine must not share them: one could be made to utter the
/// reset of the other's session (RFC 9000 §21.11).
pub(super) struct RestartSeed {
    connection_ids: u64,
    reset: hmac::Key,
}

impl RestartSeed {
    pub(super) fn new(secret: &SecretKey, listening: std::net::SocketAddr) -> RestartSeed {
        let machine = hmac::Key::new(hmac::HMAC_SHA256, secret.pkcs8());
        let draw = |purpose: &str| hmac::sign(&machine, format!("tokkyu {purpose} {listening}").as_bytes());
        let mut connection_ids = [0; 8];
        connection_ids.copy_from_slice(&draw("connection ids").as_ref()[..8]);
        RestartSeed {
            connection_ids: u64::from_be_bytes(connection_ids),
            reset: hmac::Key::new(hmac::HMAC_SHA256, draw("stateless reset").as_ref()),
        }
    }
}

/// The side that connects: the vehicle. It is the bulk sender, and QUIC's limit of three times what was received
/// before an address is validated binds the server only, so after an address change the images go on.
pub(super) fn client(tls: Arc<QuicClientConfig>, transport: &Arc<TransportConfig>) -> ClientConfig {
    let mut config = ClientConfig::new(tls);
    config.transport_config(transport.clone());
    config
}

/// The side that listens: the operator.
pub(super) fn server(tls: Arc<QuicServerConfig>, transport: &Arc<TransportConfig>) -> ServerConfig {
    let mut config = ServerConfig::with_crypto(tls);
    let mut tokens = ValidationTokenConfig::default();
    // Tokens for later visits save a round trip that only matters under load, and would have to be remembered.
    tokens.sent(0);
    config.transport_config(transport.clone());
    config.validation_token_config(tokens);
    config.migration(true);
    config.max_incoming(MAX_INCOMING);
    config.incoming_buffer_size(0);
    config.incoming_buffer_size_total(0);
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_leaves_room_for_the_headers_of_the_family() {
        assert_eq!(udp_payload(1500, false).unwrap(), 1472);
        assert_eq!(udp_payload(1500, true).unwrap(), 1452);
        assert_eq!(udp_payload(IP_MTU_MIN, true).unwrap(), 1232);
    }

    #[test]
    fn an_mtu_outside_the_range_is_refused_with_the_range() {
        for value in [0, IP_MTU_MIN - 1, IP_MTU_MAX + 1] {
            let text = udp_payload(value, false).unwrap_err().to_string();
            assert!(text.contains("1280 to 9000") && text.contains(&value.to_string()), "{text}");
        }
    }

    #[test]
    fn restart_keys_depend_on_machine_and_address_and_on_nothing_else() {
        let (one, other) = (SecretKey::generate().unwrap(), SecretKey::generate().unwrap());
        let (here, there) = ("127.0.0.1:7447".parse().unwrap(), "127.0.0.1:7448".parse().unwrap());
        let ids = |secret, address| RestartSeed::new(secret, address).connection_ids;
        assert_eq!(ids(&one, here), ids(&one, here));
        assert_ne!(ids(&one, here), ids(&one, there));
        assert_ne!(ids(&one, here), ids(&other, here));
    }
}
