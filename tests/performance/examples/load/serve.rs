//! The services that are measured: a referee, and one that answers without doing anything.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, RwLock};

use prost::Message as _;
use referee::library::Library;
use referee::limits::Limits;
use referee::secrets::Keys;
use referee::server::{Config, StoreChoice, start};
use referee::store::Store;
use referee::store::memory::Memory;
use referee::store::postgres::{Address, Postgres, is_address};
use referee::store::sqlite::Sqlite;
use referee::wire::v1;
use tokio::runtime::Handle;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Context, Poll, Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use crate::Outcome;

/// Answers every move with the same message: one of usual size, which it is told. There is nothing between it and
/// tonic, and tonic's own codec reads and writes the messages.
#[derive(Clone, Default)]
struct Echo {
    answer: Arc<RwLock<v1::SubmitMoveResponse>>,
}

impl NamedService for Echo {
    const NAME: &'static str = "referee.v1.PlayService";
}

impl Service<http::Request<Body>> for Echo {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let echo = self.clone();
        Box::pin(async move {
            let codec = ProstCodec::default();
            Ok(Grpc::new(codec).unary(echo, request).await)
        })
    }
}

impl UnaryService<v1::SubmitMoveRequest> for Echo {
    type Response = v1::SubmitMoveResponse;
    type Future = Ready<Result<Response<v1::SubmitMoveResponse>, Status>>;

    fn call(&mut self, _: Request<v1::SubmitMoveRequest>) -> Self::Future {
        let answer = self.answer.read();
        let answer = answer.map(|answer| Response::new(answer.clone()));
        ready(answer.map_err(|_| Status::internal("a panic")))
    }
}

/// Serves both until the other side goes away.
pub async fn serve(store: &str, key: &str, open_matches: u32, usual: &Handle) -> Outcome<()> {
    let keys = Keys::load_or_create(Path::new(key))?;
    let store: Arc<dyn Store> = match store {
        "memory" => Arc::new(Memory::default()),
        address if is_address(address) => {
            let address = Address::read(address)?;
            let keys = keys.clone();
            // It waits for the database, on a thread that may.
            let open = move || Postgres::open(&address, &keys);
            Arc::new(usual.spawn_blocking(open).await??)
        }
        path => Arc::new(Sqlite::open(Path::new(path), &keys)?),
    };
    let address = ([127, 0, 0, 1], 0).into();
    let mut config = Config::new(address, StoreChoice::Own(store, keys), Library::embedded()?);
    config.testing = true;
    config.limits = Limits {
        open_matches,
        // One host opens matches as fast as it can.
        calls_per_second: 1_000_000,
        ..Limits::default()
    };
    let running = start(config).await?;
    let echo = tokio::net::TcpListener::bind(("127.0.0.1", 0));
    let echo = usual.spawn(echo).await??;
    let echo_address = echo.local_addr()?;
    let service = Echo::default();
    let answer = service.answer.clone();
    let incoming = tonic::transport::server::TcpIncoming::from(echo).with_nodelay(Some(true));
    usual.spawn(
        tonic::transport::Server::builder()
            .add_service(service)
            .serve_with_incoming(incoming),
    );
    println!(
        "{} http://{echo_address} {}",
        running.url(),
        running.host_token()
    );
    std::io::stdout().flush()?;
    // Until the other side goes away; meanwhile it says what the echo shall answer.
    let told = tokio::task::spawn_blocking(move || {
        for line in std::io::stdin().lines() {
            let bytes: Option<Vec<u8>> = line?.split(' ').map(|byte| byte.parse().ok()).collect();
            let told = v1::SubmitMoveResponse::decode(&bytes.ok_or("no bytes")?[..])?;
            *answer.write().map_err(|_| "a panic")? = told;
        }
        Outcome::Ok(())
    });
    told.await?
}
