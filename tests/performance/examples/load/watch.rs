//! Those who watch while matches are played.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prost::bytes::Buf as _;
use referee::wire::v1;
use tonic::codec::{Codec, DecodeBuf, Decoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Endpoint;
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use crate::Outcome;
use crate::begin::{Game, calls, play};
use crate::server::Server;
use crate::turns::{Took, timed};

/// Reads messages to their ends and makes nothing of them: what spectators make of what they hear, they make on
/// machines of their own, and not on the one that referees.
#[derive(Default)]
pub struct Unopened;

impl Codec for Unopened {
    type Encode = v1::WatchPublicMatchRequest;
    type Decode = ();
    type Encoder = <ProstCodec<Self::Encode, ()> as Codec>::Encoder;
    type Decoder = Unopened;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<_, ()>::default().encoder()
    }

    fn decoder(&mut self) -> Unopened {
        Unopened
    }
}

impl Decoder for Unopened {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        from.advance(from.remaining());
        Ok(Some(()))
    }
}

/// As everybody reads them who wants to know what they say.
pub type Opened = ProstCodec<v1::WatchPublicMatchRequest, v1::WatchPublicMatchResponse>;

/// Those who watch each match.
pub const WATCHERS: usize = 5;

/// Those who watch. They go away when this is dropped.
pub struct Watchers {
    _reading: tokio::task::JoinSet<()>,
    messages: Arc<AtomicUsize>,
}

/// Opens streams on every match, each read to its end.
pub async fn watch<C>(server: &Server, lanes: &[Vec<Game>]) -> Outcome<Watchers>
where
    C: Codec<Encode = v1::WatchPublicMatchRequest> + Default + Send + 'static,
    C::Decode: Send + Sync,
{
    let (mut reading, messages) = (tokio::task::JoinSet::new(), Arc::<AtomicUsize>::default());
    for game in lanes.iter().flatten() {
        let channel = Endpoint::from_shared(server.url.clone())?;
        let channel = channel.tcp_nodelay(true).connect().await?;
        for _ in 0..WATCHERS {
            let mut watch = Request::new(v1::WatchPublicMatchRequest::of(&game.name));
            let token = format!("Bearer {}", server.host).parse()?;
            watch.metadata_mut().insert("authorization", token);
            let mut caller = tonic::client::Grpc::new(channel.clone());
            caller.ready().await?;
            let path = PathAndQuery::from_static("/referee.v1.SpectatorService/WatchPublicMatch");
            let stream = caller.server_streaming(watch, path, C::default()).await?;
            let (mut stream, messages) = (stream.into_inner(), messages.clone());
            reading.spawn(async move {
                while let Ok(Some(_)) = stream.message().await {
                    messages.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    }
    Ok(Watchers {
        _reading: reading,
        messages,
    })
}

/// Plays matches while others watch.
pub async fn play_watched<C>(server: &Server, lanes: Vec<Vec<Game>>) -> Outcome<Took>
where
    C: Codec<Encode = v1::WatchPublicMatchRequest> + Default + Send + 'static,
    C::Decode: Send + Sync,
{
    let (count, matches) = (calls(&lanes), lanes.iter().flatten().count());
    let watchers = watch::<C>(server, &lanes).await?;
    let took = timed(&[server], count, play(lanes)).await?;
    // What was said before the first move, and some of the rest.
    let heard = watchers.messages.load(Ordering::Relaxed);
    if heard < 2 * matches * WATCHERS {
        return Err("those who watch hear nothing".into());
    }
    Ok(took)
}
