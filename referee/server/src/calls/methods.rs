//! The frame of a method: the caller's language, and what tells repetitions of a request from other requests.

use std::pin::Pin;

use http::HeaderName;
use interpreter::package::Language;
use prost::Message;
use tonic::metadata::MetadataMap;
use tonic::{Response, Status};

use super::status::Failure;
use referee_contract::routing::{self, Routed};
use referee_store::Principal;
use referee_store::hashing::Context;

/// Future of the answer of a method.
pub type Answering<'a, T> = Pin<Box<dyn Future<Output = Result<Response<T>, Status>> + Send + 'a>>;

/// Implements a service of the contract by a type with a method for each. Methods get the metadata and what is asked and are answered
/// in the language of the caller; those of `whole` get the request and answer themselves.
///
/// What `#[tonic::async_trait]` would write, but that the futures are made by functions without bounds of lifetimes: with those the
/// compiler would prove for each method anew that hundreds of types may be sent, which takes a minute and a half in all.
macro_rules! serves {
    (
        $service:ident for $by:ident {
            $($method:ident($asked:ident) -> $answered:ty = $answer:ident;)*
        }
        $(streams { $($stream:ident($wanted:ident) -> $messages:ty = $make:ident;)* })?
        $(whole { $($whole:ident($called:ident) -> $sent:ty = $handle:ident;)* })?
        $(type $name:ident = $of:ty;)*
    ) => {
        impl $service for $by {
            $($crate::calls::method! {
                $by: $method(by, request: $asked) -> $answered {
                    let (metadata, _, asked) = request.into_parts();
                    let language = $crate::calls::status::language(&metadata);
                    let answered = match $crate::calls::goes_where_it_says(&metadata, &asked) {
                        Ok(()) => by.$answer(&metadata, asked).await,
                        Err(failure) => Err(failure),
                    };
                    $crate::calls::answer_one(&metadata, language, answered)
                }
            })*
            $($($crate::calls::method! {
                $by: $stream(by, request: $wanted) -> $messages {
                    let (metadata, _, asked) = request.into_parts();
                    let language = $crate::calls::status::language(&metadata);
                    let answered = match $crate::calls::goes_where_it_says(&metadata, &asked) {
                        Ok(()) => by.$make(&metadata, asked).await,
                        Err(failure) => Err(failure),
                    };
                    $crate::calls::answer(language, answered)
                }
            })*)?
            $($($crate::calls::method! {
                $by: $whole(by, request: $called) -> $sent { by.$handle(request).await }
            })*)?
            $(type $name = $of;)*
        }
    };
}
pub(crate) use serves;

/// One method of an implementation of a service, as [`serves`] has it.
macro_rules! method {
    ($by:ident: $method:ident($this:ident, $request:ident: $asked:ident) -> $answered:ty { $($body:tt)* }) => {
        fn $method<'by, 'answering>(
            &'by self,
            request: tonic::Request<v1::$asked>,
        ) -> $crate::calls::Answering<'answering, $answered>
        where
            'by: 'answering,
            Self: 'answering,
        {
            fn answering(
                $this: &$by,
                $request: tonic::Request<v1::$asked>,
            ) -> $crate::calls::Answering<'_, $answered> {
                Box::pin(async move { $($body)* })
            }
            answering(self, request)
        }
    };
}
pub(crate) use method;

/// A request of a client with a new id in it, and everything else of it to tell repetitions from others.
macro_rules! once {
    ($principal:expr, $method:literal, $asked:expr) => {{
        let mut rest = $asked.clone();
        let id = std::mem::take(&mut rest.request_id);
        $crate::calls::request($principal, $method, &id, &rest)
    }};
}
pub(crate) use once;

/// An answer in the caller's language.
pub fn answer<T>(language: Language, result: Result<T, Failure>) -> Result<Response<T>, Status> {
    result
        .map(Response::new)
        .map_err(|failure| failure.status(language))
}

/// By which encodings a caller can unpack answers. A name that is looked up in every call is not parsed in each.
pub static ACCEPT_ENCODING: HeaderName = HeaderName::from_static("grpc-accept-encoding");

/// Bytes of an answer from which on it is worth packing.
const WORTH_PACKING: usize = 2048;

/// The same of one message, packed if the caller can unpack it and it is worth the work.
pub fn answer_one<T: Message>(
    metadata: &MetadataMap,
    language: Language,
    result: Result<T, Failure>,
) -> Result<Response<T>, Status> {
    let mut response = answer(language, result)?;
    let unpacks = metadata.as_ref().contains_key(&ACCEPT_ENCODING);
    if unpacks && response.get_ref().encoded_len() < WORTH_PACKING {
        response.disable_compression();
    }
    Ok(response)
}

/// A request that changes something: its id must be a UUID, its digest is of everything else in it.
pub fn request(
    principal: Principal,
    method: &str,
    request_id: &str,
    rest: &impl Message,
) -> Result<referee_table::Request, Failure> {
    let id = uuid::Uuid::try_parse(request_id)
        .map_err(|_| Failure::field("request_id", "is not a UUID"))?;
    static CONTEXT: Context = Context::new("referee 2026-11 request digest v1");
    let mut digest = CONTEXT.hasher();
    digest.update(method.as_bytes());
    digest.update(b"\n");
    digest.update(&rest.encode_to_vec());
    Ok(referee_table::Request {
        principal,
        id: id.to_string(),
        digest: *digest.finalize().as_bytes(),
    })
}

/// [`routing::HEADER`], which is looked up in every call.
static REFEREE_MATCH: HeaderName = HeaderName::from_static(routing::HEADER);

/// What a proxy goes by must be what the referee goes by.
///
/// # Errors
///
/// When a header says that the call is about another match.
pub fn goes_where_it_says(metadata: &MetadataMap, asked: &impl Routed) -> Result<(), Failure> {
    let Some(said) = metadata.as_ref().get(&REFEREE_MATCH) else {
        return Ok(());
    };
    match asked.routed_by() {
        Some(id) if said.as_bytes() != id.as_bytes() => Err(Failure::field(
            routing::HEADER,
            format!("names another match than the request: send `{id}`, or leave it out"),
        )),
        _ => Ok(()),
    }
}
