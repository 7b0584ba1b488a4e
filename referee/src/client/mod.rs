//! A client of the service: it knows the contract in `proto/` and nothing of the referee's insides.
//!
//! In: an address and tokens. Out: matches that are hosted and seats that are played. Begin at [`Client`]; [`SeatClient`]
//! plays one seat, [`Chooser`] chooses its moves. The bots of `referee demo` and the tests play through it.

mod player;
mod seat;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Request, Status};
use tonic_types::pb;

pub use player::{Chooser, Chooses, complete};
pub use seat::SeatClient;

use crate::wire::v1;
use v1::admin_service_client::AdminServiceClient;
use v1::match_service_client::MatchServiceClient;
use v1::play_service_client::PlayServiceClient;
use v1::publishing_service_client::PublishingServiceClient;
use v1::record_service_client::RecordServiceClient;
use v1::ruleset_service_client::RulesetServiceClient;
use v1::server_service_client::ServerServiceClient;
use v1::spectator_service_client::SpectatorServiceClient;
use v1::table_service_client::TableServiceClient;

/// Bytes of a response that this client reads.
const RESPONSE_BYTES: usize = 4 << 20;

/// A connection that says who calls, and in which language.
pub type Authorized = InterceptedService<Channel, Bearer>;

/// Adds a bearer token and a language to every call.
#[derive(Clone)]
pub struct Bearer {
    token: Option<MetadataValue<Ascii>>,
    language: MetadataValue<Ascii>,
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.token {
            request
                .metadata_mut()
                .insert("authorization", token.clone());
        }
        request
            .metadata_mut()
            .insert("accept-language", self.language.clone());
        Ok(request)
    }
}

/// A connection to a referee, and the services behind it.
#[derive(Clone)]
pub struct Client {
    channel: Channel,
    bearer: Bearer,
}

impl Client {
    /// On a connection that was made otherwise, such as an encrypted one; without a token.
    pub fn on(channel: Channel) -> Client {
        let bearer = Bearer {
            token: None,
            language: MetadataValue::from_static("en"),
        };
        Client { channel, bearer }
    }

    /// Connects, without a token; by TLS to an address that begins with `https`, with a certificate that the system
    /// trusts.
    ///
    /// # Errors
    ///
    /// When nobody listens there, or its certificate is not trusted.
    pub async fn connect(url: &str) -> Result<Client, tonic::transport::Error> {
        Client::connect_trusting(url, None).await
    }

    /// As [`connect`](Self::connect), but who trusts these certificates (PEM) trusts no others.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect).
    pub async fn connect_trusting(
        url: &str,
        authorities: Option<Vec<u8>>,
    ) -> Result<Client, tonic::transport::Error> {
        let mut endpoint = Endpoint::from_shared(url.to_owned())?.tcp_nodelay(true);
        if url.starts_with("https:") {
            let tls = ClientTlsConfig::new();
            endpoint = endpoint.tls_config(match authorities {
                Some(pem) => tls.ca_certificate(Certificate::from_pem(pem)),
                None => tls.with_native_roots(),
            })?;
        }
        Ok(Client::on(endpoint.connect().await?))
    }

    /// The same connection with a token; one that cannot be sent is left out.
    pub fn with_token(&self, token: &str) -> Client {
        let token = MetadataValue::try_from(format!("Bearer {token}")).ok();
        Client {
            bearer: Bearer {
                token,
                ..self.bearer.clone()
            },
            ..self.clone()
        }
    }

    /// The same connection in a language: `en`, `pl`.
    pub fn in_language(&self, language: &str) -> Client {
        let language =
            MetadataValue::try_from(language).unwrap_or(MetadataValue::from_static("en"));
        Client {
            bearer: Bearer {
                language,
                ..self.bearer.clone()
            },
            ..self.clone()
        }
    }

    /// Versions and limits.
    pub fn server(&self) -> ServerServiceClient<Authorized> {
        ServerServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    /// Rulesets.
    pub fn rulesets(&self) -> RulesetServiceClient<Authorized> {
        RulesetServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
            .max_decoding_message_size(RESPONSE_BYTES)
    }

    /// Matches.
    pub fn matches(&self) -> MatchServiceClient<Authorized> {
        MatchServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
            .max_decoding_message_size(RESPONSE_BYTES)
    }

    /// Playing.
    pub fn play(&self) -> PlayServiceClient<Authorized> {
        PlayServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
            .max_decoding_message_size(RESPONSE_BYTES)
    }

    /// Table talk.
    pub fn talk(&self) -> TableServiceClient<Authorized> {
        TableServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    /// Records.
    pub fn records(&self) -> RecordServiceClient<Authorized> {
        RecordServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    /// Publishing.
    pub fn publishing(&self) -> PublishingServiceClient<Authorized> {
        PublishingServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
            .max_decoding_message_size(RESPONSE_BYTES)
    }

    /// Administration.
    pub fn admin(&self) -> AdminServiceClient<Authorized> {
        AdminServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
    }

    /// Watching.
    pub fn spectators(&self) -> SpectatorServiceClient<Authorized> {
        SpectatorServiceClient::with_interceptor(self.channel.clone(), self.bearer.clone())
            .max_decoding_message_size(RESPONSE_BYTES)
    }
}

/// An id for a request that changes something.
pub fn request_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// The reason of a status (`MOVE_REFUSED`), and what its `ErrorInfo` says for programs.
pub fn error_info(status: &Status) -> Option<pb::ErrorInfo> {
    detail(status, "google.rpc.ErrorInfo")
}

/// The refusal in a status, if it is one.
pub fn refusal(status: &Status) -> Option<v1::Refusal> {
    detail(status, "referee.v1.Refusal")
}

/// Fields that could not be read, if a status says so.
pub fn bad_request(status: &Status) -> Option<pb::BadRequest> {
    detail(status, "google.rpc.BadRequest")
}

fn detail<M: prost::Message + Default>(status: &Status, name: &str) -> Option<M> {
    use prost::Message as _;
    let details = pb::Status::decode(status.details()).ok()?.details;
    let found = details
        .iter()
        .find(|detail| detail.type_url.rsplit('/').next() == Some(name))?;
    M::decode(&found.value[..]).ok()
}
