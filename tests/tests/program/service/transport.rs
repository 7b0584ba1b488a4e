//! How calls arrive: encrypted, from web pages, too many; and what operators are told of them.

use std::net::SocketAddr;
use std::time::Duration;

use prost::Message as _;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use referee::client::{Chooser, Client};
use referee::server::{Config, Pem, Running, StartError, StoreChoice, Tls, start};
use referee::wire::v1::{self, watch_match_response::Item};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::client::Grpc;
use tonic::codec::CompressionEncoding;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Identity};

use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_prost::ProstCodec;
use tonic_types::StatusExt as _;

use super::world::{World, expect};

pub fn config() -> Config {
    let library = referee_tests::library();
    Config::new(([127, 0, 0, 1], 0).into(), StoreChoice::Memory, library)
}

/// One HTTP/1.1 exchange, head and body.
async fn http(address: SocketAddr, request: &[u8]) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    stream.write_all(request).await.expect("a request");
    let mut all = Vec::new();
    let read = stream.read_to_end(&mut all);
    tokio::time::timeout(Duration::from_secs(10), read)
        .await
        .expect("an end")
        .expect("an answer");
    let split = all
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .expect("a head");
    let head = String::from_utf8_lossy(&all[..split]).to_lowercase();
    (head, all[split + 4..].to_vec())
}

#[tokio::test]
async fn with_a_certificate_everything_is_encrypted() {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    let mut config = config();
    config.tls = Some(Tls::of(Pem {
        certificate: cert.pem().into_bytes(),
        key: signing_key.serialize_pem().into_bytes(),
        client_authority: None,
    }));
    let running = start(config).await.expect("it starts");
    let url = running.url();
    assert!(url.starts_with("https://"), "{url}");
    let tls = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(cert.pem()))
        .domain_name("localhost");
    let endpoint = Channel::from_shared(url.clone()).expect("a url");
    let endpoint = endpoint.tls_config(tls).expect("a certificate");
    let channel = endpoint.connect().await.expect("a handshake");
    let client = Client::on(channel);
    let asked = v1::GetServerInfoRequest {};
    client.call(asked).await.expect("an answer");

    // Whoever does not know the certificate, or speaks plainly, gets nothing.
    let stranger = ClientTlsConfig::new().domain_name("localhost");
    let endpoint = Channel::from_shared(url.clone()).expect("a url");
    let endpoint = endpoint.tls_config(stranger).expect("no certificate");
    assert!(
        endpoint.connect().await.is_err(),
        "the certificate is nobody's"
    );
    let plain = Client::connect(&url.replace("https", "http")).await;
    if let Ok(plain) = plain {
        let answered = plain.call(asked).await;
        assert!(answered.is_err(), "plain text is not answered");
    }
    running.stop().await;
}

#[tokio::test]
async fn certificates_that_are_none_and_open_addresses_are_refused() {
    let mut broken = config();
    broken.tls = Some(Tls::of(Pem {
        certificate: b"no certificate".to_vec(),
        key: b"no key".to_vec(),
        client_authority: None,
    }));
    assert!(matches!(start(broken).await, Err(StartError::Tls(_))));
    let mut open = config();
    open.address = ([0, 0, 0, 0], 0).into();
    assert!(matches!(start(open).await, Err(StartError::Insecure(_))));
    let mut any = config();
    any.origins = vec!["*".into()];
    assert!(matches!(start(any).await, Err(StartError::Origin(_))));
}

/// A page in a browser speaks gRPC-Web over HTTP/1.1.
#[tokio::test]
async fn web_pages_of_known_origins_call_and_no_others() {
    let mut config = config();
    config.origins = vec!["https://play.example.org".into()];
    let running = start(config).await.expect("it starts");
    let address = running.address();
    let path = "/referee.v1.ServerService/GetServerInfo";
    let call = |origin: &str| {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: {origin}\r\nContent-Type: application/grpc-web+proto\r\nX-Grpc-Web: 1\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"
        );
        [head.as_bytes(), &[0; 5]].concat()
    };
    let (head, body) = http(address, &call("https://play.example.org")).await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert!(
        head.contains("access-control-allow-origin: https://play.example.org"),
        "{head}"
    );
    assert!(head.contains("application/grpc-web+proto"), "{head}");
    let text = String::from_utf8_lossy(&body);
    assert!(
        text.contains("referee.v1") && text.contains("grpc-status:0"),
        "{text}"
    );

    let preflight = |origin: &str| {
        format!(
            "OPTIONS {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization,x-grpc-web\r\nConnection: close\r\n\r\n"
        )
    };
    let (head, _) = http(address, preflight("https://play.example.org").as_bytes()).await;
    assert!(
        head.contains("access-control-allow-origin: https://play.example.org"),
        "{head}"
    );
    assert!(head.contains("authorization"), "{head}");
    for origin in [
        "https://evil.example.org",
        "null",
        "http://play.example.org",
    ] {
        let (head, _) = http(address, preflight(origin).as_bytes()).await;
        assert!(
            !head.contains("access-control-allow-origin"),
            "{origin}: {head}"
        );
        let (head, _) = http(address, &call(origin)).await;
        assert!(
            !head.contains("access-control-allow-origin"),
            "{origin}: {head}"
        );
    }
    running.stop().await;
}

/// What a browser gets at an address.
async fn get(running: &Running, path: &str) -> (String, Vec<u8>) {
    let address = running.address();
    let ask = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    http(address, ask.as_bytes()).await
}

#[tokio::test]
async fn the_page_is_shown_beside_the_calls_and_all_that_it_names_is_there() {
    let mut shown = config();
    shown.page = true;
    let running = start(shown).await.expect("it starts");
    let (head, body) = get(&running, "/").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert!(
        head.contains("content-security-policy: default-src 'none';"),
        "{head}"
    );
    let page = String::from_utf8(body).expect("a text");
    let mut named = 0;
    for reference in page
        .split(['"', '\''])
        .filter(|part| part.starts_with("./"))
    {
        let (head, body) = get(&running, &reference[1..]).await;
        assert!(head.starts_with("http/1.1 200"), "{reference}: {head}");
        assert!(!body.is_empty(), "{reference}");
        named += 1;
    }
    assert!(named >= 3, "scripts, styles and an icon are named: {page}");
    let client = Client::connect(&running.url()).await.expect("it listens");
    client
        .call(v1::GetServerInfoRequest {})
        .await
        .expect("an answer");
    assert!(get(&running, "/livez").await.0.starts_with("http/1.1 200"));
    running.stop().await;

    let running = start(config()).await.expect("it starts");
    let (head, body) = get(&running, "/").await;
    assert!(
        !head.starts_with("http/1.1 200") && body.is_empty(),
        "{head}"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_code_of_the_terminal_opens_a_hosts_token_once_and_only_nearby() {
    let running = start(config()).await.expect("it starts");
    let client = Client::connect(&running.url()).await.expect("it listens");
    let ask = |code: &str| v1::ClaimHostRequest {
        code: code.to_owned(),
    };
    let code = running.host_code().expect("entropy");
    // Whoever comes through a proxy is somewhere else.
    for named in ["x-forwarded-for", "forwarded"] {
        let channel = Channel::from_shared(running.url()).expect("an address");
        let mut grpc = Grpc::new(channel.connect().await.expect("it listens"));
        grpc.ready().await.expect("a connection");
        let mut request = Request::new(ask(&code));
        let value = "for=10.0.0.7".parse().expect("a value");
        request.metadata_mut().insert(named, value);
        let codec = ProstCodec::<_, v1::ClaimHostResponse>::default();
        let path = PathAndQuery::from_static("/referee.v1.ServerService/ClaimHost");
        let answered = grpc.unary(request, path, codec).await;
        expect(answered, "CLAIM_CODE_INVALID");
    }
    let claimed = client.call(ask(&code)).await.expect("it opens");
    assert!(claimed.host_token.starts_with("rfh_") && claimed.expire_time.is_some());
    let host = client.with_token(&claimed.host_token);
    host.call(v1::ListMatchesRequest::default())
        .await
        .expect("it is a host's");
    expect(client.call(ask(&code)).await, "CLAIM_CODE_INVALID");
    running.stop().await;
}

#[tokio::test]
async fn failed_authentications_are_counted_by_address() {
    let mut limited = config();
    limited.limits.failed_authentications = 3;
    limited.proxies = vec![std::net::Ipv4Addr::LOCALHOST.into()];
    let running = start(limited).await.expect("it starts");
    let channel = Channel::from_shared(running.url()).expect("an address");
    let mut grpc = Grpc::new(channel.connect().await.expect("it listens"));
    let mut guess = async |from: &str| {
        grpc.ready().await.expect("a connection");
        let mut request = Request::new(v1::ListMatchesRequest::default());
        let metadata = request.metadata_mut();
        metadata.insert(
            "authorization",
            "Bearer rfh_guessed".parse().expect("a value"),
        );
        metadata.insert("x-forwarded-for", from.parse().expect("a value"));
        let codec = ProstCodec::<_, v1::ListMatchesResponse>::default();
        let path = PathAndQuery::from_static("/referee.v1.MatchService/ListMatches");
        let status = grpc
            .unary(request, path, codec)
            .await
            .map(drop)
            .expect_err("a guess");
        let info = status.get_error_details();
        info.error_info().expect("a reason").reason.clone()
    };
    let mut reasons = Vec::new();
    for _ in 0..4 {
        reasons.push(guess("10.0.0.7").await);
    }
    assert_eq!(reasons[2..], ["TOKEN_INVALID", "LIMIT_REACHED"]);
    assert_eq!(guess("10.0.0.8").await, "TOKEN_INVALID");
    running.stop().await;
}

pub fn free_port() -> std::net::SocketAddr {
    let free = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    free.local_addr().expect("an address")
}

/// What is told to whoever asks for figures there.
pub async fn figures(port: std::net::SocketAddr) -> String {
    let ask = format!("GET /metrics HTTP/1.1\r\nHost: {port}\r\nConnection: close\r\n\r\n");
    let (head, body) = http(port, ask.as_bytes()).await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    String::from_utf8(body).expect("a text")
}

#[tokio::test]
async fn figures_are_told_on_their_own_port_and_name_no_match() {
    let port = free_port();
    let mut config = config();
    config.metrics = Some(port);
    let running = start(config).await.expect("it starts");
    let client = Client::connect(&running.url()).await.expect("it listens");
    let asked = v1::GetServerInfoRequest {};
    client.call(asked).await.expect("an answer");
    let list = v1::ListMatchesRequest::default();
    client.call(list).await.expect_err("no token");
    let host = client.with_token(running.host_token());
    let create = v1::CreateMatchRequest {
        test_seed: Vec::new(),
        ..super::world::create_request(3, 1)
    };
    let created = host.call(create).await.expect("a match");
    let name = created.r#match.expect("it").name;
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let text = figures(port).await;
    for expected in [
        "grpc_server_handled_total{grpc_service=\"referee.v1.ServerService\",grpc_method=\"GetServerInfo\",grpc_code=\"0\"} 1",
        "grpc_server_handled_total{grpc_service=\"referee.v1.MatchService\",grpc_method=\"ListMatches\",grpc_code=\"16\"} 1",
        "referee_open_matches 1",
        // Histograms, whose buckets can be added over referees.
        "grpc_server_handling_seconds_bucket{",
        "referee_store_append_seconds_bucket{",
        "referee_connections ",
        "referee_streams 0",
        "referee_journal_waiting 0",
        "referee_store_writable 1",
        "referee_store_fenced 0",
        "referee_matches_suspended_total 0",
    ] {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
    let id = name.trim_start_matches("matches/");
    assert!(
        !text.contains(id) && !text.contains("rfh_"),
        "figures name no match and no token"
    );
    running.stop().await;
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_and_those_within_served() {
    let limits = referee::limits::Limits {
        connections: 4,
        ..super::world::quick()
    };
    let world = World::with(limits).await;
    let address = world.running().address();
    let mut idle = Vec::new();
    for _ in 0..12 {
        idle.push(TcpStream::connect(address).await.expect("a connection"));
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    // The world's own client was first and is served; of the others some were closed.
    let asked = v1::GetServerInfoRequest {};
    world.client().call(asked).await.expect("an answer");
    let mut closed = 0;
    for stream in &mut idle {
        let mut byte = [0; 64];
        let read = tokio::time::timeout(Duration::from_millis(100), stream.read(&mut byte)).await;
        closed += usize::from(matches!(read, Ok(Ok(0) | Err(_))));
    }
    assert!(closed >= 8, "{closed} were closed");
    drop(idle);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let again = Client::connect(&world.url())
        .await
        .expect("there is room again");
    again.call(asked).await.expect("an answer");
}

/// Bytes that are no request: the connection ends, the referee serves on.
#[tokio::test]
async fn nonsense_on_the_wire_ends_its_own_connection_only() {
    let world = World::new().await;
    let address = world.running().address();
    let nonsense: [&[u8]; 4] = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        &[0xff; 4096],
    ];
    for bytes in nonsense {
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        stream.write_all(bytes).await.expect("written");
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        let _ = tokio::time::timeout(Duration::from_secs(2), read).await;
    }
    let asked = v1::GetServerInfoRequest {};
    let info = world.client().call(asked).await.expect("an answer");
    let limits = info.limits.expect("limits");
    // Every limit is told, and none is infinite.
    let told = limits.encode_to_vec();
    assert!(told.len() > 40 && limits.connections > 0 && limits.upload_bytes > 0);
}

/// A self-signed certificate of a name, as PEM.
pub fn made(name: &str) -> Pem {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec![name.into()]).expect("a certificate");
    Pem {
        certificate: cert.pem().into_bytes(),
        key: signing_key.serialize_pem().into_bytes(),
        client_authority: None,
    }
}

/// A connection that believes in one certificate only.
pub async fn believing(url: &str, pem: &Pem) -> Result<Client, tonic::transport::Error> {
    let tls = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(&pem.certificate))
        .domain_name("localhost");
    let endpoint = Channel::from_shared(url.to_owned()).expect("a url");
    let channel = endpoint.tls_config(tls)?.connect().await?;
    Ok(Client::on(channel))
}

#[tokio::test]
async fn a_renewed_certificate_is_used_at_once_and_hinders_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let (certificate, key) = (
        folder.path().join("chain.pem"),
        folder.path().join("key.pem"),
    );
    let write = |pem: &Pem| {
        std::fs::write(&certificate, &pem.certificate).expect("writable");
        std::fs::write(&key, &pem.key).expect("writable");
    };
    let (first, second) = (made("localhost"), made("localhost"));
    write(&first);
    let mut config = config();
    config.tls = Some(Tls::files(certificate.clone(), key.clone(), None));
    let port = free_port();
    config.metrics = Some(port);
    let running = start(config).await.expect("it starts");
    let url = running.url();
    let asked = v1::GetServerInfoRequest {};
    let old = believing(&url, &first).await.expect("a handshake");
    old.call(asked).await.expect("an answer");
    assert_eq!(running.renew_certificate(), Ok(false), "it is the same");

    // Half of a new one, no one at all, a missing file: what was used is used on.
    std::fs::write(&certificate, &second.certificate).expect("writable");
    running
        .renew_certificate()
        .expect_err("the key is another's");
    std::fs::write(&certificate, "nothing").expect("writable");
    let none = running.renew_certificate().expect_err("no certificate");
    assert!(none.contains("no certificate in PEM"), "{none}");
    std::fs::remove_file(&certificate).expect("it is there");
    let gone = running.renew_certificate().expect_err("no file");
    assert!(gone.contains("chain.pem"), "{gone}");
    believing(&url, &first).await.expect("the first is used on");

    write(&second);
    assert_eq!(running.renew_certificate(), Ok(true));
    believing(&url, &second).await.expect("the second is used");
    assert!(
        believing(&url, &first).await.is_err(),
        "the first is no longer"
    );
    tokio::time::sleep(Duration::from_millis(1200)).await;
    // These expire in the year 4096.
    let expires = "referee_certificate_expiry_timestamp_seconds 67090118400\n";
    let told = figures(port).await;
    assert!(told.contains(expires), "{told}");
    // Whoever was in stays in.
    old.call(asked).await.expect("an answer");
    running.stop().await;
}

#[tokio::test]
async fn a_certificate_of_clients_is_demanded_where_the_operator_says_so() {
    let (own, client, stranger) = (made("localhost"), made("client"), made("stranger"));
    let mut config = config();
    config.tls = Some(Tls::of(Pem {
        client_authority: Some(client.certificate.clone()),
        ..own.clone()
    }));
    let running = start(config).await.expect("it starts");
    let ask = async |identity: Option<&Pem>| {
        let mut tls = ClientTlsConfig::new()
            .ca_certificate(Certificate::from_pem(&own.certificate))
            .domain_name("localhost");
        if let Some(pem) = identity {
            tls = tls.identity(Identity::from_pem(&pem.certificate, &pem.key));
        }
        let endpoint = Channel::from_shared(running.url()).expect("a url");
        let endpoint = endpoint.tls_config(tls).expect("certificates");
        let channel = endpoint
            .connect()
            .await
            .map_err(|error| error.to_string())?;
        let asked = v1::GetServerInfoRequest {};
        let info = Client::on(channel).call(asked).await;
        info.map(drop).map_err(|status| status.to_string())
    };
    ask(Some(&client)).await.expect("it is known");
    ask(None).await.expect_err("nobody in particular");
    ask(Some(&stranger)).await.expect_err("somebody else's");
    running.stop().await;
}

/// A handshake that never ends is its own trouble only.
#[tokio::test]
async fn whoever_does_not_finish_a_handshake_keeps_nobody_waiting() {
    let pem = made("localhost");
    let mut config = config();
    config.tls = Some(Tls::of(pem.clone()));
    let running = start(config).await.expect("it starts");
    let mut silent = Vec::new();
    for _ in 0..100 {
        silent.push(
            TcpStream::connect(running.address())
                .await
                .expect("it listens"),
        );
    }
    let client = believing(&running.url(), &pem).await.expect("a handshake");
    let asked = v1::GetServerInfoRequest {};
    client.call(asked).await.expect("an answer");
    drop(silent);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_connection_ends_and_its_streams_go_on_with_the_next() {
    let limits = referee::limits::Limits {
        connection_age: Duration::from_secs(1),
        connection_grace: Duration::from_secs(5),
        ..super::world::quick()
    };
    let world = World::with(limits).await;
    let (table, tokens) = world.table(3, 5).await;
    let watch = |token: String| v1::WatchMatchRequest::of(&table.name).behind(token);
    let mut token = String::new();
    let mut events = Vec::new();
    // Several connections after each other, each until it is too old.
    for _ in 0..3 {
        let client = Client::connect(&world.url()).await.expect("it listens");
        let seat = client.with_token(&tokens[0]);
        let stream = seat.call(watch(token)).await;
        let mut stream = stream.expect("a stream");
        let status = loop {
            match stream.message().await {
                Ok(Some(message)) => {
                    if let Some(Item::Events(batch)) = message.item {
                        events.extend(batch);
                    }
                }
                Ok(None) => panic!("the match is not over"),
                Err(status) => break status,
            }
        };
        let aged = super::world::expect(Err::<(), _>(status), "CONNECTION_AGED");
        token = super::world::metadata(&aged, "resume_token");
        assert!(!token.is_empty());
        table.play(1, &mut Chooser::new(1)).await;
    }
    let all = table.events(0).await;
    assert!(!events.is_empty() && events == all[..events.len()]);
}

/// A call of any method with any bytes in the first field of its message.
async fn call(world: &World, method: &str, bytes: Vec<u8>) -> Status {
    let channel = Channel::from_shared(world.running().url()).expect("an address");
    let mut client = Grpc::new(channel.connect().await.expect("it listens"));
    client.ready().await.expect("it is ready");
    let path = PathAndQuery::try_from(format!("/referee.v1.{method}")).expect("a path");
    let codec = ProstCodec::<Vec<u8>, v1::GetServerInfoResponse>::default();
    let answered = client.unary(Request::new(bytes), path, codec).await;
    answered.expect_err("a failure")
}

/// What the library that carries calls answers by itself has a reason, too.
#[tokio::test]
async fn every_failure_has_a_reason_whoever_answers() {
    let world = World::new().await;
    let (long, no_text) = (vec![b'a'; 70 << 10], vec![0xff, 0xff]);
    for (method, bytes, reason, code) in [
        (
            "MatchService/NoSuchMethod",
            vec![],
            "METHOD_UNKNOWN",
            Code::Unimplemented,
        ),
        (
            "NoSuchService/Do",
            vec![],
            "METHOD_UNKNOWN",
            Code::Unimplemented,
        ),
        (
            "PlayService/GetView",
            no_text,
            "MALFORMED_REQUEST",
            Code::InvalidArgument,
        ),
        (
            "PlayService/GetView",
            long,
            "MALFORMED_REQUEST",
            Code::InvalidArgument,
        ),
        (
            "PlayService/GetView",
            vec![b'a'],
            "TOKEN_INVALID",
            Code::Unauthenticated,
        ),
    ] {
        let status = call(&world, method, bytes).await;
        assert_eq!(status.code(), code, "{method}: {status:?}");
        let info = status.get_details_error_info().expect("a reason");
        let told = (info.reason.as_str(), info.domain.as_str());
        assert_eq!(told, (reason, "referee.v1"), "{method}: {status:?}");
    }
    // What is said by services that are not ours stays as their contracts have it.
    let channel = Channel::from_shared(world.running().url()).expect("an address");
    let channel = channel.connect().await.expect("it listens");
    let asked = HealthCheckRequest {
        service: "nobody's".into(),
    };
    let unknown = HealthClient::new(channel).check(asked).await;
    assert_eq!(unknown.expect_err("no such service").code(), Code::NotFound);
}

/// A client of one method which packs what it sends and unpacks what comes.
async fn packing<Q, A>(
    channel: &Channel,
    path: &'static str,
    token: &str,
    asked: Q,
) -> Result<tonic::Response<A>, Status>
where
    Q: prost::Message + Send + Sync + 'static,
    A: prost::Message + Default + Send + Sync + 'static,
{
    let mut grpc = Grpc::new(channel.clone())
        .send_compressed(CompressionEncoding::Gzip)
        .accept_compressed(CompressionEncoding::Gzip);
    grpc.ready().await.expect("a connection");
    let mut request = Request::new(asked);
    let token = format!("Bearer {token}").parse().expect("a token");
    request.metadata_mut().insert("authorization", token);
    let codec = ProstCodec::<Q, A>::default();
    grpc.unary(request, PathAndQuery::from_static(path), codec)
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn long_answers_are_packed_for_whoever_can_unpack_them() {
    let world = World::new().await;
    let (table, tokens) = world.table(3, 1).await;
    let channel = Channel::from_shared(world.url()).expect("an address");
    let channel = channel.connect().await.expect("it listens");
    let asked = v1::GetViewRequest {
        name: table.name.clone(),
        include_names: true,
        ..Default::default()
    };
    let path = "/referee.v1.PlayService/GetView";
    let packed = packing::<_, v1::GetViewResponse>(&channel, path, &tokens[0], asked.clone()).await;
    let packed = packed.expect("a view");
    let encoding = |response: &tonic::metadata::MetadataMap| response.get("grpc-encoding").cloned();
    assert_eq!(encoding(packed.metadata()).expect("it is packed"), "gzip");
    let plain = table.call(0, asked).await.expect("a view");
    assert_eq!(packed.into_inner().view, plain.view);
    let talk = v1::GetTableTalkRequest::of(&table.name);
    let path = "/referee.v1.TableService/GetTableTalk";
    let short = packing::<_, v1::GetTableTalkResponse>(&channel, path, &tokens[0], talk).await;
    let short = short.expect("an answer");
    // A message that is not packed says so by itself, whatever the stream can.
    assert_eq!(short.into_inner().proposal, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_counts_what_a_message_is_when_it_is_unpacked() {
    let world = World::new().await;
    let (table, tokens) = world.table(3, 1).await;
    let channel = Channel::from_shared(world.url()).expect("an address");
    let channel = channel.connect().await.expect("it listens");
    // 64 MB of the same letter are 64 kB when they are packed.
    let bomb = v1::GetViewRequest {
        name: "a".repeat(64 << 20),
        ..Default::default()
    };
    let path = "/referee.v1.PlayService/GetView";
    let refused = packing::<_, v1::GetViewResponse>(&channel, path, &tokens[0], bomb).await;
    let refused = refused.expect_err("it is too long");
    let details = refused.get_error_details();
    let info = details.error_info().expect("a reason");
    assert_eq!(info.reason, "MALFORMED_REQUEST", "{refused:?}");
    assert_eq!(info.metadata["limit"], "request_bytes");
    // The connection goes on.
    assert!(table.view(0).await.view.is_some());
}
