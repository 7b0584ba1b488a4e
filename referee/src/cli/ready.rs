//! `referee ready`: asks the referee of this machine, for health checks of containers, which have nothing else to ask with.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, ring::default_provider, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme, Stream,
};

use super::settings::Flags;
use super::trouble::Trouble;

/// Says whether the referee with these settings can take moves: exit code 0 if it can, 1 if not
#[derive(Debug, Args)]
#[command(after_help = "\
It asks `/readyz` of the address that the flags, REFEREE_LISTEN or the file of --config name, on this machine; encrypted if \
they name a certificate, which has to be the one that answers.

Examples:
  referee ready
  referee ready --listen 127.0.0.1:9000 && echo \"moves are taken\"")]
pub struct Ready {
    #[command(flatten)]
    flags: Flags,
}

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(3);

impl Ready {
    /// Asks.
    pub fn run(self) -> Result<ExitCode, Trouble> {
        let settings = self.flags.settings(Vec::new())?;
        let listens = settings.listen.unwrap_or(super::serve::ADDRESS);
        let address = SocketAddr::new(reachable(listens.ip()), listens.port());
        if settings.tls_client_ca.is_some() {
            return Err(Trouble::new(
                "the referee lets in only clients with a certificate of its authority",
            )
            .help("ask `/readyz` with such a certificate"));
        }
        let certificate = settings.tls_cert.as_deref();
        let said = asked(address, certificate);
        let well = matches!(said.as_deref(), Ok("200"));
        let said = match said {
            Ok(status) if well => format!("{status}: moves are taken"),
            Ok(status) => format!("{status}: no moves are taken now"),
            Err(error) => format!("no answer: {error}"),
        };
        println!("{address}: {said}");
        Ok(ExitCode::from(u8::from(!well)))
    }
}

/// Where a referee that listens on an address is reached from its own machine.
fn reachable(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    }
}

/// The status of `/readyz`.
fn asked(address: SocketAddr, certificate: Option<&Path>) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    match certificate {
        None => status(&mut stream),
        Some(path) => {
            let mut connection = pinned(path, address)?;
            status(&mut Stream::new(&mut connection, &mut stream))
        }
    }
}

fn status(stream: &mut (impl Read + Write)) -> std::io::Result<String> {
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: referee\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    let mut bytes = [0; 256];
    while !answer.contains(&b'\n') {
        match stream.read(&mut bytes)? {
            0 => break,
            read => answer.extend(&bytes[..read]),
        }
    }
    let answer = String::from_utf8_lossy(&answer);
    let mut words = answer.split_whitespace();
    match (words.next(), words.next()) {
        (Some(version), Some(status)) if version.starts_with("HTTP/") => Ok(status.to_owned()),
        _ => Err(std::io::Error::other(
            "it does not speak HTTP; if it encrypts, name its certificate with --tls-cert",
        )),
    }
}

/// A connection to whoever has the key of this certificate, whatever names stand in it.
fn pinned(path: &Path, address: SocketAddr) -> std::io::Result<ClientConnection> {
    let certificate = CertificateDer::from_pem_file(path).map_err(std::io::Error::other)?;
    let provider = Arc::new(default_provider());
    let pinned = Pinned {
        certificate,
        provider: provider.clone(),
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(std::io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(pinned))
        .with_no_client_auth();
    let name = ServerName::IpAddress(address.ip().into());
    ClientConnection::new(Arc::new(config), name).map_err(std::io::Error::other)
}

/// Accepts one certificate, and nothing else.
#[derive(Debug)]
struct Pinned {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match *end_entity == self.certificate {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(Error::General("it has another certificate".into())),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
