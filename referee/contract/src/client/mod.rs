//! A client of the service: it knows the contract in `proto/` and nothing of the referee's insides.
//!
//! In: an address and tokens. Out: matches that are hosted and seats that are played. Begin at [`Client`]; [`SeatClient`]
//! plays one seat, [`Chooser`] chooses its moves. The bots of `referee demo` and the tests play through it.

pub mod player;
mod seat;

use std::fmt::Debug;

use http::uri::PathAndQuery;
use prost::Message;
use tonic::client::Grpc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{IntoRequest, Request, Response, Status, Streaming};
use tonic_types::pb;

pub use player::{Chooser, Chooses, complete};
pub use seat::SeatClient;

use crate::codec::Codec;
use crate::routing::{self, Routed};
use crate::v1;

/// A connection that says who calls, and in which language.
type Authorized = InterceptedService<Channel, Bearer>;

/// Adds a bearer token and a language to every call.
#[derive(Clone)]
struct Bearer {
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

    /// Calls the method that takes this request; gives its answer, or the stream of its answers.
    ///
    /// # Errors
    ///
    /// What the referee answers instead, or that it did not.
    pub async fn call<R: Call>(&self, request: impl IntoRequest<R>) -> Result<R::Answer, Status> {
        R::send(self, request.into_request()).await
    }

    async fn once<R: Call, A: Message + Default + 'static>(
        &self,
        path: &'static str,
        request: Request<R>,
    ) -> Result<A, Status> {
        let request = routed(request);
        let (mut grpc, path) = self.ready(path).await?;
        let answered = grpc.unary(request, path, Codec::default()).await;
        answered.map(Response::into_inner)
    }

    async fn stream<R: Call, A: Message + Default + 'static>(
        &self,
        path: &'static str,
        request: Request<R>,
    ) -> Result<Streaming<A>, Status> {
        let request = routed(request);
        let (mut grpc, path) = self.ready(path).await?;
        let answered = grpc.server_streaming(request, path, Codec::default()).await;
        answered.map(Response::into_inner)
    }

    async fn ready(&self, path: &'static str) -> Result<(Grpc<Authorized>, PathAndQuery), Status> {
        let channel = InterceptedService::new(self.channel.clone(), self.bearer.clone());
        let mut grpc = Grpc::new(channel);
        let not_ready = |error| Status::unknown(format!("the connection is not ready: {error}"));
        grpc.ready().await.map_err(not_ready)?;
        Ok((grpc, PathAndQuery::from_static(path)))
    }
}

/// Adds the header that tells proxies which match a request is about, unless the request has it.
pub fn routed<R: Routed>(mut request: Request<R>) -> Request<R> {
    let id = request.get_ref().routed_by();
    let id = id.and_then(|id| MetadataValue::try_from(id).ok());
    if let Some(id) = id
        && !request.metadata().contains_key(routing::HEADER)
    {
        request.metadata_mut().insert(routing::HEADER, id);
    }
    request
}

/// The request of a method. Every method has one of its own, which alone says what is called.
pub trait Call: Message + Routed + Clone + 'static {
    /// `/referee.v1.PlayService/GetView`
    const PATH: &'static str;
    /// What is answered: a message, or a stream of them.
    type Answer: Debug + Send;
    /// Sends it.
    fn send(
        client: &Client,
        request: Request<Self>,
    ) -> impl Future<Output = Result<Self::Answer, Status>> + Send;
}

// Of every method of the contract.
include!(concat!(env!("OUT_DIR"), "/methods.rs"));

/// Where a stream begins that is asked for.
macro_rules! started {
    ($($request:ident: $module:ident),*) => {
        $(impl v1::$request {
            /// From the table as it is now.
            #[must_use]
            pub fn from_now(self) -> Self {
                let start = v1::$module::Start::FromNow(v1::FromNow {});
                Self { start: Some(start), ..self }
            }

            /// Behind what a resume token stands for; from the first event if it is empty.
            #[must_use]
            pub fn behind(self, token: impl Into<String>) -> Self {
                let token = Some(token.into()).filter(|token| !token.is_empty());
                let start = token.map(v1::$module::Start::ResumeToken);
                Self { start, ..self }
            }

            /// Behind what a resume token stands for; from the table as it is now if it is empty.
            #[must_use]
            pub fn going_on(self, token: &str) -> Self {
                match token {
                    "" => self.from_now(),
                    token => self.behind(token),
                }
            }
        })*
    };
}

started!(
    WatchMatchRequest: watch_match_request,
    WatchPublicMatchRequest: watch_public_match_request
);

impl v1::SubmitMoveRequest {
    /// Whether its moves would be accepted.
    #[must_use]
    pub fn check(&self) -> v1::CheckMoveRequest {
        v1::CheckMoveRequest {
            name: self.name.clone(),
            decision_id: self.decision_id.clone(),
            r#move: self.r#move.clone(),
            further_moves: self.further_moves.clone(),
            at_least: self.at_least.clone(),
            with_preview: false,
        }
    }
}

impl v1::CreateMatchRequest {
    /// For so many players of a ruleset with this resource name.
    pub fn of(ruleset: impl Into<String>, players: u32) -> Self {
        v1::CreateMatchRequest {
            ruleset: ruleset.into(),
            configuration: Some(v1::Configuration {
                players,
                ..Default::default()
            }),
            request_id: request_id(),
            ..Default::default()
        }
    }
}

impl v1::ClaimSeatRequest {
    /// For the seat that a code opens, by somebody who is called so.
    pub fn by(code: &v1::ClaimCode, called: impl Into<String>) -> Self {
        v1::ClaimSeatRequest {
            claim_code: code.code.clone(),
            display_name: called.into(),
            ..v1::ClaimSeatRequest::of(&code.name)
        }
    }
}

/// The resource name of a seat of a match, from 1.
pub fn seat_name(match_name: &str, seat: u32) -> String {
    format!("{match_name}/seats/{seat}")
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

/// The text of a status for people: its language and the text, if it says so.
pub fn localized(status: &Status) -> Option<(String, String)> {
    let text: pb::LocalizedMessage = detail(status, "google.rpc.LocalizedMessage")?;
    Some((text.locale, text.message))
}

fn detail<M: Message + Default>(status: &Status, name: &str) -> Option<M> {
    let details = pb::Status::decode(status.details()).ok()?.details;
    let found = details
        .iter()
        .find(|detail| detail.type_url.rsplit('/').next() == Some(name))?;
    M::decode(&found.value[..]).ok()
}
