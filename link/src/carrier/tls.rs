//! TLS 1.3 with pinned raw public keys on both sides (RFC 7250, RFC 8446).
//!
//! Neither side has a certificate: the handshake carries the bare Ed25519 key, and the only question is whether it is
//! in the [`TrustStore`]. No names, no dates, no chains. Session resumption is off: a resumed session would skip that
//! question, and the tickets would be state kept for strangers.

use std::sync::{Arc, Mutex, PoisonError};

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::client::AlwaysResolvesClientRawPublicKeys;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{AlwaysResolvesServerRawPublicKeys, NoServerSessionStorage};
use rustls::sign::CertifiedKey;
use rustls::{
    CertificateError, CipherSuite, DigitallySignedStruct, DistinguishedName, Error, SignatureScheme,
};

use super::error::CarrierError;
use super::keys::{PublicKey, SecretKey};
use super::trust::TrustStore;

/// Name of the protocol in ALPN: another version of the link's wire format is another name, so that two versions
/// refuse each other with a reason instead of misreading each other.
pub(super) const PROTOCOL: &[u8] = b"tokkyu/5";

/// Who we are, whom we let in, what we speak.
pub(super) struct Identity<'a> {
    pub(super) secret: &'a SecretKey,
    pub(super) trusted: &'a TrustStore,
    pub(super) protocol: &'static [u8],
}

/// The last key that was refused, for the message that names it. Written by the verifier inside a handshake, read by
/// the loop on the same thread right after: never contended.
#[derive(Clone, Debug, Default)]
pub(super) struct RefusedKey(Arc<Mutex<Option<PublicKey>>>);

impl RefusedKey {
    pub(super) fn take(&self) -> Option<PublicKey> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, key: Option<PublicKey>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = key;
    }
}

/// TLS for the side that connects.
pub(super) fn client(me: &Identity<'_>, refused: RefusedKey) -> Result<QuicClientConfig, CarrierError> {
    let provider = Arc::new(provider());
    let own = own_key(me.secret, &provider)?;
    let mut tls = rustls::ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(tls_error)?
        .dangerous()
        .with_custom_certificate_verifier(PinnedKeys::new(me.trusted, refused, &provider))
        .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(own)));
    tls.alpn_protocols = vec![me.protocol.to_vec()];
    // It tells no name but which session a connection belongs to (`quic/call.rs`).
    tls.enable_sni = true;
    tls.resumption = rustls::client::Resumption::disabled();
    QuicClientConfig::try_from(tls).map_err(|error| CarrierError::Tls(error.to_string()))
}

/// TLS for the side that listens.
pub(super) fn server(me: &Identity<'_>, refused: RefusedKey) -> Result<QuicServerConfig, CarrierError> {
    let provider = Arc::new(provider());
    let own = own_key(me.secret, &provider)?;
    let mut tls = rustls::ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(tls_error)?
        .with_client_cert_verifier(PinnedKeys::new(me.trusted, refused, &provider))
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(own)));
    tls.alpn_protocols = vec![me.protocol.to_vec()];
    tls.session_storage = Arc::new(NoServerSessionStorage {});
    tls.send_tls13_tickets = 0;
    QuicServerConfig::try_from(tls).map_err(|error| CarrierError::Tls(error.to_string()))
}

/// The library's, with the suites in the order of what they cost here. The side that connects decides: the vehicle, whose
/// processor is the weaker one.
fn provider() -> CryptoProvider {
    let mut provider = rustls::crypto::ring::default_provider();
    provider.cipher_suites.sort_by_key(|suite| match suite.suite() {
        // Its ten rounds are as safe for the life of a session as fourteen, and take a third less time.
        CipherSuite::TLS13_AES_128_GCM_SHA256 => 1,
        // Without instructions for AES this one is several times faster.
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 if !has_aes() => 0,
        _ => 2,
    });
    provider
}

/// The processor has instructions for AES.
fn has_aes() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("aes");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("aes");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return false;
}

fn own_key(secret: &SecretKey, provider: &CryptoProvider) -> Result<Arc<CertifiedKey>, CarrierError> {
    let pkcs8 = PrivatePkcs8KeyDer::from(secret.pkcs8().to_vec());
    let signer = provider.key_provider.load_private_key(pkcs8.into()).map_err(tls_error)?;
    let shown = CertificateDer::from(secret.public().spki().to_vec());
    Ok(Arc::new(CertifiedKey::new(vec![shown], signer)))
}

fn tls_error(error: Error) -> CarrierError {
    CarrierError::Tls(error.to_string())
}

/// Lets in the owners of the trusted keys and nobody else.
#[derive(Debug)]
struct PinnedKeys {
    trusted: TrustStore,
    refused: RefusedKey,
    algorithms: WebPkiSupportedAlgorithms,
}

impl PinnedKeys {
    fn new(trusted: &TrustStore, refused: RefusedKey, provider: &CryptoProvider) -> Arc<Self> {
        let algorithms = provider.signature_verification_algorithms;
        Arc::new(PinnedKeys { trusted: trusted.clone(), refused, algorithms })
    }

    /// Refuses with the alert `access_denied`, which tells the peer what is wrong with it.
    fn check(&self, shown: &CertificateDer<'_>) -> Result<(), Error> {
        let key = PublicKey::from_spki(shown);
        if key.is_some_and(|key| self.trusted.contains(&key)) {
            return Ok(());
        }
        self.refused.set(key);
        Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
    }

    fn check_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let key = SubjectPublicKeyInfoDer::from(shown.as_ref());
        verify_tls13_signature_with_raw_key(message, &key, signature, &self.algorithms)
    }
}

/// TLS 1.2 is not offered, so its signatures never come; should one come, it is refused.
fn no_tls12() -> Result<HandshakeSignatureValid, Error> {
    Err(Error::PeerIncompatible(rustls::PeerIncompatible::Tls12NotOffered))
}

impl ServerCertVerifier for PinnedKeys {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _chain: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(shown).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _shown: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        no_tls12()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, shown, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for PinnedKeys {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        shown: &CertificateDer<'_>,
        _chain: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(shown).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _shown: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        no_tls12()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, shown, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_suite_of_this_machine_is_asked_for_first() {
        let order: Vec<CipherSuite> =
            provider().cipher_suites.iter().map(rustls::SupportedCipherSuite::suite).collect();
        let (aes, chacha) =
            (CipherSuite::TLS13_AES_128_GCM_SHA256, CipherSuite::TLS13_CHACHA20_POLY1305_SHA256);
        let place = |suite| order.iter().position(|one| *one == suite).unwrap();
        assert_eq!(has_aes(), place(aes) == 0);
        assert_eq!(!has_aes(), place(chacha) == 0);
        assert_eq!(order.len(), rustls::crypto::ring::default_provider().cipher_suites.len());
    }
}
